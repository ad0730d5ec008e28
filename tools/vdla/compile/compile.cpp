// SPDX-License-Identifier: Apache-2.0
// vdla compile: a trained network to a module.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "compiler/knobs/choice.h"
#include "compiler/loop/print.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "runtime/container/module_file.h"
#include "runtime/session/arena.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/output_file.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "tools/common/model_facts.h"
#include "tools/common/model_input.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/tune/alternatives.h"
#include "tools/tune/network_tuning.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/gpu_report.h"
#include "tools/vdla/common/mac_share.h"
#include "tools/vdla/common/some_of.h"
#include "tools/vdla/compile/bundle_flags.h"
#include "tools/vdla/compile/compile_flags.h"
#include "tools/vdla/compile/schedule_files.h"

namespace vdla::tools {
namespace {

struct CompileCommandFlags {
  const CLI::App* command = nullptr;
  std::string model, output;
  CompileFlags compile;
  std::vector<std::string> print_after, schedules;
  bool kernel_lines = false, adapt = false;
  std::vector<std::string> adapt_from;
  int level = 1;
  PixelFlags pixels;
  BundleFlags bundle;
};

std::string without_folder(const LayerFile& schedule) {
  return schedule.layer + "=" + std::filesystem::path(schedule.file).filename().string();
}

/// Command line without places on this machine and without the output, whose name says nothing of the module.
std::string command_of(const CLI::App& app) {
  std::string line = "vdla compile";
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--output" || name == "--json" || name == "--print-after") continue;
    const bool is_path = name == "model" || name == "--variant" || name == "--book" || name == "--answers" ||
                         name == "--adapt-from" || name == "--certificates";
    if (option->get_items_expected_max() == 0) {
      line += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) {
      if (!option->get_positional()) line += " " + name;
      line += " " + shell_word(is_path                ? std::filesystem::path(value).filename().string()
                               : name == "--schedule" ? without_folder(layer_file(value))
                                                      : value);
    }
  }
  return line;
}

constexpr const char* kAllPasses = "all";

/// Writes what the named passes make to standard error, as it is made: what stands there when a compile fails
/// leads to the place.
class PrinterAfter {
 public:
  explicit PrinterAfter(const std::vector<std::string>& names)
      : wanted_(names.begin(), names.end()), waiting_(wanted_), all_(wanted_.contains(kAllPasses)) {
    waiting_.erase(kAllPasses);
  }

  void operator()(const pipeline::PassResult& result) {
    if (!all_ && !wanted_.contains(name_of(result.pass))) return;
    waiting_.erase(std::string(name_of(result.pass)));
    std::string heading = fmt::format("# after {}", name_of(result.pass));
    if (!result.layer.empty())
      heading += fmt::format(" of '{}', function {}", comment_text(result.layer), result.function);
    fmt::print(stderr, "{}\n{}\n", heading, result.text());
  }

  /// Wanted, and ran nowhere.
  std::vector<std::string> waiting() const { return {waiting_.begin(), waiting_.end()}; }

