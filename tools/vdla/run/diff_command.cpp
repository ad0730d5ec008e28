// SPDX-License-Identifier: Apache-2.0
// vdla diff: the first tensor of the model that two runs compute otherwise, and the instruction that wrote
// it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "isa/asm/asm.h"
#include "kit/module.h"
#include "kit/network.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/run/diff_sides.h"
#include "tools/vdla/run/module_run.h"
#include "tools/vdla/run/net_flags.h"
#include "tools/vdla/run/one_input.h"
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
};

bool is_engine(const std::string& name) {
  const auto names = kit::engine_names();
  return std::ranges::find(names, name) != names.end();
}

bool is_of_files(const std::string& path) {
  std::error_code none;
  return std::filesystem::path(path).extension() == ".npz" || std::filesystem::is_directory(path, none);
}

/// Another side than the one that NET gives.
Side other_side(const DiffFlags& f, const graph::Graph& network, const Net& net, const Side& left,
                const Sample& sample, const Context& context) {
  const std::string& what = f.against;
  if (what == "interpreter") return side_of_interpreter(net.module, left.read);
  if (what == "cpu") return side_of_network("the CPU", network, net.module, sample);
  if (is_engine(what)) {
    VDLA_CHECK_USER(what != f.place.device.engine.engine || f.place.on_board())
        << "--against " << what << " is --engine already, needs another one";
    VDLA_CHECK_USER(runtime::needs_device(net.module))
        << net.file << ": has nothing on the device, which engine " << what << " stands for";
    return side_of_run(what, [&f, &net, &sample, &context, what](kit::RunProbe& probe) {
      kit::SessionOptions options;
      f.place.set(options, net.module, context, what);
      options.probe = &probe;
      kit::Session(net.module, what, options).run_model({sample.bytes});
    });
  }
  if (is_of_files(what)) return side_of_files(what, kit::model_tensors(network, left.read));
  if (kit::is_module(what)) {
    Side side = side_of_run(what, [&](kit::RunProbe& probe) {
      const Net other{what, runtime::load(what)};
      kit::SessionOptions options;
      f.place.set(options, other.module, context);
      run_probed(f.place, other, options, {sample.bytes}, probe, context);
    });
    side.run = {};  // another program: its instructions are others
    return side;
  }
  VDLA_CHECK_USER(kit::is_network(what))
      << "--against '" << what << "' is nothing to compare with; needs "
      << fmt::format("{}", fmt::join(kit::engine_names(), ", "))
      << ", interpreter, cpu, a folder or .npz of tensors, a module or a network";
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

double snr_db(const std::vector<double>& have, const std::vector<double>& want) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < have.size(); ++i) {
    signal += want[i] * want[i];
    noise += (have[i] - want[i]) * (have[i] - want[i]);
  }
  return noise == 0 ? INFINITY : signal == 0 ? -INFINITY : 10 * std::log10(signal / noise);
}

