// SPDX-License-Identifier: Apache-2.0
// vdla quantize: a float model and samples of its input to a standard QDQ model of ONNX.
#include "compiler/quantize/quantize.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "compiler/import/cut.h"
#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "compiler/import/metadata.h"
#include "compiler/onnx_writer/onnx_writer.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/rewrite/fold_constants.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "tools/common/model_input.h"
#include "tools/common/network_inputs.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/data/output_values.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/mac_share.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/compile/compile_flags.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using quantize::RangeMethod;

struct QuantizeFlags {
  std::string model, output, range = "minmax";
  std::vector<std::string> calibration;
  quantize::Options options;
  ModelFlags network;
  bool no_bias_correction = false;
  std::size_t limit = 0;
  std::string report, keep_float = "0";
  double budget_db = 20;
  PixelFlags pixels;
  const CLI::App* command = nullptr;
};

const std::map<std::string, RangeMethod> kRanges = {
#define VDLA_ROW(name, text) {text, RangeMethod::name},
    VDLA_RANGE_METHODS(VDLA_ROW)
#undef VDLA_ROW
};

constexpr const char* kAuto = "auto";

runtime::Module on_cpu(const graph::Bytes& model, const std::string& name) {
  return kit::compile_for_cpu(import::import_onnx(model, name));
}

quantize::Run ready(const graph::Bytes& model, const std::string& name) {
  runtime::Module module = on_cpu(model, name);
  const std::vector<runtime::Port> ports = module.inputs, to = module.outputs;
  auto session = std::make_shared<runtime::Session>(std::move(module), nullptr, runtime::SessionOptions{});
  return [session, ports, to](const quantize::Sample& sample) {
    std::vector<graph::Bytes> inputs;
    for (const runtime::Port& port : ports) inputs.push_back(sample.at(port.name));
    std::vector<std::vector<float>> result;
    const auto outputs = session->run_model(inputs).outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<double> values = output_values(to[i], outputs[i]);
      result.emplace_back(values.begin(), values.end());
    }
    return result;
  };
}

/// `run` with a line on a terminal, which counts the samples of a pass.
quantize::Run with_progress(quantize::Run run, std::size_t samples) {
  const StatusLine line;
  if (!line.on_terminal()) return run;
  auto done = std::make_shared<std::size_t>(0);
  return [run = std::move(run), samples, done, line](const quantize::Sample& sample) {
    auto result = run(sample);
    *done = *done % samples + 1;
    line.print(fmt::format("{} of {} samples", *done, samples));
    if (*done == samples) line.clear();
    return result;
  };
}

/// The quantised network, placed as `vdla compile` does it without flags.
MacShare place(const graph::Bytes& model, const std::string& name) {
  pipeline::CompileOptions options = CompileFlags().options();
  options.machine_code = false;
  const auto compiled = pipeline::compile(import::import_onnx(model, name), options);
  return mac_share(kit::to_module(compiled, kit::HostCode::LeftOut));
}

ordered_json json_of(const quantize::NetworkReport& report, const MacShare& share, std::size_t samples) {
  ordered_json out{{"snr_db", report.snr_db},
                   {"int8_db", report.int8_db},
                   {"agreeing", report.agreeing},
                   {"samples", samples},
                   {"macs", share.macs},
                   {"macs_on_device", share.on_device},
                   {"layers", ordered_json::array()},
                   {"in_float", ordered_json::array()}};
  for (const quantize::LayerReport& layer : report.layers) {
    out["layers"].push_back({{"node", layer.node},
                             {"operator", layer.op},
                             {"tensor", layer.tensor},
                             {"snr_db", layer.snr_db},
                             {"alone_db", layer.alone_db},
                             {"in_float", layer.in_float}});
    if (layer.in_float) out["in_float"].push_back(layer.node);
  }
  return out;
}

void print_report(const ordered_json& report, const MacShare& share) {
  fmt::print("\n");
  print_table(report["layers"], "layers, the costliest first|operator|SNR dB|alone|in float",
              "{node:<32.32} {operator:<12} {snr_db:>7.1f} {alone_db:>7.1f} {in_float:>8}");
  fmt::print("\nwhole network: {:.1f} dB", report["snr_db"].get<double>());
  if (!report["in_float"].empty())
    fmt::print(" with {} layer{} in float, {:.1f} dB without", report["in_float"].size(),
               report["in_float"].size() == 1 ? "" : "s", report["int8_db"].get<double>());
  fmt::print(
      "; {} of {} samples have the same largest output\n{:.2f} % of {} multiply-accumulates on the "
      "device, as vdla compile places them\n",
      report["agreeing"].get<std::size_t>(), report["samples"].get<std::size_t>(), share.percent(),
      share.macs);
  if (!report["in_float"].empty()) {
    std::vector<std::string> names = report["in_float"];
    fmt::print("kept in float: {}\n", fmt::join(names, ", "));
  }
}

