// SPDX-License-Identifier: Apache-2.0
// vdla explain: where each node of a network runs, why, at what cost, and what is copied because of it; how
// layers are scheduled, and their loops.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "runtime/session/port.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/nearest.h"
#include "support/path.h"
#include "tools/common/table.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/gpu_report.h"
#include "tools/vdla/common/mac_share.h"
#include "tools/vdla/common/trust.h"
#include "tools/vdla/compile/compile_flags.h"
#include "tools/vdla/compile/layer_watch.h"
#include "tools/vdla/compile/module_info.h"
#include "tools/vdla/compile/schedule_files.h"
#include "tools/vdla/explain/failure_words.h"
#include "tools/vdla/explain/insn_ranges.h"
#include "tools/vdla/explain/memory.h"
#include "tools/vdla/explain/post_mortem.h"
#include "tools/vdla/explain/refusals.h"
#include "tools/vdla/explain/tensors.h"

namespace vdla::tools {
namespace {

struct ExplainFlags {
  std::string file, module, failure;
  std::vector<std::string> schedules, loops;
  pipeline::WrittenSchedules written;  ///< schedules of --schedule LAYER=FILE
  CompileFlags compile;
  MemoryFlags memory;
  TensorFlags tensors;
  TrustFlag trust;
};

/// A layer that was asked for.
struct ExplainedLayer {
  runtime::NodeInfo node;
  std::optional<std::vector<FunctionText>> schedules, loops;
};

struct Explained {
  runtime::Module module;
  std::vector<ExplainedLayer> layers;
};

const runtime::NodeInfo& node_of(const runtime::Module& m, const std::string& name) {
  const auto found = std::ranges::find(m.nodes, name, &runtime::NodeInfo::name);
  if (found != m.nodes.end()) return *found;
  std::vector<std::string> names;
  for (const auto& n : m.nodes) names.push_back(n.name);
  throw UserError(fmt::format("'{}' has no node '{}'{} (vdla explain lists them)", m.model_name, name,
                              did_you_mean(name, names)));
}

/// Each layer once, in the order of the command line, with what was asked of it.
std::vector<ExplainedLayer> layers_of(const ExplainFlags& f, const runtime::Module& m,
                                      const std::function<LayerTexts(const runtime::NodeInfo&)>& texts) {
  std::vector<ExplainedLayer> layers;
  const auto layer = [&](const std::string& name) -> ExplainedLayer& {
    const auto known = std::ranges::find_if(layers, [&](const auto& l) { return l.node.name == name; });
    return known != layers.end() ? *known : layers.emplace_back(ExplainedLayer{node_of(m, name), {}, {}});
  };
  for (const std::string& name : f.schedules) layer(name).schedules.emplace();
  for (const std::string& name : f.loops) layer(name).loops.emplace();
  for (ExplainedLayer& l : layers) {
    LayerTexts found = texts(l.node);
    if (l.schedules) l.schedules = std::move(found.schedules);
    if (l.loops) l.loops = std::move(found.loops);
  }
  return layers;
}

/// Ends the command with a report where operators of the network are refused.
graph::Graph network_of(const ExplainFlags& f, const Context& context) {
  try {
    return kit::read_network(f.file, f.compile.import_options());
  } catch (const import::Refused& refused) {
    if (refused.report == nullptr) throw;
    report_refusals(f.file, refused.what(), *refused.report, context);
    throw Difference{};
  }
}

Explained explain_network(const ExplainFlags& f, const Context& context) {
  f.trust.refuse_for("a network");
  pipeline::CompileOptions options = f.compile.options();
  options.machine_code = false;
  options.schedules = f.written;
  LayerWatch watch;
  if (!f.schedules.empty() || !f.loops.empty()) options.observer = watch.observer();
  const pipeline::CompiledModel model = pipeline::compile(network_of(f, context), options);
  Explained result{kit::to_module(model), {}};
  require_not_on_gpu(f.written, result.module);
  result.layers = layers_of(f, result.module, [&](const runtime::NodeInfo& n) {
    if (n.step < 0) return LayerTexts{};
    const auto* host = std::get_if<pipeline::HostStep>(&model.steps.at(static_cast<std::size_t>(n.step)));
    return watch.of(host ? host->kernel.node : n.name, n.place == "gpu" ? options.gpu->kind : "");
  });
  return result;
}

/// A module keeps the loops of its kernels on the CPU, no schedules, and of the device the instructions.
Explained explain_module(const ExplainFlags& f) {
  const std::vector<std::string> given = f.compile.given();
  VDLA_CHECK_USER(given.empty()) << given[0] << " says how a network is compiled, and '" << f.file
                                 << "' is a compiled module; leave it out, or give the network";
  Explained result{f.trust.load(f.file), {}};
  const runtime::Module& m = result.module;
  const std::string made_by =
      m.provenance.command.empty() ? "" : fmt::format(" (this one was made by '{}')", m.provenance.command);
  const auto refuse = [&](const runtime::NodeInfo& n, const char* what) {
    throw UserError(fmt::format(
        "'{}': a module does not keep the {} of '{}'; give vdla explain the network, with the options of the "
        "compile{}",
        f.file, what, n.name, made_by));
  };
  result.layers = layers_of(f, m, [&](const runtime::NodeInfo& n) {
    if (n.step < 0) return LayerTexts{};
    if (std::ranges::count(f.schedules, n.name) != 0) refuse(n, "schedules");
    const auto* host = std::get_if<runtime::HostStep>(&m.steps.at(static_cast<std::size_t>(n.step)));
    if (host == nullptr) refuse(n, "loops");
    const loop::Func lowered = passes::lower(passes::cpu_target(), loop::parse(host->loop_ir));
    return LayerTexts{{}, {{host->kernel, host->loop_ir, "", loop::to_string(lowered)}}};
  });
  return result;
}

nlohmann::ordered_json json_of(const FunctionText& f, const char* text) {
  nlohmann::ordered_json json{{"function", f.name}, {text, f.text}};
  if (!f.tensorized.empty()) json["tensorized"] = f.tensorized;
  if (!f.lowered.empty()) json["lowered"] = f.lowered;
  return json;
}

/// Inputs or outputs as the model's file has them, by the names that vdla run takes.
nlohmann::ordered_json ports_json(const runtime::Module& m, const std::vector<runtime::Port>& ports) {
  auto rows = nlohmann::ordered_json::array();
  for (const runtime::Port& port : ports) {
    nlohmann::ordered_json row{
        {"name", port.name}, {"type", name_of(port.model_type)}, {"shape", port.model_shape}};
    const auto scale = runtime::scale_of(m, port);
    if (scale && port.model_type != runtime::DataType::Float32)
      row.update({{"scale", scale->scale}, {"zero_point", scale->zero_point}});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Values that are kept from one run to the next.
nlohmann::ordered_json states_json(const runtime::Module& m) {
  auto rows = nlohmann::ordered_json::array();
  for (const runtime::State& state : m.states) {
    const runtime::Tensor& t = m.tensors[state.begin];
    rows.push_back({{"name", t.name}, {"type", runtime::name_of(t.type)}, {"shape", t.shape}});
  }
  return rows;
}

/// The function of a step on a GPU.
nlohmann::ordered_json gpu_json(const runtime::Module& m, const runtime::NodeInfo& node) {
  auto json = nlohmann::ordered_json::object();
  if (node.place != "gpu" || node.step < 0) return json;
  const auto step = static_cast<std::size_t>(node.step);
  const runtime::GpuSegment& segment = *runtime::segment_of(m, step);
  for (const runtime::NodeInfo& n : m.nodes)
    if (n.step == node.step) json["nodes"].push_back(n.name);
  const runtime::GpuLayer& layer = segment.layers.at(step - segment.first_step);
  json["template"] = layer.by;
  if (!layer.knobs.empty()) json["knobs"] = layer.knobs;
  return json;
}

nlohmann::ordered_json json_of(const runtime::Module& m, const ExplainedLayer& layer) {
  nlohmann::ordered_json json{{"name", layer.node.name},
                              {"op", layer.node.op},
                              {"place", layer.node.place},
                              {"reason", layer.node.reason}};
  json.update(gpu_json(m, layer.node));
  const auto add = [&](const char* key, const char* text,
                       const std::optional<std::vector<FunctionText>>& functions) {
    if (!functions) return;
    json[key] = nlohmann::ordered_json::array();
    for (const FunctionText& one : *functions) json[key].push_back(json_of(one, text));
  };
  add("schedules", "schedule", layer.schedules);
  add("loops", "loops", layer.loops);
  return json;
}

/// Headings are comments of loop IR.
void print_text(const std::string& heading, const FunctionText& f, const std::string& text) {
  fmt::print("\n# {} of {}\n{}{}", heading, f.name, text, text.ends_with('\n') ? "" : "\n");
}

void print(const ExplainedLayer& layer) {
  const runtime::NodeInfo& n = layer.node;
  fmt::print("# {}\n", comment_text(fmt::format("{} ({}), {}: {}", n.name, n.op, n.place, n.reason)));
  const bool none = (!layer.schedules || layer.schedules->empty()) && (!layer.loops || layer.loops->empty());
  if (none) fmt::print("# it has no function of its own\n");
  if (layer.schedules)
    for (const FunctionText& f : *layer.schedules) fmt::print("\n{}", schedule_text(n.name, {f}));
  if (!layer.loops) return;
  for (const FunctionText& f : *layer.loops) {
    print_text("loops", f, f.text);
    if (!f.tensorized.empty()) print_text("tensorized loops", f, f.tensorized);
    if (!f.lowered.empty()) print_text("lowered loops", f, f.lowered);
  }
}

/// The reason, less the costs of nodes that go together where another of them has said that.
std::string without_said(const std::string& reason, std::set<std::string>& said) {
  static const std::regex kCosts("(; |: |^)([0-9]+ (node|step)s? together: [^;]*)");
  std::smatch costs;
  if (!std::regex_search(reason, costs, kCosts) || said.insert(costs[2]).second) return reason;
  return costs.prefix().str() + costs.suffix().str();
}

void print_nodes(nlohmann::ordered_json nodes) {
  std::set<std::string> said;
  for (auto& node : nodes) {
    node["reason"] = without_said(node["reason"], said);
    if (node["step"] < 0) node["step"] = nullptr;
    if (node.contains("insns"))
      node["numbers"] = fmt::format("{}..{}", node["insns"]["first"].get<std::uint32_t>(),
                                    node["insns"]["last"].get<std::uint32_t>());
  }
  print_table(nodes, "node|operator|place|step|instructions|MACs|est. cycles|to device|from dev.|reason",
              "{name:<4+} {op:<16} {place:<6} {step:>4} {numbers:>12} {macs:>11} {estimated_cycles:>11.0f} "
              "{bytes_to_device:>10} {bytes_from_device:>10}  {reason}");
}

void refuse_for_post_mortem(const ExplainFlags& f) {
  std::vector<std::string> given = f.compile.given();
  if (!f.schedules.empty()) given.emplace_back("--schedule");
  if (!f.loops.empty()) given.emplace_back("--loops");
  if (f.memory.wanted()) given.emplace_back("--memory");
  if (f.tensors.wanted()) given.emplace_back("--tensors");
  if (!f.failure.empty()) given.emplace_back("--failure");
  VDLA_CHECK_USER(given.empty()) << given[0] << " is of a network or a module, and '" << f.file
                                 << "' is a folder with a post-mortem; leave it out";
}

/// Reads the files of --schedule LAYER=FILE; a name with a '=' that no file follows is that of a layer.
void read_schedules(ExplainFlags& f) {
  for (std::string& text : f.schedules) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || !is_file(text.substr(equals + 1))) continue;
    const LayerFile from = layer_file(text);
    read_schedule(from, f.written);
    text = from.layer;
  }
}

void explain(ExplainFlags& f, const Context& context) {
  read_schedules(f);
  VDLA_CHECK_USER(f.written.empty() ||
                  (!is_post_mortem(f.file) && kit::input_kind(f.file) != kit::InputKind::Module))
      << "--schedule LAYER=FILE says how a network is compiled, and '" << f.file
      << "' is compiled; give the network, or leave =FILE out";
  if (is_post_mortem(f.file)) {
    refuse_for_post_mortem(f);
    return explain_post_mortem(f.file, f.module, f.trust, context);
  }
  VDLA_CHECK_USER(f.module.empty()) << "--module is for a post-mortem, and '" << f.file
                                    << "' is no folder; leave it out";
  const Explained explained =
      kit::input_kind(f.file) == kit::InputKind::Module ? explain_module(f) : explain_network(f, context);
  const runtime::Module& m = explained.module;
  if (!f.failure.empty()) return explain_failure(f.failure, m, context);
  nlohmann::ordered_json out{{"model", m.model_name},
                             {"target", m.target},
                             {"variant", isa::label(m.variant)},
                             {"producer", m.provenance.producer}};
  out["inputs"] = ports_json(m, m.inputs);
  out["outputs"] = ports_json(m, m.outputs);
  if (!m.states.empty()) out["states"] = states_json(m);
  const MacShare share = mac_share(m);
  const InsnRanges ranges = insn_ranges(m);
  for (const auto& n : m.nodes) {
    out["nodes"].push_back({{"name", n.name},
                            {"op", n.op},
                            {"place", n.place},
                            {"reason", n.reason},
                            {"tensors", sources_json(n.sources)},
                            {"constants", sources_json(n.constants)},
                            {"step", n.step},
                            {"macs", n.macs},
                            {"estimated_cycles", n.estimated_cycles},
                            {"bytes_to_device", n.bytes_to_device},
                            {"bytes_from_device", n.bytes_from_device}});
    if (const auto insns = ranges.find({n.step, n.name}); insns != ranges.end())
      out["nodes"].back()["insns"] = {
          {"first", insns->second.first}, {"last", insns->second.last}, {"count", insns->second.count}};
  }
  for (const ExplainedLayer& layer : explained.layers) out["layers"].push_back(json_of(m, layer));
  if (!m.preprocessing.empty()) out["preprocessing"] = to_string(m.preprocessing);
  if (!m.class_names.empty()) out["class_names"] = m.class_names;
  for (const auto& s : m.other_sections) out["unknown_sections"].push_back(s.name);
  if (!m.gpu.empty()) out["gpu"] = gpu_programs_json(m);
  out["macs"] = share.macs;
  out["macs_on_device"] = share.on_device;
  if (f.memory.wanted()) out["memory"] = f.memory.json(m);
  const std::vector<TensorRow> tensors = f.tensors.rows(m);
  if (f.tensors.wanted()) out["tensors"] = tensors_json(tensors);
  context.report(out, [&] {
    if (f.memory.wanted()) {
      fmt::print("{} for {}, variant {}: ", m.model_name, m.target, isa::label(m.variant));
      print_memory(out["memory"]);
    }
    if (f.tensors.wanted()) {
      if (f.memory.wanted()) fmt::print("\n");
      print_tensors(tensors);
    }
    for (const ExplainedLayer& layer : explained.layers) {
      if (f.memory.wanted() || f.tensors.wanted() || &layer != &explained.layers.front()) fmt::print("\n");
      print(layer);
    }
    if (f.memory.wanted() || f.tensors.wanted() || !explained.layers.empty()) return;
    fmt::print("{} for {}, variant {}\n\n", m.model_name, m.target, isa::label(m.variant));
    print_nodes(out["nodes"]);
    fmt::print("\n{:.2f} % of {} multiply-accumulates on the device\n", share.percent(), share.macs);
    if (out.contains("gpu")) print_gpu_programs(out["gpu"]);
    if (!m.states.empty())
      fmt::print("values kept from one run to the next: {} (eval --reset-state: none)\n", m.states.size());
    if (!m.preprocessing.empty()) fmt::print("images become the input by {}\n", to_string(m.preprocessing));
    if (!m.class_names.empty()) fmt::print("{} classes have names\n", m.class_names.size());
    if (!m.other_sections.empty())
      fmt::print("sections that this kit does not know, kept as they are: {}\n", names_of(m.other_sections));
  });
  if (f.memory.wanted() && !suffices(out["memory"])) throw Difference{};
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto f = std::make_shared<ExplainFlags>();
  CLI::App* c = add_command(
      app, context, "explain", "Print where each layer runs, why, its cost, and the copies that it causes",
      "A network is compiled first, with these options, and nothing is written. Of one with operators that\n"
      "the kit does not take, it prints all of them with reasons and remedies, and how much of the network\n"
      "would compile; the exit status is 1.\n\n"
      "The schedule of a layer is a list of primitives (compiler/schedule/script.h), its loops are loop IR\n"
      "(compiler/loop/print.h) which vdla opt reads. Loops are printed twice. On the device: with marks "
      "where\n"
      "an intrinsic shall stand, and tensorized, with the calls of intrinsics that instructions are made of\n"
      "(vdla disasm prints those). On the CPU and the GPU: as the schedule gives them, and behind the table "
      "of\n"
      "lowering (vdla opt --list-passes), which is what machine code and kernels are made of.\n\n"
      "examples: vdla explain net.vdla\n"
      "          vdla explain net.tflite --variant tiny --schedule conv2d_3 --loops conv2d_3\n"
      "          vdla explain net.tflite --target opencl --schedule conv2d_3 --loops conv2d_3   # on a GPU\n"
      "          vdla explain net.vdla --memory --board pynq-z2\n"
      "          vdla explain net.vdla --tensor conv1/Relu     # what became of that tensor of the model\n"
      "          vdla explain folder --module net.vdla    # of vdla run --post-mortem or vdla board "
      "postmortem\n"
      "          vdla explain net.vdla --failure \"status 8 of run: 3 1f 2 fffa\"   # what firmware printed",
      [f, &context] { explain(*f, context); });
  c->add_option(
       "file", f->file,
       "Compiled module (.vdla), a network (.tflite, .onnx, or graph text), or the folder of a post-mortem")
      ->required();
  c->add_option("--module", f->module, "Module that the device ran, for the folder of a post-mortem")
      ->check(CLI::ExistingFile);
  c->add_option(
       "--failure", f->failure,
       "Words that firmware without texts printed of a failed run of this network, with its status if it "
       "printed that: say what each unit was doing")
      ->type_name("WORDS");
  c->add_option("--schedule", f->schedules,
                "LAYER: print the schedule of this layer of a network; LAYER=FILE: compile it by the "
                "schedule in FILE first, as vdla compile does. May be repeated")
      ->type_name("LAYER[=FILE]")
      ->allow_extra_args(false);
  c->add_option(
       "--loops", f->loops,
       "LAYER: print the loops of this layer of a network, or of a CPU layer of a module; may be repeated")
      ->type_name("LAYER")
      ->allow_extra_args(false);
  f->memory.add_to(*c);
  f->tensors.add_to(*c);
  f->trust.add_to(*c);
  f->compile.add_to(*c, "Of a network, as for vdla compile", true);
}

}  // namespace vdla::tools