/// Signal to noise of each tensor that both networks have, and what each loses beside its operands.
ordered_json noise_rows(const Side& left, const Side& right) {
  std::map<std::string, double> of_node;
  ordered_json rows = ordered_json::array();
  for (const ModelTensor& t : left.tensors) {
    const auto other = std::ranges::find(right.tensors, t.name, &ModelTensor::name);
    if (other == right.tensors.end() || other->in_model_order != t.in_model_order) continue;
    const std::vector<double> a = reals_of(t), b = reals_of(*other);
    if (a.size() != b.size() || a.empty()) continue;
    const double snr = snr_db(a, b);
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    ordered_json row{{"name", t.name}, {"node", t.node}, {"largest_error", largest}};
    if (std::isfinite(snr)) row["snr_db"] = snr;
    if (of_node.emplace(t.node, snr).second) {
      double before = INFINITY;
      for (const std::string& node : t.reads)
        if (const auto operand = of_node.find(node); operand != of_node.end())
          before = std::min(before, operand->second);
      if (std::isfinite(before) && std::isfinite(snr)) row["lost_db"] = before - snr;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void report_noise(const Side& left, const Side& right, ordered_json out, const Context& context) {
  const ordered_json rows = noise_rows(left, right);
  VDLA_CHECK_USER(!rows.empty()) << right.name << ": no tensor is called as one of the network, '"
                                 << left.tensors.at(0).name << "' for one";
  out["tensors"] = rows;
  const ordered_json* worst = nullptr;
  for (const ordered_json& row : rows)
    if (row.contains("lost_db") && (worst == nullptr || row["lost_db"] > (*worst)["lost_db"])) worst = &row;
  if (worst != nullptr) out["costs_most"] = *worst;
  context.report(out, [&] {
    print_table(rows, "tensor|SNR dB|lost dB|largest error",
                "{name:<40+} {snr_db:>8.1f} {lost_db:>8.1f} {largest_error:>14.6g}");
    if (worst != nullptr)
      fmt::print("most is lost at '{}': {:.1f} dB less than before it\n", (*worst)["name"].get<std::string>(),
                 (*worst)["lost_db"].get<double>());
  });
}

/// Whether two runs of one module made the same, so that what is computed of it is the same as well.
bool made_the_same(const Side& left, const Side& right) {
  return left.run && right.run && left.read.digests() == right.read.digests() &&
         left.read.tensors() == right.read.tensors();
}

/// Reports the first difference; false: there is none.
bool report_difference(const DiffFlags& f, const runtime::Module& module, const Sample& sample,
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
  out["compared"] = compared;
  out["differing"] = differing;
  std::optional<kit::InsnPlace> culprit;
  if (left.run && right.run) culprit = kit::first_insn_that_differs(left.read, right.read);
  if (first != nullptr) {
    out["first"] = {{"name", first->name},
                    {"node", first->node},
                    {"index", difference->index},
                    {"left", difference->left},
                    {"right", difference->right},
                    {"elements_differing", difference->differing},
                    {"elements", graph::element_count(first->shape)},
                    {"largest_difference", difference->largest}};
    if (const auto between = on_the_way(left.tensors, *first); !between.empty())
      out["first"]["on_the_way"] = between;
    // The writer depends on the program alone, so the fastest engine finds it.
    const auto on_functional = [&](kit::RunProbe& probe) {
      kit::SessionOptions options;
      options.probe = &probe;
      kit::Session(module, "functional", options).run_model({sample.bytes});
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
          "'{}' differs first, of node '{}': {} of {} elements; [{}] is {:.9g} on {} and {:.9g} on {}\n",
          first->name, first->node, difference->differing, graph::element_count(first->shape),
          fmt::join(difference->index, ", "), difference->left, left.name, difference->right, right.name);
      if (out["first"].contains("on_the_way"))
        fmt::print("  the run keeps nothing of {} on the way there: the fault may be in one of these\n",
                   fmt::join(out["first"]["on_the_way"].get<std::vector<std::string>>(), ", "));
      if (out["first"].contains("written_by")) print_insn("written by", out["first"]["written_by"]);
      fmt::print("{} of {} tensors differ\n", differing, compared);
    }
    if (culprit) print_insn("the first that wrote otherwise is", out["first_insn"]);
  });
  return first != nullptr || culprit;
}

void diff(const DiffFlags& f, const Context& context) {
  const Net net = f.net.load(f.place.device.remote, context);
  const std::string source = net.network_file(f.model);
  const graph::Graph network = kit::read_network(source);
  const Sample sample = f.input.sample(net.module, "diff", context);
  const auto run = [&](kit::RunProbe& probe) {
    kit::SessionOptions options;
    f.place.set(options, net.module, context, is_engine(f.against) ? f.against : "");
    run_probed(f.place, net, options, {sample.bytes}, probe, context);
  };
  const bool on_device = runtime::needs_device(net.module);
  const std::string place = f.place.on_board() ? f.place.name() : f.place.device.engine.engine;
  Side left = side_of_run(on_device ? place : "the CPU", run);
  if (!on_device || f.place.on_board()) left.run = {};  // nothing tells what instructions write
  Side right = other_side(f, network, net, left, sample, context);
  ordered_json out{{"model", net.module.model_name}, {"left", left.name}, {"right", right.name}};
  if (made_the_same(left, right)) {
    out["compared"] = left.read.tensors().size();
    out["differing"] = 0;
    return context.report(out, [&] {
      fmt::print("{} and {} make the same {} values by the same writes of {} instructions\n", left.name,
                 right.name, left.read.tensors().size(), left.read.digests().size());
    });
  }
  for (Side* side : {&left, &right})
    if (side->tensors.empty()) side->tensors = kit::model_tensors(network, side->read);
  std::error_code none;
  if (kit::is_network(f.against) && !is_of_files(f.against) && !kit::is_module(f.against) &&
      !std::filesystem::equivalent(f.against, source, none))
    return report_noise(left, right, out, context);
  if (report_difference(f, net.module, sample, left, right, out, context)) throw Difference{};
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  auto f = std::make_shared<DiffFlags>();
  CLI::App* c = add_command(
      app, context, "diff", "Find the first tensor that two runs of a network compute otherwise",
      "Each tensor of the model is compared, in the order of its nodes. The first that differs is named with "
      "its "
      "first\n"
      "element, and, on an engine, with the instruction, layer and loops that wrote it; of two engines, the "
      "first "
      "instruction\n"
      "that wrote something else is named as well. Tensors that a run makes nowhere whole are computed from "
      "those "
      "before them.\n"
      "--against takes an engine (functional, systemc, rtl), interpreter (the meaning of each node), cpu, a "
      "folder "
      "or .npz of\n"
      "recorded tensors (vdla run --tensors, numpy.savez), another module of the same network, or another "
      "network "
      "whose\n"
      "tensors have the same names: the float network, say, beside which signal to noise of each tensor is "
      "printed.\n"
      "Exit status 1 when something differs.\n"
      "example: vdla diff net.tflite --engine rtl --against interpreter --input photo.jpg\n"
      "         vdla diff net.vdla --model net.onnx --engine rtl --against systemc --random-input 1\n"
      "         vdla diff net_int8.onnx --against net.onnx --input photo.jpg    # where does accuracy go?\n"
      "         vdla diff net.onnx --against recorded.npz --steps 1 --input x.npy",
      [f, &context] { GpuFlags::with_remedy([&] { diff(*f, context); }); });
  f->net.add_to(*c);
  f->place.add_to(*c, false);
  f->input.add_to(*c);
  c->add_option("--against", f->against, "Other side: an engine, interpreter, cpu, or a file")->required();
  c->add_option("--model", f->model, "Network that the module was compiled of");
  c->add_option("--steps", f->tolerance.steps, "Steps of its scale that a quantised tensor may differ by")
      ->check(positive_number(true))
      ->capture_default_str();
  c->add_option("--tolerance", f->tolerance.relative,
                "Part of its largest magnitude that any other tensor may differ by, as 1e-5")
      ->check(positive_number(true))
      ->capture_default_str();
}

}  // namespace vdla::tools
