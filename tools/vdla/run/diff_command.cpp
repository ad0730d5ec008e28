// SPDX-License-Identifier: Apache-2.0
// vdla diff: the first tensor of the model that differs between two runs, and the instruction that wrote it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "isa/asm/asm.h"
#include "kit/module.h"
#include "kit/network.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/one_input.h"
#include "tools/vdla/run/diff_sides.h"
#include "tools/vdla/run/module_run.h"
#include "tools/vdla/run/net_flags.h"
#include "tools/vdla/run/tensor_values.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct DiffFlags {
  NetFlags net;
  ModuleRunFlags place;
  OneInputFlags input;
  std::string against, model;
  Tolerance tolerance;
  const CLI::App* command = nullptr;
};

bool is_engine(const std::string& name) {
  const auto names = kit::engine_names();
  return std::ranges::find(names, name) != names.end();
}

bool is_of_files(const std::string& path) {
  std::error_code none;
  return std::filesystem::path(path).extension() == ".npz" || std::filesystem::is_directory(path, none);
}

/// Whether the left side is machine code of this CPU alone.
bool is_cpu(const runtime::Module& module) { return !runtime::needs_device(module) && module.gpu.empty(); }

/// Runs the module on another engine.
Side side_of_engine(const DiffFlags& f, const Net& net, const NetworkSample& sample, const Context& context) {
  const std::string engine = f.against;
  VDLA_CHECK_USER(runtime::needs_device(net.module))
      << net.file << ": has nothing on the device, which engine " << engine << " stands for";
  VDLA_CHECK_USER(engine != f.place.device.engine.engine || f.place.on_board())
      << "both sides run on " << engine << "; name another engine with --engine or --against";
  return side_of_run(engine, [&f, &net, &sample, &context, engine](kit::RunProbe& probe) {
    kit::SessionOptions options;
    f.place.set(options, net.module, context, engine);
    options.probe = &probe;
    kit::Session(net.module, engine, options).run_model(sample.inputs);
  });
}

/// Runs another module of the network where the first one ran.
Side side_of_module(const DiffFlags& f, const graph::Graph& network, const NetworkSample& sample,
                    const Context& context) {
  const Net other{f.against, f.net.load_module(f.against)};
  Side side = side_of_run(f.against, [&](kit::RunProbe& probe) {
    kit::SessionOptions options;
    f.place.set(options, other.module, context);
    run_probed(f.place, other, options, sample.inputs, probe, context);
  });
  side.run = {};  // another program: its instructions are others
  side.tensors = kit::model_tensors(network, other.module, side.read);
  return side;
}

Side other_side(const DiffFlags& f, const graph::Graph& network, const Net& net, const Side& left,
                const NetworkSample& sample, const Context& context) {
  const std::string& what = f.against;
  if (what == "interpreter") return side_of_interpreter(network, net.module, left.read);
  if (what == "cpu") {
    VDLA_CHECK_USER(!is_cpu(net.module))
        << net.file << ": runs on the CPU already; name another side, interpreter say";
    return side_of_network("the CPU", network, net.module, sample);
  }
  if (is_engine(what)) return side_of_engine(f, net, sample, context);
  if (is_of_files(what)) return side_of_files(what, left.tensors);
  if (kit::is_module(what)) return side_of_module(f, network, sample, context);
  VDLA_CHECK_USER(kit::is_network(what))
      << "--against '" << what << "' is nothing to compare with; needs "
      << fmt::format("{}", fmt::join(kit::engine_names(), ", "))
      << ", interpreter, cpu, a folder or .npz of tensors, a module or a network";
  VDLA_CHECK_USER(f.tolerance.steps == 0 && f.tolerance.relative == 0)
      << "--steps and --tolerance are for the same network; beside " << what << " noise is printed";
  return side_of_network(what, kit::read_network(what), net.module, sample);
}

/// Tensors on the way to the one that differs of which the run keeps nothing, first ones first.
std::vector<std::string> on_the_way(const std::vector<ModelTensor>& tensors, const ModelTensor& differs) {
  std::map<std::string, const ModelTensor*> by_node;
  for (const ModelTensor& t : tensors) by_node.emplace(t.node, &t);
  std::vector<std::string> names;
  std::set<std::string> seen{differs.node};
  std::vector<const ModelTensor*> open{&differs};
  while (!open.empty() && !differs.recomputed) {
    const ModelTensor& t = *open.back();
    open.pop_back();
    for (const std::string& node : t.reads) {
      const auto made = by_node.find(node);
      if (made == by_node.end() || !made->second->recomputed || !seen.insert(node).second) continue;
      names.push_back(made->second->name);
      open.push_back(made->second);
    }
  }
  std::ranges::reverse(names);
  return names;
}