 private:
  std::set<std::string, std::less<>> wanted_, waiting_;
  bool all_;
};

std::string list_of_passes() {
  std::string list;
  for (const pipeline::Pass pass : pipeline::all_passes())
    list += fmt::format("\n  {:<18} {}", name_of(pass), text_of(pass));
  return list;
}

/// A name of the table, or all; ? is answered with the help page, which has the table.
CLI::Validator names_a_pass() {
  std::vector<std::string> names{kAllPasses};
  for (const pipeline::Pass pass : pipeline::all_passes()) names.emplace_back(name_of(pass));
  return CLI::Validator(
      [check = one_of(names)](std::string& name) {
        if (name == "?") throw CLI::CallForHelp();
        return check(name);
      },
      "");
}

/// Path of the loop IR of the CPU's kernels, if it is asked for.
std::string kernel_source(const CompileCommandFlags& f) { return f.output + ".loop"; }

/// -O2: the knobs that a short search finds, with what it gained for the user.
std::optional<pipeline::KnobBook> searched(const graph::Graph& graph, const pipeline::CompileOptions& options,
                                           std::vector<std::string>& notes) {
  constexpr std::int64_t kTrials = 128;
  const auto tuned = tune::search_in_passing(
      graph, options, {.jobs = std::max(1u, std::thread::hardware_concurrency())}, kTrials, notes);
  if (!tuned) {
    notes.emplace_back("-O2: no layer that has knobs runs on the device; nothing to search");
    return std::nullopt;
  }
  notes.push_back(
      fmt::format("-O2: {:.0f} cycles on the device instead of {:.0f} ({:.2f} % fewer), {} trials",
                  tuned->best, tuned->first, 100 * (1 - tuned->best / tuned->first), tuned->trials));
  return tuned->book;
}

/// Choices of the plan in the book that this network does not have, or not with its other records.
std::optional<std::string> missed_choices(const pipeline::KnobBook& book,
                                          const std::vector<pipeline::KnobTask>& tasks) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> missed;
  for (const pipeline::KnobRecord& r : book.records)
    if (r.context == pipeline::kPlanContext &&
        std::ranges::find(tasks, r.task, &pipeline::KnobTask::task) == tasks.end())
      missed.push_back(fmt::format("{} ({})", r.record, r.task));
  if (missed.empty()) return std::nullopt;
  return fmt::format("choices of the knob book that this network does not have here: record{} {}",
                     missed.size() == 1 ? "" : "s", some_of(missed, kNamed));
}

/// Records of a user's knob book that were not for this network; nothing where each layer that has knobs took
/// some.
std::vector<std::string> missed(const pipeline::KnobBook& book,
                                const std::vector<pipeline::KnobTask>& tasks) {
  std::size_t layers = 0, tuned = 0, choices = 0;
  for (const pipeline::KnobTask& t : tasks) {
    const bool found = book.find(t.task, t.context) != nullptr;
    layers += !t.plan;
    (t.plan ? choices : tuned) += found;
  }
  std::vector<std::string> notes;
  if (layers == 0 && choices == 0)
    notes.emplace_back("the knob book is for nothing here: no layer has knobs of its kind");
  else if (tuned != layers)
    notes.push_back(fmt::format(
        "the knob book has a record for {} of the {} layers that have knobs{}; the others take default ones "
        "(vdla explain --book names them)",
        tuned, layers,
        choices == 0 ? ""
                     : fmt::format(", and for {} choice{} of the plan", choices, choices == 1 ? "" : "s")));
  if (auto note = missed_choices(book, tasks)) notes.push_back(std::move(*note));
  return notes;
}

/// Floating point may be missing on the firmware's CPU, or slow.
std::string note_of_floats(const std::vector<std::string>& nodes) {
  return fmt::format(
      "computes in floating point on the CPU: {}; quantize the network (vdla quantize), or leave the layer "
      "to "
      "what reads the outputs, for firmware without it",
      fmt::join(nodes, ", "));
}

/// Layers whose weights have a zero point, by what that costs.
std::map<std::string, std::vector<std::string>> layers_by_weights(const pipeline::CompiledModel& model) {
  std::map<std::string, std::vector<std::string>> layers;
  for (const pipeline::NodeReport& node : model.nodes)
    if (!node.weights.empty()) layers[node.weights].push_back(node.name);
  return layers;
}

/// Why the importer left quantised operators in floats, a sentence for each.
std::vector<std::string> left_in_floats(const graph::Graph& graph) {
  std::vector<std::string> sentences;
  std::set<std::string_view> had;
  for (const graph::Node& node : graph.nodes)
    if (!node.in_floats.empty() && had.insert(node.in_floats).second) sentences.push_back(node.in_floats);
  return sentences;
}

/// Remedy for a network of floats, of which nothing is on the device.
std::optional<std::string> note_of_no_device(const graph::Graph& graph, const runtime::Module& module,
                                             const std::string& file) {
  const MacShare share = mac_share(module);
  const bool is_float =
      std::ranges::any_of(
          graph.inputs,
          [&](const auto& port) { return graph.tensor(port.tensor).type == graph::DataType::Float32; }) &&
      std::ranges::all_of(graph.tensors, [](const auto& tensor) { return tensor.quantization.empty(); });
  if (!is_float || share.macs == 0 || share.on_device > 0) return std::nullopt;
  const bool onnx = std::filesystem::path(file).extension() == ".onnx";
  return fmt::format("nothing is on the device, which computes integers, and the network is of floats; {}",
                     onnx ? fmt::format("vdla quantize {} --calibration SAMPLES -o int8.onnx makes an int8 "
                                        "network of it",
                                        shell_word(file))
                          : "convert the network with 8-bit integers, or export it as ONNX for vdla "
                            "quantize");
}