ordered_json json_of(const quantize::Result& r, const QuantizeFlags& f, std::size_t samples) {
  ordered_json out{{"output", f.output},
                   {"samples", samples},
                   {"range", f.range},
                   {"folded_batch_norms", r.folded_batch_norms},
                   {"equalised_pairs", r.equalised_pairs},
                   {"left_in_float", r.left_in_float}};
  for (const auto& w : r.weights) {
    ordered_json worst = ordered_json::array();
    for (const auto& [channel, db] : w.worst) worst.push_back({{"channel", channel}, {"snr_db", db}});
    out["weights"].push_back({{"node", w.node},
                              {"operator", w.op},
                              {"snr_db", w.snr_db},
                              {"worst", worst},
                              {"largest_bias_correction", w.largest_correction}});
  }
  for (const auto& a : r.activations)
    out["activations"].push_back({{"tensor", a.tensor},
                                  {"low", a.low},
                                  {"high", a.high},
                                  {"scale", a.scale},
                                  {"zero_point", a.zero_point},
                                  {"cut_off", a.cut_off},
                                  {"snr_db", a.snr_db}});
  return out;
}

void print_quantized(ordered_json out, const quantize::Result& r, const QuantizeFlags& f,
                     std::size_t samples) {
  const auto worst_text = [](const ordered_json& row) {
    std::string text;
    for (const auto& worst : row["worst"])
      text += fmt::format("{}{} ({:.1f})", text.empty() ? "" : ", ", worst["channel"].get<std::int64_t>(),
                          worst["snr_db"].get<double>());
    return text;
  };
  print_table(with_column(out["weights"], "worst", worst_text),
              "weights|operator|SNR dB|worst channels (dB)|bias correction",
              "{node:<32.32} {operator:<8} {snr_db:>7.1f}  {worst:<28} {largest_bias_correction:>16.4g}");
  fmt::print("\n");
  print_table(out["activations"], "activations|SNR dB|low|high|scale|zero|cut off",
              "{tensor:<32.32} {snr_db:>7.1f} {low:>12.5g} {high:>12.5g} {scale:>11.5g} {zero_point:>5} "
              "{cut_off*100:>7.3f}%");
  fmt::print("\n{}: {} layers and {} activations from {} samples", f.output, r.weights.size(),
             r.activations.size(), samples);
  if (r.folded_batch_norms > 0) fmt::print(", {} batch norms folded", r.folded_batch_norms);
  if (r.equalised_pairs > 0) fmt::print(", {} pairs of layers equalised", r.equalised_pairs);
  fmt::print("\n");
  if (!r.left_in_float.empty()) fmt::print("left in float: {}\n", fmt::join(r.left_in_float, ", "));
}

constexpr auto kPause = std::chrono::seconds(5);

/// Prints the parts of long work: each on a terminal, elsewhere one in some seconds.
std::function<void(const std::string&)> told_of() {
  return [line = StatusLine(), shown = std::chrono::steady_clock::now()](const std::string& text) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (!line.on_terminal() && now - shown < kPause) return;
    shown = now;
    line.print("vdla quantize: " + text);
  };
}

/// Reads --report, --keep-float and --budget-db.
void read_choices(QuantizeFlags& f) {
  const bool automatic = f.keep_float == kAuto;
  VDLA_CHECK_USER(automatic || f.command->count("--budget-db") == 0)
      << "--budget-db is for --keep-float auto, --keep-float is " << f.keep_float
      << "; leave one of them out";
  if (automatic)
    f.options.budget_db = f.budget_db;
  else
    f.options.keep_float = std::stoul(f.keep_float);
  f.options.measure = f.command->count("--report") != 0;
  f.options.progress = told_of();
}

/// "auto", or a number of layers.
CLI::Validator names_layers() {
  return {[](const std::string& text) {
            const bool number = !text.empty() && text.size() < 10 &&
                                std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
            return number || text == kAuto ? std::string()
                                           : "needs a number of layers, or auto, got '" + text + "'";
          },
          ""};
}

/// The network's graph as ONNX.
graph::Bytes graph_as_onnx(const graph::Bytes& model, const std::string& path, const std::string& format,
                           const import::ImportOptions& options) {
  // Weights that are dequantised when the network starts are constants then.
  const graph::Graph graph = pipeline::fold_constants(import::import_model(model, path, options));
  return onnx_writer::to_onnx(graph, format + " model '" + path + "': ");
}

/// The float network of a file as ONNX, which the quantiser reads.
graph::Bytes float_onnx(const std::string& path, import::ImportOptions options) {
  graph::Bytes model = import::read_file(path);
  if (file_kind(model) == FileKind::TfLite) {
    options.real_weights = true;
    return graph_as_onnx(model, path, "TFLite", options);
  }
  VDLA_CHECK_USER(options.signature.empty())
      << "ONNX model '" << path << "': names signature '" << options.signature
      << "', which needs a TFLite model; leave it out";
  if (quantize::hides_layers(model)) {
    try {
      return graph_as_onnx(model, path, "ONNX", options);
    } catch (
        const UserError&) {  // the quantiser takes it as it is, with such nodes in float, or says why not
    }
  }
  const bool as_it_is = !import::is_cut(options) && options.bound.empty() && options.shapes.empty();
  return as_it_is ? model : import::onnx_by_options(model, path, options);
}