ordered_json insn_json(const runtime::Module& module, const kit::InsnPlace& place) {
  const isa::Program& program = std::get<runtime::DeviceStep>(module.steps[place.step]).program;
  ordered_json json{{"step", place.step},
                    {"insn", place.insn},
                    {"text", isa::to_text(program.insns.at(place.insn))},
                    {"source", program.source_map.describe(place.insn)}};
  if (const isa::SourceLayer* layer = program.source_map.layer_of(place.insn)) json["layer"] = layer->name;
  return json;
}

void print_insn(const char* what, const ordered_json& insn) {
  fmt::print("{} instruction {} of step {}: {}\n", what, insn["insn"].get<std::uint32_t>(),
             insn["step"].get<std::size_t>(), insn["text"].get<std::string>());
  if (const std::string source = insn["source"]; !source.empty()) fmt::print("  of {}\n", source);
  if (insn.contains("wrote")) {
    const ordered_json& wrote = insn["wrote"];
    fmt::print("  {}: {} and {}\n", wrote["place"].get<std::string>(), wrote["left"].get<unsigned>(),
               wrote["right"].get<unsigned>());
  }
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double snr_db(const std::vector<double>& have, const std::vector<double>& want) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < have.size(); ++i) {
    signal += want[i] * want[i];
    noise += (have[i] - want[i]) * (have[i] - want[i]);
  }
  if (noise == 0) return kInfinite;
  return signal == 0 ? -kInfinite : 10 * std::log10(signal / noise);
}

/// Values of one tensor on both sides: signal to noise, largest error.
ordered_json noise_row(const ModelTensor& t, const std::vector<double>& have,
                       const std::vector<double>& want) {
  const double snr = snr_db(have, want);
  double largest = 0;
  for (std::size_t i = 0; i < have.size(); ++i) {
    const double apart = std::abs(have[i] - want[i]);
    largest = std::isnan(apart) || std::isnan(largest) ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::max(largest, apart);
  }
  ordered_json row{{"name", t.name}, {"node", t.node}};
  if (std::isfinite(snr)) row["snr_db"] = snr;
  if (std::isfinite(largest)) row["largest_error"] = largest;
  row["kind"] = largest == 0              ? "equal"
                : std::isnan(largest)     ? "not a number"
                : !std::isfinite(largest) ? "infinite"
                : std::isfinite(snr)      ? ""
                                          : "no signal";
  return row;
}