/// Prints the first few sentences.
void print_left_in_floats(const std::vector<std::string>& sentences) {
  constexpr std::size_t kPrinted = 4;
  for (const std::string& s : std::span(sentences).first(std::min(sentences.size(), kPrinted)))
    fmt::print("{}\n", s);
  if (sentences.size() > kPrinted)
    fmt::print("{} more quantised operators stay in floats; vdla explain lists them\n",
               sentences.size() - kPrinted);
}

/// Memory that firmware needs, where C was asked for.
std::optional<bundle::Memory> write_output_of(const CompileCommandFlags& f, const runtime::Module& module,
                                              const Context& context) {
  if (f.bundle.wanted()) {
    std::vector<std::string> notes;
    const bundle::Bundle made = f.bundle.write(module, f.output, notes);
    if (!made.float_nodes.empty()) notes.push_back(note_of_floats(made.float_nodes));
    context.say(notes);
    return made.memory;
  }
  runtime::save(module, f.output);
  return std::nullopt;
}

void compile(const CompileCommandFlags& f, const Context& context) {
  f.bundle.refuse_idle(*f.command);
  pipeline::CompileOptions options = f.compile.options();
  if (f.bundle.wanted())
    options.machine_code = false;  // code of this machine
  else
    options.other_cpus = f.bundle.linux_cpus();
  VDLA_CHECK_USER(!f.kernel_lines || !output_place(f.output).in_place)
      << "--kernel-lines writes a text beside the module, and " << f.output
      << " is no file; name a file for the module (-o)";
  VDLA_CHECK_USER(f.schedules.empty() || options.use_device || f.compile.target() == "cpu")
      << "--schedule is for layers on the device and the CPU, and --target is " << f.compile.target()
      << ", needs one with vdla, or cpu";
  for (const std::string& schedule : f.schedules) read_schedule(layer_file(schedule), options.schedules);
  if (f.kernel_lines) options.kernel_source = absolute_path(kernel_source(f)).string();
  PrinterAfter printer(f.print_after);
  if (!f.print_after.empty()) options.observer = std::ref(printer);
  const auto begin = std::chrono::steady_clock::now();
  const kit::NetworkFile file = kit::read_network_file(f.model, f.compile.import_options());
  const graph::Graph& graph = file.graph;
  std::vector<std::string> notes;
  if (!options.use_device && f.command->count("--variant") != 0)
    notes.push_back(fmt::format("--variant says what the device is, and --target {} leaves nothing to it",
                                f.compile.target()));
  if (f.level >= 2) {
    VDLA_CHECK_USER(options.use_device && !options.book)
        << "-O2 searches knobs of the device's layers: leave "
        << (options.book ? "--book, which has some," : "--target " + f.compile.target()) << " out";
    options.book = searched(graph, options, notes);
  }
  if (f.adapt) {
    VDLA_CHECK_USER(f.compile.target() == "cpu" && !f.bundle.wanted())
        << "--adapt gives layers of the CPU kernels to choose from: needs --target cpu, and no --emit c";
    tune::Alternatives alternatives = tune::alternatives_of(graph, options, f.adapt_from);
    if (!f.adapt_from.empty())
      notes.push_back(fmt::format("--adapt-from: {} knobs that were fast there", alternatives.from_logs));
    options.alternatives = std::move(alternatives.books);
  }
  const auto& gpu = options.gpu;
  VDLA_CHECK_USER(!gpu || !f.bundle.wanted()) << "--emit c makes C for a processor, and --target "
                                              << f.compile.target() << " has a GPU, needs vdla or cpu";
  const pipeline::CompiledModel model = pipeline::compile(graph, options);
  if (options.book && f.level < 2)
    std::ranges::move(missed(*options.book, pipeline::knob_tasks(model)), std::back_inserter(notes));
  if (gpu && gpu->book)
    std::ranges::move(missed(*gpu->book, pipeline::gpu_knob_tasks(model)), std::back_inserter(notes));
  if (gpu && model.gpu.empty())
    notes.push_back(
        fmt::format("nothing of the network runs on the GPU ({}); vdla explain says why", gpu->kind));
  runtime::Module module = kit::to_module(model);
  if (options.use_device)
    if (auto note = note_of_no_device(graph, module, f.model)) notes.push_back(std::move(*note));
  require_not_on_gpu(options.schedules, module);
  std::ranges::move(keep_model_facts(module, file, f.model, f.pixels.options()), std::back_inserter(notes));
  if (const auto waiting = printer.waiting(); !waiting.empty())
    notes.push_back(fmt::format("--print-after: nothing of this network went through {} (--target {})",
                                fmt::join(waiting, ", "), f.compile.target()));
  context.say(notes);
  module.provenance.command = command_of(*f.command);
  if (options.book) module.provenance.tuned_threads = options.book->threads;
  if (gpu && gpu->book) module.provenance.tuned_device = gpu->book->device;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto firmware = write_output_of(f, module, context);
  if (f.kernel_lines) write_file(kernel_source(f), loop::to_string(model.host_code));
  auto count = [&](const char* place) {
    return std::count_if(module.nodes.begin(), module.nodes.end(),
                         [&](const auto& n) { return n.place == place; });
  };
  double verifying = 0;
  // Steps run one after the other, each with windows of its own.
  std::uint64_t act = 0, unshared_act = 0;
  for (const auto& step : model.steps) {
    const auto* device = std::get_if<pipeline::DeviceStep>(&step);
    if (!device) continue;
    verifying += device->verify_seconds;
    act += device->program.data_window_sizes[static_cast<std::size_t>(isa::Window::Act)];
    unshared_act += device->unshared_act_bytes;
  }
  const runtime::ArenaPlan host = runtime::plan_arena(module);
  std::size_t insns = 0;
  for (const auto& step : module.steps)
    if (const auto* device = std::get_if<runtime::DeviceStep>(&step)) insns += device->program.insns.size();
  nlohmann::ordered_json report = {{"model", module.model_name},
                                   {"output", f.output},
                                   {"preprocessing", to_string(module.preprocessing)},
                                   {"variant", isa::label(module.variant)},
                                   {"nodes", module.nodes.size()},
                                   {"on_device", count("vdla")},
                                   {"on_gpu", count("gpu")},
                                   {"on_cpu", count("cpu")},
                                   {"folded", count("folded")},
                                   {"instructions", insns},
                                   {"act_bytes", act},
                                   {"unshared_act_bytes", unshared_act},
                                   {"adapting_layers", module.alternatives.size()},
                                   {"host_arena_bytes", host.bytes},
                                   {"unshared_host_arena_bytes", host.unshared_bytes},
                                   {"seconds", seconds},
                                   {"verify_seconds", verifying}};
  const auto zero_points = layers_by_weights(model);
  for (const auto& [how, layers] : zero_points)
    report["weight_zero_points"].push_back({{"how", how}, {"layers", layers}});
  const std::vector<std::string> in_floats = left_in_floats(model.graph);
  if (!in_floats.empty()) report["in_floats"] = in_floats;
  if (!module.gpu.empty()) report["gpu"] = gpu_programs_json(module);
  if (firmware)
    report["firmware"] = {{"device_memory_bytes", firmware->device},
                          {"constant_bytes", firmware->constants},
                          {"arena_bytes", firmware->arena},
                          {"kernel_stack_bytes", firmware->kernel_stack}};
  context.report(report, [&] {
    fmt::print(
        "{} for {}: {} nodes on the device, {}{} on the CPU, {} folded; {} instructions; {:.2f} s, {:.2f} "
        "s of it "
        "the proof\n",
        f.output, f.compile.target() == "vdla" ? isa::label(module.variant) : f.compile.target(),
        count("vdla"), gpu ? fmt::format("{} on the GPU, ", count("gpu")) : "", count("cpu"), count("folded"),
        insns, seconds, verifying);
    if (report.contains("gpu")) print_gpu_programs(report["gpu"]);
    fmt::print(
        "activations: {} bytes between layers on the device ({} if none shared space), {} in the host's "
        "arena ({})\n",
        act, unshared_act, host.bytes, host.unshared_bytes);
    for (const auto& [how, layers] : zero_points)
      fmt::print("{}: {} layers ({})\n", how, layers.size(), fmt::join(layers, ", "));
    if (!zero_points.empty()) fmt::print("int8 weights without a zero point cost less\n");
    print_left_in_floats(in_floats);
    if (f.adapt)
      fmt::print("adapts: {} steps have several kernels, of which their first runs choose\n",
                 module.alternatives.size());
    if (firmware)
      fmt::print(
          "firmware: {} bytes of DMA memory, {} of constants, {} between steps, {} on the stack of kernels; "
          "{} says how to build it\n",
          firmware->device, firmware->constants, firmware->arena, firmware->kernel_stack,
          (std::filesystem::path(f.output) / "README.md").string());
    if (!module.preprocessing.empty())
      fmt::print("images become the input by {}\n", to_string(module.preprocessing));
  });
}

}  // namespace