void quantise(QuantizeFlags& f, const Context& context) {
  read_choices(f);
  f.options.method = kRanges.at(f.range);
  VDLA_CHECK_USER(f.options.method == RangeMethod::Percentile || f.command->count("--percentile") == 0)
      << "--percentile is for --range percentile, --range is " << f.range << "; leave one of them out";
  f.options.correct_bias = !f.no_bias_correction;
  const graph::Bytes model = float_onnx(f.model, f.network.options());
  const runtime::Module module = on_cpu(model, f.model);
  const Preprocessing kept =
      f.network.cut.from.empty() ? import::read_metadata(f.model).pixels : Preprocessing{};
  NetworkInputs calibration = load_inputs(f.calibration, module, f.pixels.options(), kept, "--calibration");
  context.say(calibration.notes);
  if (calibration.pixels) {
    f.options.pixels = *calibration.pixels;
    if (!f.options.pixels.normalise) f.options.pixels.normalise = Normalisation{};
  }
  if (f.limit != 0) calibration.samples.resize(std::min(calibration.samples.size(), f.limit));
  std::vector<quantize::Sample> samples;
  for (NetworkSample& sample : calibration.samples)
    for (std::size_t i = 0; i < module.inputs.size(); ++i) {
      if (i == 0) samples.emplace_back();
      samples.back().emplace(module.inputs[i].name, std::move(sample.inputs[i]));
    }
  const auto prepare = [&](const graph::Bytes& showing) {
    return with_progress(ready(showing, f.model), samples.size());
  };
  const auto result = quantize::quantize(model, f.model, samples, prepare, f.options);
  write_file(f.output, {reinterpret_cast<const char*>(result.model.data()), result.model.size()});
  ordered_json object = json_of(result, f, samples.size());
  MacShare share;
  if (result.network) {
    share = place(result.model, f.output);
    object["report"] = json_of(*result.network, share, samples.size());
    if (!f.report.empty()) write_file(f.report, object["report"].dump(2) + "\n");
  }
  StatusLine().clear();
  context.report(object, [&] {
    print_quantized(object, result, f, samples.size());
    if (result.network) print_report(object["report"], share);
  });
}

}  // namespace

void add_quantize(CLI::App& app, Context& context) {
  auto f = std::make_shared<QuantizeFlags>();
  CLI::App* c = add_command(
      app, context, "quantize", "Quantise a float network to int8 (QDQ, ONNX) with sample inputs",
      "Weights get a scale per output channel, activations one each from the samples, biases are corrected "
      "for\n"
      "what rounding the weights adds on average. The table shows signal to noise by layer and tensor.\n"
      "example: vdla quantize net.onnx --calibration images/ --normalise scale=0.00392157 -o net_int8.onnx\n"
      "         vdla compile net_int8.onnx -o net.vdla",
      [f, &context] { quantise(*f, context); });
  f->command = c;
  std::vector<std::string> names;
  for (const auto& [name, method] : kRanges) names.push_back(name);
  c->add_option("model", f->model, "Float network (.onnx, .tflite)")->required();
  c->add_option("--calibration", f->calibration,
                "Sample inputs: a file with one or more, or a folder; of a network with several inputs "
                "NAME=FILE for each, or an .npz with arrays of their names, or a folder of these")
      ->required()
      ->expected(1)
      ->take_all();
  c->add_option("-o,--output", f->output, "ONNX file to write")
      ->required()
      ->check(ending({".onnx"}, "an ONNX model (vdla compile takes it as it does TFLite)"));
  c->add_option("--range", f->range,
                "How the range of an activation is chosen: minmax: all values; percentile: without the "
                "largest; kl: least divergence")
      ->check(one_of(names))
      ->capture_default_str();
  c->add_option("--percentile", f->options.percentile,
                "Share of values inside the range for --range percentile, in percent")
      ->capture_default_str();
  c->add_flag("--equalise", f->options.equalise,
              "Equalise weight ranges between consecutive convolutions (cross-layer equalisation)");
  c->add_flag("--no-bias-correction", f->no_bias_correction,
              "Do not correct biases for the rounding of weights");
  c->add_option("--limit", f->limit, "Only the first N samples; 0: all")->check(not_negative());
  c->add_option("--report", f->report,
                "Compare with the float network on the samples: signal to noise of the network and of each "
                "layer, samples with the same largest output, share of multiply-accumulates on the device; "
                "FILE.json gets it as data")
      ->type_name("[FILE.json]")
      ->expected(0, 1)
      ->check(ending({".json"}, "a report"));
  c->add_option("--keep-float", f->keep_float,
                "Leave the N layers in float that add most noise; auto: as few as --budget-db needs")
      ->type_name("N|auto")
      ->check(names_layers())
      ->capture_default_str();
  c->add_option("--budget-db", f->budget_db,
                "Signal to noise that --keep-float auto gives the network on the samples")
      ->check(CLI::Range(0.0, 200.0))
      ->capture_default_str();
  f->network.add_bind_to(*c);
  f->network.add_to(*c);
  f->pixels.add_to(*c);
}

}  // namespace vdla::tools
