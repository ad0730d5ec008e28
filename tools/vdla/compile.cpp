// SPDX-License-Identifier: Apache-2.0
// vdla compile: a trained network to a module.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>

#include "compiler/import/import.h"
#include "compiler/import/metadata.h"
#include "compiler/loop/print.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "runtime/arena.h"
#include "runtime/module_file.h"
#include "support/error.h"
#include "tools/vdla/command.h"
#include "tools/vdla/files.h"
#include "tools/vdla/model_input.h"
#include "tools/vdla/module_writer.h"
#include "tools/vdla/pixels.h"
#include "tools/vdla/validators.h"

namespace vdla::tools {
namespace {

struct CompileFlags {
  const CLI::App* command = nullptr;
  std::string model, output, variant = "paper", target = "vdla";
  std::string partition = "cost";
  double host_gops = pipeline::HostSpeed{}.operations_per_second * 1e-9;
  double host_gbytes = pipeline::HostSpeed{}.bytes_per_second * 1e-9;
  double start_us = pipeline::HostSpeed{}.device_start_seconds * 1e6;
  std::vector<std::string> place, bind;
  bool cpu_levels = false, cpu_native = false, no_fusion = false, kernel_lines = false, latency_hiding = true,
       on_chip = true;
  PixelFlags pixels;
};

/// NAME=N,N,...: an input of the model that becomes a constant.
import::OnnxOptions import_options(const CompileFlags& f) {
  import::OnnxOptions options;
  for (const std::string& text : f.bind) {
    const auto equals = text.rfind('=');
    VDLA_CHECK_USER(equals != std::string::npos && equals + 1 < text.size())
        << "--bind: '" << text << "' is not NAME=NUMBERS, for example shape=1,64";
    std::vector<std::int64_t> whole;
    std::vector<double> reals;
    std::istringstream list(text.substr(equals + 1));
    for (std::string one; std::getline(list, one, ',');) {
      const char* end = one.data() + one.size();
      const auto parsed = [&](auto& number) {
        const auto [rest, error] = std::from_chars(one.data(), end, number);
        return error == std::errc() && rest == end;
      };
      std::int64_t number = 0;
      if (parsed(number)) whole.push_back(number);
      VDLA_CHECK_USER(parsed(reals.emplace_back()))
          << "--bind: '" << one << "' in '" << text << "' is no number";
    }
    const graph::Shape shape = {static_cast<std::int64_t>(reals.size())};
    auto& bound = options.bound[text.substr(0, equals)];
    if (whole.size() == reals.size())
      bound = {graph::DataType::Int64, shape, graph::to_bytes(whole)};
    else
      bound = {graph::DataType::Float64, shape, graph::to_bytes(reals)};
  }
  return options;
}

/// What was asked for, without places on this machine and without the output, whose name says nothing of the
/// module.
std::string command_of(const CLI::App& app) {
  std::string line = "vdla compile";
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--output" || name == "--json") continue;
    const bool is_path = name == "model" || name == "--variant";
    if (option->get_items_expected_max() == 0) {
      line += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) {
      if (!option->get_positional()) line += " " + name;
      line += " " + (is_path ? std::filesystem::path(value).filename().string() : value);
    }
  }
  return line;
}

/// Where the loop IR of the CPU's kernels goes, if it is asked for.
std::string kernel_source(const CompileFlags& f) { return f.output + ".loop"; }

/// Options that would do nothing.
void refuse_idle(const CompileFlags& f) {
  static const std::set<std::string> kOfTheDevice{"--no-latency-hiding", "--no-on-chip", "--partition",
                                                  "--place"};
  static const std::set<std::string> kOfTheCost{"--host-gops", "--host-gbytes", "--device-start-us"};
  for (const std::string& option : given_options(*f.command)) {
    const bool cost = kOfTheCost.contains(option);
    VDLA_CHECK_USER(f.target == "vdla" || !(cost || kOfTheDevice.contains(option)))
        << option
        << " says what the device does, and --target cpu leaves nothing to it; leave one of them out";
    VDLA_CHECK_USER(f.partition == "cost" || !cost)
        << option << " is for --partition cost, --partition is " << f.partition << "; leave one of them out";
  }
}

pipeline::CompileOptions options_of(const CompileFlags& f) {
  refuse_idle(f);
  pipeline::CompileOptions options;
  options.variant = isa::load_variant(f.variant);
  options.use_device = f.target == "vdla";
  if (f.cpu_levels) options.cpu_code = pipeline::CpuCode::Levels;
  if (f.cpu_native) options.cpu_code = pipeline::CpuCode::Native;
  if (options.cpu_code != pipeline::CpuCode::Portable) options.machine = pipeline::cpu::host_machine();
  options.fuse = !f.no_fusion;
  if (f.kernel_lines) options.kernel_source = std::filesystem::absolute(kernel_source(f)).string();
  options.latency_hiding = f.latency_hiding;
  options.partition = f.partition == "cost" ? pipeline::Partition::Cost : pipeline::Partition::Capable;
  options.host = {f.host_gops * 1e9, f.host_gbytes * 1e9, f.start_us * 1e-6};
  options.on_chip = f.on_chip;
  for (const std::string& text : f.place) {
    const auto equals = text.rfind('=');
    VDLA_CHECK_USER(equals != std::string::npos && text.substr(equals + 1) == "cpu")
        << "--place: '" << text << "' is not NODE=cpu (vdla explain lists the nodes)";
    options.on_cpu.insert(text.substr(0, equals));
  }
  return options;
}

/// Flags before what the model's file says; returns what is left out of that.
std::vector<std::string> add_metadata(const CompileFlags& f, runtime::Module& module) {
  import::Metadata metadata = import::read_metadata(f.model);
  std::vector<std::string> notes;
  if (!metadata.pixels.empty()) try {
      check_pixels_fit(metadata.pixels, input_spec(module));
    } catch (const UserError& e) {
      notes.push_back(fmt::format("the model's own preprocessing is left out: {}", e.what()));
      metadata.pixels = {};
    }
  const Preprocessing flags = f.pixels.options();
  if (!flags.empty()) check_pixels_fit(flags, input_spec(module));
  module.preprocessing = merge(flags, metadata.pixels);
  const std::size_t names = metadata.class_names.size();
  const auto classes = static_cast<std::size_t>(
      module.outputs.empty() ? 0 : runtime::element_count(module.outputs[0].model_shape));
  if (names == classes)
    module.class_names = std::move(metadata.class_names);
  else if (names != 0)
    notes.push_back(fmt::format("the model's own {} names of classes are left out: its first output has {}",
                                names, classes));
  return notes;
}

void compile(const CompileFlags& f, const Context& context) {
  const auto options = options_of(f);
  const auto begin = std::chrono::steady_clock::now();
  const pipeline::CompiledModel model =
      pipeline::compile(import::import_model(f.model, import_options(f)), options);
  runtime::Module module = to_module(model);
  const std::vector<std::string> notes = add_metadata(f, module);
  context.say(notes);
  module.provenance.command = command_of(*f.command);
  module.provenance.model_file = std::filesystem::path(f.model).filename().string();
  module.provenance.model_sha256 = runtime::to_string(runtime::hash_of_file(f.model));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  runtime::save(module, f.output);
  if (f.kernel_lines) write_file(kernel_source(f), loop::to_string(pipeline::host_functions(model)));
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
  context.report(
      {{"model", module.model_name},
       {"output", f.output},
       {"preprocessing", to_string(module.preprocessing)},
       {"notes", notes},
       {"variant", isa::label(module.variant)},
       {"nodes", module.nodes.size()},
       {"on_device", count("vdla")},
       {"on_cpu", count("cpu")},
       {"folded", count("folded")},
       {"instructions", insns},
       {"act_bytes", act},
       {"unshared_act_bytes", unshared_act},
       {"host_arena_bytes", host.bytes},
       {"unshared_host_arena_bytes", host.unshared_bytes},
       {"seconds", seconds},
       {"verify_seconds", verifying}},
      [&] {
        fmt::print(
            "{} for {}: {} nodes on the device, {} on the CPU, {} folded; {} instructions; {:.2f} s, {:.2f} "
            "s of it "
            "the proof\n",
            f.output, f.target == "vdla" ? isa::label(module.variant) : f.target, count("vdla"), count("cpu"),
            count("folded"), insns, seconds, verifying);
        fmt::print(
            "activations: {} bytes between layers on the device ({} if none shared space), {} in the host's "
            "arena ({})\n",
            act, unshared_act, host.bytes, host.unshared_bytes);
        if (!module.preprocessing.empty())
          fmt::print("images become the input by {}\n", to_string(module.preprocessing));
      });
}

}  // namespace