void add_compile(CLI::App& app, Context& context) {
  auto f = std::make_shared<CompileCommandFlags>();
  CLI::App* c = add_command(
      app, context, "compile",
      "Compile a trained network (TFLite or ONNX, of 8-bit integers or float) to a module",
      "What the device cannot do runs on the CPU; vdla explain says why.\n"
      "examples: vdla compile resnet8.tflite -o resnet8.vdla --variant paper --place conv2d_3=cpu\n"
      "          vdla compile resnet8.tflite -o resnet8.vdla --print-after=partition,tensorize\n"
      "          vdla explain resnet8.tflite --schedule conv2d_3 > s    # an editor changes a tile in s\n"
      "          vdla compile resnet8.tflite -o resnet8.vdla --schedule conv2d_3=s\n"
      "          vdla compile resnet8.tflite -o resnet8.vdla --variant tiny --cpu-target armv7   # for "
      "vdla-run on a board\n"
      "          vdla compile resnet8.tflite --emit c --name resnet8 --cpu-target armv7 -o "
      "firmware/resnet8\n\n"
      "Passes, and what --print-after shows of each:" +
          list_of_passes(),
      [f, &context] { compile(*f, context); });
  f->command = c;
  c->add_option("model", f->model, ".tflite, .onnx, or graph text (compiler/graph/text/text.h)")->required();
  f->bundle.add_to(*c);
  c->add_option("-o,--output", f->output, "Module to write (.vdla); with --emit c, the folder")
      ->required()
      ->check(f->bundle.fits_output());
  f->compile.add_to(*c, "", true);
  c->add_option("-O,--optimise", f->level,
                "1: default knobs; 2: search better knobs for the device's layers first, some seconds for a "
                "small network (vdla tune searches longer and keeps the result)")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  auto* adapt = c->add_flag(
      "--adapt", f->adapt,
      "With --target cpu: give each tunable layer up to three kernels (from --book, --adapt-from, the "
      "default, the least estimates); the first runs of the module choose the fastest, with equal results");
  c->add_option("--adapt-from", f->adapt_from,
                "Logs of vdla tune or of vdla run --use-log, from which --adapt takes fast kernels")
      ->needs(adapt)
      ->check(CLI::ExistingFile);
  c->add_option("--schedule", f->schedules,
                "LAYER=FILE: use the schedule in FILE for this layer in place of its template's. Start from "
                "the output of vdla explain --schedule LAYER and edit it; a schedule that breaks a rule is "
                "refused with its line. May be repeated")
      ->type_name("LAYER=FILE")
      ->allow_extra_args(false);
  c->add_flag("--kernel-lines", f->kernel_lines,
              "Write the loop IR of CPU kernels to OUTPUT.loop, and line tables to it into the module, so "
              "that gdb shows it");
  c->add_option("--print-after", f->print_after,
                "Print the program after these passes (with commas between them; all: after each), on "
                "standard error; --print-after=? lists them")
      ->type_name("PASS|all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(names_a_pass());
  f->pixels.add_to(*c, "Pixels: kept in the module, for images that run and eval take");
}

}  // namespace vdla::tools
