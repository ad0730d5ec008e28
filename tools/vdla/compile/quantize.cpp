// SPDX-License-Identifier: Apache-2.0
// vdla quantize: a float ONNX model and samples of its input to a standard QDQ model.
#include "compiler/quantize/quantize.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "compiler/import/cut.h"
#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "compiler/import/metadata.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "tools/common/model_input.h"
#include "tools/common/network_inputs.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/common/command.h"
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
  CutFlags cut;
  bool no_bias_correction = false;
  std::size_t limit = 0;
  PixelFlags pixels;
  const CLI::App* command = nullptr;
};

const std::map<std::string, RangeMethod> kRanges = {
#define VDLA_ROW(name, text) {text, RangeMethod::name},
    VDLA_RANGE_METHODS(VDLA_ROW)
#undef VDLA_ROW
};

runtime::Module on_cpu(const graph::Bytes& model, const std::string& name) {
  return kit::compile_for_cpu(import::import_onnx(model, name));
}

quantize::Run ready(const graph::Bytes& model, const std::string& name) {
  runtime::Module module = on_cpu(model, name);
  const std::vector<runtime::Port> ports = module.inputs;
  auto session = std::make_shared<runtime::Session>(std::move(module), nullptr, runtime::SessionOptions{});
  return [session, ports](const quantize::Sample& sample) {
    std::vector<graph::Bytes> inputs;
    for (const runtime::Port& port : ports) inputs.push_back(sample.at(port.name));
    std::vector<std::vector<float>> result;
    for (const runtime::Bytes& bytes : session->run_model(inputs).outputs) {
      result.emplace_back(bytes.size() / sizeof(float));
      std::memcpy(result.back().data(), bytes.data(), bytes.size());
    }
    return result;
  };
}

/// `run` with a line on a terminal.
quantize::Run with_progress(quantize::Run run, std::size_t samples) {
  const StatusLine line;
  if (!line.on_terminal()) return run;
  auto done = std::make_shared<std::size_t>(0);
  return [run = std::move(run), samples, done, line](const quantize::Sample& sample) {
    auto result = run(sample);
    ++*done;
    line.print(fmt::format("{} of {} passes over samples", *done, 2 * samples));
    if (*done == 2 * samples) line.clear();
    return result;
  };
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

void quantise(QuantizeFlags& f, const Context& context) {
  f.options.method = kRanges.at(f.range);
  VDLA_CHECK_USER(f.options.method == RangeMethod::Percentile || f.command->count("--percentile") == 0)
      << "--percentile is for --range percentile, --range is " << f.range << "; leave one of them out";
  f.options.correct_bias = !f.no_bias_correction;
  graph::Bytes model = import::read_file(f.model);
  VDLA_CHECK_USER(file_kind(model) != FileKind::TfLite)
      << f.model
      << " is a TFLite model; the quantiser takes float networks as ONNX: export the network as ONNX, or "
         "convert it "
         "with 8-bit integers";
  import::ImportOptions options;
  options.from = f.cut.from;
  options.until = f.cut.until;
  if (import::is_cut(options)) model = import::cut_onnx(model, f.model, options);
  const runtime::Module module = on_cpu(model, f.model);
  const Preprocessing kept = f.cut.from.empty() ? import::read_metadata(f.model).pixels : Preprocessing{};
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
  context.report(object, [&] { print_quantized(object, result, f, samples.size()); });
}

}  // namespace

void add_quantize(CLI::App& app, Context& context) {
  auto f = std::make_shared<QuantizeFlags>();
  CLI::App* c = add_command(
      app, context, "quantize", "Quantise a float ONNX network to int8 (QDQ) with sample inputs",
      "Weights get a scale per output channel, activations one each from the samples, biases are corrected "
      "for\n"
      "what rounding the weights adds on average. The table shows signal to noise by layer and tensor.\n"
      "example: vdla quantize net.onnx --calibration images/ --normalise scale=0.00392157 -o net_int8.onnx\n"
      "         vdla compile net_int8.onnx -o net.vdla",
      [f, &context] { quantise(*f, context); });
  f->command = c;
  std::vector<std::string> names;
  for (const auto& [name, method] : kRanges) names.push_back(name);
  c->add_option("model", f->model, "Float network (.onnx)")->required();
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
  f->cut.add_to(*c);
  f->pixels.add_to(*c);
}

}  // namespace vdla::tools