void add_compile(CLI::App& app, Context& context) {
  auto f = std::make_shared<CompileFlags>();
  CLI::App* c =
      add_command(app, context, "compile",
                  "Compile a trained network (TFLite int8/uint8, ONNX int8 QDQ or float) to a module",
                  "What the device cannot do runs on the CPU; vdla explain says why.\n"
                  "example: vdla compile resnet8.tflite -o resnet8.vdla --variant paper --place conv2d_3=cpu",
                  [f, &context] { compile(*f, context); });
  f->command = c;
  c->add_option("model", f->model, ".tflite or .onnx")->required();
  c->add_option("-o,--output", f->output, "Module to write (.vdla)")
      ->required()
      ->check(ending({".vdla"}, "a compiled module"));
  c->add_option("--variant", f->variant, "Name of a variant of the machine, or a file")
      ->capture_default_str();
  c->add_option("--target", f->target, "vdla, or cpu: everything on the CPU")
      ->check(one_of({"vdla", "cpu"}))
      ->capture_default_str();
  c->add_option(
      "--bind", f->bind,
      "NAME=N,N,...: an input of a float ONNX model that becomes a constant: a shape, axes; may be repeated");
  CLI::Option* levels = c->add_flag(
      "--cpu-levels", f->cpu_levels,
      "Machine code of CPU kernels also for newer CPUs of this kind (x86-64: AVX2 and AVX-512), the "
      "fitting one is chosen at load; layouts and tiles for the vectors and caches of this machine");
  c->add_flag("--cpu-native", f->cpu_native, "Machine code of CPU kernels for CPUs like this machine's alone")
      ->excludes(levels);
  c->add_flag(
      "--kernel-lines", f->kernel_lines,
      "Line tables lead from the machine code of CPU kernels to their loop IR, which goes to OUTPUT.loop: "
      "gdb shows it while the module runs");
  c->add_flag("--no-fusion", f->no_fusion,
              "One function for each node on the CPU, to see what fusion brings");
  c->add_flag("!--no-latency-hiding", f->latency_hiding,
              "One unit of the device works at a time; shows what working at the same time is worth");
  c->add_flag("!--no-on-chip", f->on_chip,
              "Each activation goes through DRAM between layers; shows what keeping it on chip is worth");
  c->add_option(
       "--partition", f->partition,
       "cost: on the device what costs less there, borders included; capable: all that it can compute")
      ->check(one_of({"cost", "capable"}))
      ->capture_default_str();
  c->add_option("--host-gops", f->host_gops,
                "For --partition cost: 10^9 multiply-accumulates or elements that the CPU beside the device "
                "computes in a second")
      ->check(positive_number())
      ->capture_default_str();
  c->add_option("--host-gbytes", f->host_gbytes, "The same: 10^9 bytes that it copies in a second")
      ->check(positive_number())
      ->capture_default_str();
  c->add_option("--device-start-us", f->start_us,
                "The same: microseconds that a run of the device takes to start")
      ->check(positive_number(true))
      ->capture_default_str();
  f->pixels.add_to(*c, "Pixels: kept in the module, for images that run and eval take");
  c->add_option("--place", f->place, "NODE=cpu keeps a node off the device; may be repeated");
}

}  // namespace vdla::tools
