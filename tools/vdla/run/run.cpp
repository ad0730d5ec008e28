// SPDX-License-Identifier: Apache-2.0
// vdla run: one input through a module, with cycles, utilisation and traffic per layer.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "isa/variants/variants.h"
#include "runtime/device/device.h"
#include "runtime/module/run_extents.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/output_file.h"
#include "tools/common/classes.h"
#include "tools/common/compare.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"
#include "tools/common/post_mortem.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/explore/record.h"
#include "tools/vdla/board/run_program.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/gpu_report.h"
#include "tools/vdla/common/one_input.h"
#include "tools/vdla/devices/post_mortem_folder.h"
#include "tools/vdla/explore/advice.h"
#include "tools/vdla/run/last_waves.h"
#include "tools/vdla/run/module_run.h"
#include "tools/vdla/run/net_flags.h"
#include "tools/vdla/run/output_flag.h"
#include "tools/vdla/run/tensor_flags.h"
#include "tools/vdla/run/timeline_layers.h"
#include "tools/vdla/run/waves.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct RunFlags {
  NetFlags net;
  std::vector<std::string> input;
  OutputFlag output;
  std::string record, timeline, compare, classes, advise, timeline_layers, post_mortem;
  ModuleRunFlags place;
  std::uint64_t repeat = 1;
  bool timing_only = false;
  double total_limit = 1, layer_limit = 2;  ///< per cent
  std::optional<std::uint64_t> seed;
  bool verify = false;
  PixelFlags pixels;
  const CLI::App* command = nullptr;
  ProgramFlags program;
  WaveFlags waves;
  TensorFileFlags tensors;

  const EngineFlags& engine() const { return place.device.engine; }
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

ordered_json layer_json(const runtime::LayerResult& layer, bool has_time) {
  ordered_json json{{"name", layer.name}, {"op", layer.op}};
  if (stands_for_one(layer.sources)) json["tensor"] = layer.sources.front().name;
  json["macs"] = layer.macs;
  if (has_time) json["cycles"] = layer.cost.cycles;
  json["ideal_gemm_cycles"] = layer.ideal_gemm_cycles;
  if (has_time) json["utilisation"] = share(layer.ideal_gemm_cycles, static_cast<double>(layer.cost.cycles));
  json["dram_bytes"] = layer.cost.read_bytes + layer.cost.write_bytes;
  return json;
}