/// Rows of each tensor that both networks have, and what each loses beside its operands.
ordered_json noise_rows(const Side& left, const Side& right) {
  std::map<std::string, double> of_node;
  ordered_json rows = ordered_json::array();
  for (const ModelTensor& t : left.tensors) {
    const auto other = std::ranges::find(right.tensors, t.name, &ModelTensor::name);
    if (other == right.tensors.end() || other->in_model_order != t.in_model_order) continue;
    const std::vector<double> a = reals_of(t), b = reals_of(*other);
    if (a.size() != b.size() || a.empty()) continue;
    ordered_json row = noise_row(t, a, b);
    const bool has_noise = row.contains("snr_db");
    if (has_noise && of_node.emplace(t.node, row["snr_db"]).second) {
      double before = kInfinite;
      for (const std::string& node : t.reads)
        if (const auto operand = of_node.find(node); operand != of_node.end())
          before = std::min(before, operand->second);
      if (std::isfinite(before)) row["lost_db"] = before - row["snr_db"].get<double>();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void report_noise(const Side& left, const Side& right, ordered_json out, const Context& context) {
  const ordered_json rows = noise_rows(left, right);
  VDLA_CHECK_USER(rows.size() > 1) << right.name
                                   << ": no tensor but the input is called as one of the network, '"
                                   << left.tensors.back().name << "' for one";
  out["tensors"] = rows;
  out["without_counterpart"] = left.tensors.size() - rows.size();
  const ordered_json* worst = nullptr;
  for (const ordered_json& row : rows)
    if (row.contains("lost_db") && (worst == nullptr || row["lost_db"] > (*worst)["lost_db"])) worst = &row;
  if (worst != nullptr) out["costs_most"] = *worst;
  context.report(out, [&] {
    print_table(rows, "tensor|SNR dB|lost dB|largest error|",
                "{name:<40+} {snr_db:>8.1f} {lost_db:>8.1f} {largest_error:>14.6g} {kind}");
    if (worst != nullptr)
      fmt::print("most is lost at '{}': {:.1f} dB less than before it\n", (*worst)["name"].get<std::string>(),
                 (*worst)["lost_db"].get<double>());
    if (rows.size() < left.tensors.size())
      fmt::print("{} tensors have no counterpart in {}\n", left.tensors.size() - rows.size(), right.name);
  });
}

/// Whether two runs of one module made the same, so that what is computed of it is the same as well.
bool made_the_same(const Side& left, const Side& right) {
  return left.run && right.run && left.read.digests() == right.read.digests() &&
         left.read.tensors() == right.read.tensors();
}

/// Reports the first difference; false: there is none.
bool report_difference(const DiffFlags& f, const runtime::Module& module, const NetworkSample& sample,
                       const Side& left, const Side& right, ordered_json out, const Context& context) {
  std::map<std::string, const ModelTensor*> others;
  for (const ModelTensor& t : right.tensors) others.emplace(t.name, &t);
  const ModelTensor* first = nullptr;
  std::optional<TensorDifference> difference;
  std::size_t compared = 0, differing = 0;
  for (const ModelTensor& t : left.tensors) {
    const auto other = others.find(t.name);
    if (other == others.end() || other->second->in_model_order != t.in_model_order) continue;
    ++compared;
    const auto found = tools::difference(t, *other->second, f.tolerance);
    if (!found) continue;
    ++differing;
    if (first != nullptr) continue;
    first = &t;
    difference = found;
  }
  const auto computed =
      static_cast<std::size_t>(std::ranges::count_if(left.tensors, &ModelTensor::recomputed));
  out["compared"] = compared;
  out["differing"] = differing;
  out["read"] = left.tensors.size() - computed;
  out["without_counterpart"] = left.tensors.size() - compared;
  std::optional<kit::InsnPlace> culprit;
  if (left.run && right.run) culprit = kit::first_insn_that_differs(left.read, right.read);
  if (first != nullptr) {
    out["first"] = {{"name", first->name},
                    {"node", first->node},
                    {"index", difference->index},
                    {"left", difference->left},
                    {"right", difference->right},
                    {"elements_differing", difference->differing},
                    {"elements", graph::element_count(first->shape)}};
    if (std::isfinite(difference->largest)) out["first"]["largest_difference"] = difference->largest;
    if (const auto between = on_the_way(left.tensors, *first); !between.empty())
      out["first"]["on_the_way"] = between;
    // The writer depends on the program alone, so the fastest engine finds it.
    const auto on_functional = [&](kit::RunProbe& probe) {
      kit::SessionOptions options;
      options.probe = &probe;
      kit::Session(module, "functional", options).run_model(sample.inputs);
    };
    if (runtime::needs_device(module))
      if (const auto writer = kit::writer_of(module, *first, difference->element, on_functional))
        out["first"]["written_by"] = insn_json(module, *writer);
  }
  if (culprit) {
    out["first_insn"] = insn_json(module, *culprit);
    if (const auto wrote = kit::written_otherwise(module, *culprit, left.run, right.run))
      out["first_insn"]["wrote"] = {{"place", wrote->place}, {"left", wrote->left}, {"right", wrote->right}};
  }
  context.report(out, [&] {
    if (first == nullptr) {
      fmt::print("{} tensors are equal on {} and {}\n", compared, left.name, right.name);
    } else {
      fmt::print(
          "'{}' differs first, of node '{}': {} of {} elements, by {:.6g} at most; [{}] is {:.9g} on {} and "
          "{:.9g} on {}\n",
          first->name, first->node, difference->differing, graph::element_count(first->shape),
          difference->largest, fmt::join(difference->index, ", "), difference->left, left.name,
          difference->right, right.name);
      if (out["first"].contains("on_the_way"))
        fmt::print("  the run keeps nothing of {} on the way there: the fault may be in one of these\n",
                   fmt::join(out["first"]["on_the_way"].get<std::vector<std::string>>(), ", "));
      if (out["first"].contains("written_by")) print_insn("written by", out["first"]["written_by"]);
      fmt::print("{} of {} tensors differ\n", differing, compared);
      if (first->quantization.empty() && f.tolerance.relative == 0)
        fmt::print("sums of real numbers depend on their order: --tolerance 1e-5 allows for that\n");
    }
    if (compared < left.tensors.size())
      fmt::print("{} tensors have no counterpart in {}\n", left.tensors.size() - compared, right.name);
    if (computed > 0)
      fmt::print("{} tensors of {} were read from the run, and {} computed from these\n",
                 left.tensors.size() - computed, left.name, computed);
    if (culprit) print_insn("the first that wrote something else is", out["first_insn"]);
  });
  return first != nullptr || culprit;
}

void diff(const DiffFlags& f, const Context& context) {
  const Net net = f.net.load(f.place.device.remote, context);
  const runtime::Module& module = net.module;
  require_device_for({"--engine", "--rtl-build", "--stall-limit", "--timeout"}, *f.command, module, net.file);
  const std::string source = net.network_file(f.model);
  const graph::Graph network = kit::read_network(source, net.import);
  const NetworkSample sample = f.input.sample(module, "diff", context);
  const auto run = [&](kit::RunProbe& probe) {
    kit::SessionOptions options;
    f.place.set(options, module, context, is_engine(f.against) ? f.against : "");
    run_probed(f.place, net, options, sample.inputs, probe, context);
  };
  const bool on_device = runtime::needs_device(module);
  const std::string engine = f.place.on_board() ? f.place.name() : f.place.device.engine.engine;
  Side left = side_of_run(on_device ? engine : is_cpu(module) ? "the CPU" : "the GPU", run);
  if (!on_device || f.place.on_board()) left.run = {};  // nothing tells what instructions write
  // Two engines that make the same need none of these.
  if (!is_engine(f.against)) left.tensors = kit::model_tensors(network, module, left.read);
  Side right = other_side(f, network, net, left, sample, context);
  ordered_json out{{"model", module.model_name}, {"left", left.name}, {"right", right.name}};
  if (made_the_same(left, right)) {
    out["values"] = left.read.tensors().size();
    out["instructions"] = left.read.digests().size();
    out["differing"] = 0;
    return context.report(out, [&] {
      fmt::print("{} and {} make the same {} values by the same writes of {} instructions\n", left.name,
                 right.name, left.read.tensors().size(), left.read.digests().size());
    });
  }
  for (Side* side : {&left, &right})
    if (side->tensors.empty()) side->tensors = kit::model_tensors(network, module, side->read);
  std::error_code none;
  if (kit::is_network(f.against) && !is_of_files(f.against) && !kit::is_module(f.against) &&
      !std::filesystem::equivalent(f.against, source, none))
    return report_noise(left, right, out, context);
  if (report_difference(f, module, sample, left, right, out, context)) throw Difference{};
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  auto f = std::make_shared<DiffFlags>();
  CLI::App* c = add_command(
      app, context, "diff", "Find the first tensor that differs between two runs of a network",
      "Each tensor of the model is compared, in the order of its nodes. The first that differs is named with "
      "its first\n"
      "element, and with the instruction, layer and loops that wrote it. Between two engines, the first "
      "instruction that\n"
      "wrote something else is named as well. A tensor that a run never holds as a whole, because layers are "
      "computed\n"
      "together, is computed from those before it.\n"
      "--against takes an engine (functional, systemc, rtl), interpreter (the meaning of each node), cpu, a "
      "folder or\n"
      ".npz of recorded tensors (vdla run --tensors, numpy.savez), or another module of the same network. "
      "Exit status 1\n"
      "when something differs.\n"
      "It also takes another network whose tensors have the same names, the float network say: then signal "
      "to noise of\n"
      "each tensor is printed, and the exit status is 0.\n"
      "example: vdla diff net.tflite --engine rtl --against interpreter --input photo.jpg\n"
      "         vdla diff net.vdla --model net.onnx --engine rtl --against systemc --random-input 1\n"
      "         vdla diff net.vdla --model net.onnx --board board.lab --against functional --input x.npy\n"
      "         vdla diff net_int8.onnx --against net.onnx --input photo.jpg    # where does accuracy go?\n"
      "         vdla diff net.onnx --against recorded.npz --steps 1 --input x.npy",
      [f, &context] { GpuFlags::with_remedy([&] { diff(*f, context); }); });
  f->command = c;
  f->net.add_to(*c);
  f->place.add_to(*c, false);
  f->input.add_to(*c);
  c->add_option("--against", f->against, "Other side: an engine, interpreter, cpu, or a file")->required();
  c->add_option("--model", f->model, "Network that the module was compiled of");
  c->add_option("--steps", f->tolerance.steps,
                "Largest difference of a quantised tensor that is none, in steps of its (largest) scale")
      ->check(positive_number(true))
      ->capture_default_str();
  c->add_option("--tolerance", f->tolerance.relative,
                "Largest difference of a tensor without a scale that is none, relative to its largest "
                "magnitude, as 1e-5")
      ->check(positive_number(true))
      ->capture_default_str();
}

}  // namespace vdla::tools