/// Steps on the CPU, which the device's cycles leave out.
ordered_json host_json(const runtime::Module& module, const runtime::Result& result) {
  ordered_json rows = ordered_json::array();
  for (const auto& ran : result.steps) {
    const auto* step = std::get_if<runtime::HostStep>(&module.steps[ran.step]);
    if (!step) continue;
    std::uint64_t bytes_in = 0, bytes_out = 0;
    for (const runtime::TensorIndex t : step->arguments)
      if (!module.tensors[t].constant()) bytes_in += module.tensors[t].bytes();
    for (const runtime::TensorIndex t : step->results) bytes_out += module.tensors[t].bytes();
    bytes_in -= bytes_out;  // results are arguments too
    const runtime::NodeInfo* node = runtime::main_node(module, ran.step);
    ordered_json row{{"name", node ? node->name : ""}, {"op", node ? node->op : ""}};
    if (node && stands_for_one(node->sources)) row["tensor"] = node->sources.front().name;
    row.update(
        {{"step", ran.step}, {"bytes_in", bytes_in}, {"bytes_out", bytes_out}, {"seconds", ran.seconds}});
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_layers(const ordered_json& run, const isa::Variant& variant) {
  const double mhz = variant.timing.clock_mhz;
  ordered_json rows = run["layers"];
  rows.push_back({{"name", "total"}, {"op", ""}});
  for (const char* key : {"cycles", "ideal_gemm_cycles", "utilisation", "dram_bytes"})
    rows.back()[key] = run[key];
  print_table(rows, "layer|operator|cycles|ideal|util.|DRAM bytes",
              "{name:<32+} {op:<16} {cycles:>11} {ideal_gemm_cycles:>11.0f} {utilisation*100:>6.1f}% "
              "{dram_bytes:>12}");
  fmt::print(
      "{:.3f} ms at an assumed {} MHz, variant {}. ideal: multiply-accumulates of the layer / multipliers of "
      "the array.\n"
      "Cycles run from the previous layer's last instruction to the layer's own, so rows add up; layers "
      "overlap, and one\n"
      "that had begun before its predecessor ended can show more than 100 %.\n",
      run["cycles"].get<double>() / (1000 * mhz), mhz, isa::label(variant));
}

/// Place that the module runs on.
struct RunPlace {
  std::string name;
  bool has_time = false;
};

ordered_json describe(const RunPlace& device, const runtime::Module& module, const runtime::Result& result,
                      const ClassNames& names, double ideal, bool timing_only) {
  ordered_json out{
      {"model", module.model_name}, {"engine", device.name}, {"variant", isa::label(module.variant)}};
  if (device.has_time) {
    out["cycles"] = result.cycles;
    out["ideal_gemm_cycles"] = ideal;
    out["utilisation"] = share(ideal, static_cast<double>(result.cycles));
  } else {
    out["ideal_gemm_cycles"] = ideal;
  }
  out["dram_bytes"] = result.read_bytes + result.write_bytes;
  out["layers"] = ordered_json::array();
  for (const auto& layer : result.layers) out["layers"].push_back(layer_json(layer, device.has_time));
  out["host_steps"] = host_json(module, result);
  out["timing_only"] = timing_only;
  if (timing_only) return out;
  const auto [ports, bytes] = runtime::cut_to_extents(module.outputs, result.outputs);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const runtime::Port& port = ports[i];
    const auto values = output_values(port, bytes[i]);
    ordered_json& output = out["outputs"].emplace_back(
        ordered_json{{"name", port.name}, {"shape", port.model_shape}, {"values", values}});
    if (is_vector(port))
      output["top"] = scores_json(largest(module, port, values, kTopClasses), i == 0 ? names : ClassNames{});
  }
  return out;
}

/// Runs the input once more on the engine of --compare.
Comparison compare(const RunFlags& f, const runtime::Module& module, kit::SessionOptions options,
                   const std::vector<runtime::Bytes>& inputs, const runtime::Result& result) {
  options.timeline = nullptr;
  options.engine.rtl = f.engine().options(f.compare).rtl;  // no waves
  options.engine.timing_only = f.timing_only && f.compare == "systemc";
  kit::Session other(module, f.compare, options);
  const runtime::Result other_result = other.run_model(inputs);
  VDLA_CHECK(f.timing_only || other_result.outputs == result.outputs)
      << "engines " << f.engine().engine << " and " << f.compare << " compute different outputs";
  return compare_cycles(f.engine().engine, result, f.compare, other_result);
}

/// Timeline and waves are kept of a run that fails as well: they show how far that came.
runtime::Result run_with_traces(kit::Session& device, const std::vector<runtime::Bytes>& inputs,
                                std::optional<OutputFile>& timeline, const WaveFlags& waves) {
  const auto keep = [&] {
    device.end_timeline();
    if (timeline) timeline->keep();
    if (!device.end_waves()) std::fputs(waves.nothing_written().c_str(), stderr);
  };
  try {
    runtime::Result result = device.run_model(inputs);
    keep();
    return result;
  } catch (const runtime::DeviceError&) {
    keep();
    throw;
  }
}

/// --repeat: what each run took. UserError where one computes something else than the first.
class RepeatedRuns {
 public:
  void add(const runtime::Result& result, const std::string& board) {
    double seconds = 0;
    for (const runtime::StepResult& step : result.steps) seconds += step.seconds;
    rows_.push_back({result.cycles, seconds});
    if (rows_.size() == 1) first_ = result.outputs;
    VDLA_CHECK_USER(result.outputs == first_) << "board " << board << ": run " << rows_.size()
                                              << " gave other outputs than the first, of the same input";
  }
  ordered_json json(bool has_time) const {
    ordered_json out = ordered_json::array();
    for (const Row& row : rows_) {
      out.push_back(ordered_json::object());
      if (has_time) out.back()["cycles"] = row.cycles;
      out.back()["seconds"] = row.seconds;
    }
    return out;
  }
  void print(bool has_time) const {
    if (rows_.size() < 2) return;
    if (!has_time) return fmt::print("{} runs; all outputs equal\n", rows_.size());
    std::vector<Row> sorted = rows_;
    std::ranges::sort(sorted, {}, &Row::cycles);
    fmt::print("{} runs: {} cycles the fastest, {} the median, {} the slowest; all outputs equal\n",
               rows_.size(), sorted.front().cycles, sorted[sorted.size() / 2].cycles, sorted.back().cycles);
  }

 private:
  struct Row {
    std::uint64_t cycles;
    double seconds;  ///< on the board, copies included
  };
  std::vector<Row> rows_;
  std::vector<runtime::Bytes> first_;
};

runtime::Result run_on_board(const RunFlags& f, RemoteSession& board,
                             const std::vector<runtime::Bytes>& inputs, std::optional<OutputFile>& timeline,
                             RepeatedRuns& runs) {
  const auto keep = [&] {
    if (!timeline) return;
    timeline->stream() << board.timeline();
    timeline->keep();
  };
  try {
    runtime::Result result = board.run_model(inputs);
    runs.add(result, board.board());
    for (std::uint64_t i = 1; i < f.repeat; ++i) runs.add(board.run_model(inputs), board.board());
    keep();
    return result;
  } catch (const RemoteDeviceError&) {
    keep();
    throw;
  }
}

void run_input(const RunFlags& f, const Context& context) {
  if (is_assembler(f.net.file())) {
    ProgramFlags program = f.program;
    program.variant = f.net.variant_of_program();
    static const std::set<std::string> kOfPrograms{
        "--json",  "--engine",  "--rtl-build",    "--uio",        "--udmabuf", "--xrt",
        "--board", "--lease",   "--certificates", "--time-limit", "--variant", "--window",
        "--dump",  "--timeout", "--stall-limit",  "--post-mortem"};
    for (const std::string& option : given_options(*f.command))
      VDLA_CHECK_USER(kOfPrograms.contains(option))
          << f.net.file() << ": " << option << " and its like are for networks; a program takes "
          << fmt::format("{}", fmt::join(kOfPrograms, ", "));
    return run_program(f.net.file(), f.place.device, program, f.place.limits, context);
  }
  VDLA_CHECK_USER(f.program.windows.empty() && f.program.dumps.empty())
      << f.net.file()
      << ": --window and --dump are for assembler programs (.s, .asm); a module knows its own";
  if (f.tensors.wanted()) f.tensors.require_place();
  const Net net = f.net.load(f.place.device.remote, context);
  const runtime::Module& module = net.module;
  require_device_for({"--engine", "--rtl-build", "--timing-only", "--timeline", "--record", "--compare",
                      "--waves", "--stall-limit", "--timeout"},
                     *f.command, module, f.net.file());
  const ClassNames names = read_class_names(f.classes, module);
  VDLA_CHECK_USER(f.input.empty() == f.seed.has_value())
      << "run takes --input FILE or --random-input SEED, got " << (f.seed ? "both" : "neither");
  VDLA_CHECK_USER(f.compare.empty() || f.compare != f.engine().engine)
      << "--compare " << f.compare << " is --engine already, needs the other one of systemc and rtl";
  if (f.seed) refuse_flags(f.pixels.options(), "--random-input");
  const NetworkSample sample =
      f.seed ? random_inputs(module, *f.seed) : load_one_input(f.input, f.pixels, module, "run", context);
  f.output.require_place(module);
  const std::optional<graph::Graph> network =
      f.tensors.wanted() ? std::optional(f.tensors.network(net)) : std::nullopt;
  std::optional<OutputFile> timeline;
  if (!f.timeline.empty()) timeline.emplace(f.timeline);
  VDLA_CHECK_USER((f.output.to.empty() && f.classes.empty()) || !f.timing_only)
      << "--timing-only computes no outputs, leave out --" << (f.output.to.empty() ? "classes" : "output");
  kit::SessionOptions options{.costs = true,
                              .verify = f.verify,
                              .timeline = timeline ? &timeline->stream() : nullptr,
                              .timeline_form = timeline::form_of_name(f.timeline),
                              .host_steps = !f.timing_only,
                              .gpu_times = true};
  f.place.set(options, module, context, f.compare, f.timing_only ? "--timing-only" : "");
  options.engine.timing_only = f.timing_only;
  kit::ReadTensors tensors;
  if (network && !f.place.on_board()) options.probe = &tensors;
  if (!f.timeline_layers.empty()) options.timeline_layers = timeline_layers(module, f.timeline_layers);
  if (const auto waves = f.waves.waves(module, f.engine().engine)) {
    VDLA_CHECK_USER(f.engine().rtl_build == EngineFlags().rtl_build ||
                    options.engine.rtl.build == sim::RtlBuild::Trace)
        << "--waves needs build trace of the RTL, --rtl-build is " << f.engine().rtl_build
        << "; leave it out";
    options.engine.rtl.build = sim::RtlBuild::Trace;
    options.engine.rtl.waves = waves;
  }
  ModuleRun run(f.place, net, options, context);
  kit::Session* const session = run.here();
  RunPlace device{run.name(), run.has_time()};
  VDLA_CHECK_USER(f.timeline.empty() || device.has_time)
      << "--timeline needs an engine with cycles"
      << (run.elsewhere() ? ", and board " + run.elsewhere()->board() + " has none"
                          : ": --engine systemc or rtl");
  VDLA_CHECK_USER(f.record.empty() || device.has_time)
      << "--record needs an engine with cycles: --engine systemc or rtl";
  VDLA_CHECK_USER(f.compare.empty() || device.has_time)
      << "--compare compares cycles, engine '" << device.name << "' has none, needs --engine systemc or rtl";
  RepeatedRuns runs;
  const auto run_here = [&] {
    try {
      return run_with_traces(*session, sample.inputs, timeline, f.waves);
    } catch (const runtime::DeviceError& e) {
      if (f.waves.last != 0) write_last_waves(f.waves, *session, options, sample.inputs, e);
      throw;
    }
  };
  const runtime::Result result =
      session ? run_here() : run_on_board(f, *run.elsewhere(), sample.inputs, timeline, runs);
  if (f.waves.last != 0) context.say({f.waves.file + ": no waveforms were written: the run did not fail"});
  if (!result.warning.empty()) context.say({result.warning});
  // Behind a driver may be the functional engine, which has none.
  device.has_time = device.has_time && result.cycles > 0;
  std::optional<Comparison> comparison;
  if (!f.compare.empty()) comparison = compare(f, module, options, sample.inputs, result);
  f.output.write(module.outputs, result.outputs);
  ordered_json record;
  if (!f.record.empty()) {
    record = explore::run_record(module, device.name, result, session->profiles(), {});
    if (session->gpu()) record["gpu"] = gpu_run_json(module, result, *session->gpu());
    if (!f.advise.empty()) record["advice"] = advice_for(record, f.advise);
    write_file(f.record, json_dump(record, 1));
  }
  const CycleLimits limits{f.total_limit / 100, f.layer_limit / 100};
  double ideal = 0;
  for (const auto& node : module.nodes)
    if (node.place == "vdla") ideal += runtime::ideal_gemm_cycles(node, module.variant.geometry);
  ordered_json object = describe(device, module, result, names, ideal, f.timing_only);
  object["engine"] = run.place();
  if (session && session->gpu()) object["gpu"] = gpu_run_json(module, result, *session->gpu());
  run.describe(object);
  if (f.repeat > 1) object["runs"] = runs.json(device.has_time);
  if (!f.waves.file.empty() && f.waves.last == 0) object["waves"] = f.waves.file;
  if (!f.advise.empty()) object["advice"] = record.at("advice");
  if (comparison) object["comparison"] = comparison_json(*comparison, limits);
  if (network) {
    if (f.place.on_board())
      read_board(run, module, sample.inputs, tensors);
    else
      object.erase("layers");  // the engine told what instructions wrote, and not when
    object["tensors"] = f.tensors.write(*network, net, tensors);
  }
  context.report(object, [&] {
    if (f.timing_only)
      fmt::print("no outputs: --timing-only leaves the data out\n");
    else
      print_outputs(module, result.outputs, names);
    if (device.has_time && object.contains("layers")) print_layers(object, module.variant);
    if (device.has_time && !object.contains("layers")) fmt::print("{} cycles\n", result.cycles);
    if (object.contains("tensors")) print_tensor_files(object["tensors"]);
    if (object.contains("gpu")) print_gpu_run(object["gpu"]);
    if (!f.timing_only && !object["host_steps"].empty())
      print_table(object["host_steps"], "on the CPU, beside the cycles|operator|bytes in|bytes out|host ms",
                  "{name:<32+} {op:<16} {bytes_in:>11} {bytes_out:>11} {seconds*1000:>10.3f}");
    if (object.contains("kernel_use")) print_kernel_use(object["kernel_use"], false);
    runs.print(device.has_time);
    if (!f.advise.empty()) {
      print_bounds(record);
      print_advice(record.at("advice"));
    }
    if (comparison) print_comparison(*comparison, limits);
  });
  if (comparison && !comparison->beyond(limits).empty()) throw Difference{};
}

/// Keeps the post-mortem of a run that failed, with which the command ends whatever becomes of the folder.
void keep_post_mortem(const RunFlags& f, const PostMortemFolder& content, const Context& context) {
  try {
    write_post_mortem(f.post_mortem, content);
  } catch (const UserError& e) {
    context.say({std::string("there is no post-mortem: ") + e.what()});
  }
}

PostMortemFolder folder_of(const RemoteDeviceError& e) {
  const remote::FailedRun& failed = e.failed();
  const auto made = [&](const ordered_json& post_mortem) {
    return folder_of_run("board " + e.board(), post_mortem, failed.text, failed.recording);
  };
  try {
    return made(ordered_json::parse(failed.post_mortem_json));
  } catch (const nlohmann::json::exception&) {  // a server of another kit may say anything
    return made({{"cause", failed.message}});
  }
}

void run(const RunFlags& f, const Context& context) {
  if (!f.post_mortem.empty()) require_new_folder(f.post_mortem);
  try {
    run_input(f, context);
  } catch (const runtime::DeviceError& e) {
    if (f.post_mortem.empty() || e.post_mortem() == nullptr || e.post_mortem()->recording == nullptr) throw;
    const runtime::PostMortem& made = *e.post_mortem();
    keep_post_mortem(f, folder_of_run(f.place.name(), to_json(made), to_text(made), made.recording), context);
    throw;
  } catch (const RemoteDeviceError& e) {
    if (f.post_mortem.empty() || e.failed().recording == nullptr) throw;
    keep_post_mortem(f, folder_of(e), context);
    throw;
  }
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto f = std::make_shared<RunFlags>();
  CLI::App* c = add_command(
      app, context, "run", "Run one input through a network, or an assembler program",
      "Cycles of a layer run from the previous layer's last retire to its own. The functional engine has no "
      "cycles: its\n"
      "layers have multiply-accumulates and the bytes that their instructions move, fetch left out.\n"
      "A run that hangs or fails ends with exit status 1 and says what each unit was doing at which "
      "instruction, and\n"
      "which layer and loop (or line of assembler) that came from; with --json as the object "
      "\"post_mortem\".\n"
      "example: vdla run net.tflite --input photo.jpg     # compiles, fits the photo to the input, answers\n"
      "         vdla run net.vdla --engine systemc --input image.png --resize 32x32 --output scores.npy\n"
      "         vdla run net.vdla --engine systemc --compare rtl --random-input 1     # equal, layer by "
      "layer?\n"
      "         vdla run net.vdla --board board.lab --certificates lab --input x.npy     # vdla board serve "
      "runs there\n"
      "         vdla run program.s --variant tiny --engine rtl --window input=x.bin --dump output=y.bin\n"
      "         vdla run program.s --uio vdla     # on the device itself; --board HOST: on one elsewhere",
      [f, &context] { GpuFlags::with_remedy([&] { run(*f, context); }); });
  f->net.add_to(
      *c, ", or an assembler program (.s, .asm) for the --variant, or for the variant that a device says");
  f->place.add_to(*c, false);
  c->add_option(
       "--repeat", f->repeat,
       "Number of runs of the input on the board: prints the cycles of each and compares the outputs")
      ->check(CLI::PositiveNumber)
      ->needs("--board");
  CLI::Option* timing_only =
      c->add_flag("--timing-only", f->timing_only,
                  "Engine systemc: compute cycles only, without data and CPU steps (same cycles, faster)")
          ->excludes("--interpret");
  for_engines_only(*timing_only);
  f->command = c;
  auto* compare =
      c->add_option("--compare", f->compare,
                    "Run on this engine too and compare cycles by layer; exit status 1 beyond the limits")
          ->check(one_of({"systemc", "rtl"}));
  for_engines_only(*compare);
  c->add_option("--limit-total", f->total_limit,
                "Largest difference of all cycles under --compare, in percent")
      ->check(positive_number(true))
      ->needs(compare)
      ->capture_default_str();
  c->add_option("--limit-layer", f->layer_limit,
                "Largest difference of a layer's cycles under --compare, in percent")
      ->check(positive_number(true))
      ->needs(compare)
      ->capture_default_str();
  add_input(*c, f->input);
  c->add_option("--random-input", f->seed,
                "Uniform random input from this seed; integers without a scale are 0 or 1")
      ->check(not_negative());
  f->output.add_to(*c);
  c->add_option("--classes,--labels", f->classes,
                "Names of the classes of the first output, a line each, for its five highest scores");
  auto* timeline = c->add_option(
      "--timeline", f->timeline,
      "Write a timeline of layers, units and the GPU for ui.perfetto.dev: FILE.pftrace.gz, or .pftrace "
      "uncompressed (1 ns is one cycle); .json and .json.gz: Trace Event JSON (1 us is one cycle)");
  timeline->check(ending({".pftrace.gz", ".pftrace", ".json", ".json.gz"}, "a timeline"))
      ->excludes("--uio")
      ->excludes("--xrt");
  c->add_option("--timeline-layers", f->timeline_layers,
                "LAYER or FIRST..LAST: limit --timeline to the cycles of these layers")
      ->excludes("--board")
      ->needs(timeline);
  c->add_flag("--verify", f->verify, "Refuse the module unless its programs are proven right");
  auto* record = c->add_option("--record", f->record, "Write a record for vdla report (JSON)")
                     ->check(ending({".json"}, "JSON"));
  for_engines_only(*record);
  c->add_option("--advise", f->advise,
                "The module's network (.tflite, .onnx, or graph text): try changes of the variant on it, and "
                "record what they save")
      ->needs(record);
  c->add_option(
      "--post-mortem", f->post_mortem,
      "Folder to write if the device fails, with its registers and instructions (read by vdla explain)");
  f->waves.add_to(*c);
  f->tensors.add_to(*c);
  f->pixels.add_to(*c);
  f->program.add_to(*c);
}

}  // namespace vdla::tools
