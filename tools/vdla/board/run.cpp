// SPDX-License-Identifier: Apache-2.0
// vdla board run: a program on a simulated board, with an engine as its accelerator: firmware on boards with
// an Arm processor, a program of Linux on a PC, a module over XRT's emulation of a card.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "kit/network.h"
#include "kit/prefix.h"
#include "kit/xrt_device.h"
#include "runtime/container/module_file.h"
#include "runtime/device/device.h"
#include "runtime/device/device_facts.h"
#include "runtime/module/run_extents.h"
#include "sim/host/bare_metal.h"
#include "sim/host/linux_guest.h"
#include "sim/host/xrt_host.h"
#include "support/error.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "support/temporary.h"
#include "tools/common/engine_flags.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/firmware.h"
#include "tools/vdla/board/guest.h"
#include "tools/vdla/common/one_input.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

/// Among arguments of a program over XRT: the card, as vdla run --xrt takes it.
constexpr std::string_view kCardWord = "{card}";
constexpr double kMostSeconds = 1e9;  // clocks count nanoseconds in 63 bits

struct BoardRunFlags {
  std::string program, board, variant, kernel;
  std::vector<std::string> arguments, files, input;
  std::optional<std::uint64_t> seed;
  PixelFlags pixels;
  EngineFlags engine;
  double time_limit = 60;
  bool no_interrupt = false;

  bool no_input() const { return input.empty() && !seed && pixels.options().empty(); }
};

nlohmann::ordered_json run_json(const BoardRunFlags& flags, const isa::Variant& variant,
                                const sim::HostOutcome& outcome, const std::string& printed) {
  const sim::AttachedCounts& c = outcome.counts;
  nlohmann::ordered_json out{{"board", flags.board},    {"engine", flags.engine.engine},
                             {"variant", variant.name}, {"status", outcome.status},
                             {"output", printed},       {"reads", c.reads},
                             {"writes", c.writes},      {"interrupts", c.interrupts},
                             {"runs", c.runs}};
  if (flags.engine.engine != "functional") {
    out["cycles"] = c.cycles;
    out["last_cycles"] = c.last_cycles;
  }
  if (!outcome.stuck.empty()) out["stuck"] = outcome.stuck;
  if (!outcome.console.empty()) out["console"] = outcome.console;
  return out;
}

void print_run(const BoardRunFlags& flags, const isa::Variant& variant, const sim::HostOutcome& outcome) {
  const sim::AttachedCounts& c = outcome.counts;
  std::string line =
      fmt::format("{}: exit status {}; {} reads and {} writes of registers, {} interrupts, {} runs",
                  flags.board, outcome.status, c.reads, c.writes, c.interrupts, c.runs);
  if (flags.engine.engine != "functional" && c.runs > 0)
    line += fmt::format(", {} cycles{}", c.cycles,
                        c.runs > 1 ? fmt::format(" ({} of them the last)", c.last_cycles) : "");
  fmt::print("{} on engine {}, variant {}\n", line, flags.engine.engine, variant.name);
  if (!outcome.stuck.empty()) fmt::print("the engine was stuck:\n{}\n", outcome.stuck);
  if (!outcome.console.empty()) fmt::print("what was said besides:\n{}", outcome.console);
}

bool is_module(const BoardRunFlags& flags) { return kit::is_module(flags.program); }

/// UserError where the board's device has another geometry.
runtime::Module load_module_for(const isa::Variant& variant, const BoardRunFlags& flags) {
  runtime::Module module = runtime::load(flags.program);
  VDLA_CHECK_USER(module.gpu.empty()) << "'" << flags.program << "' has kernels of a GPU, and board "
                                      << flags.board << " has none; compile it again with --target vdla";
  VDLA_CHECK_USER(!runtime::needs_device(module) || module.variant.geometry == variant.geometry)
      << "'" << flags.program << "', compiled for variant " << isa::label(module.variant)
      << ", cannot run on board " << flags.board << " with variant " << isa::label(variant)
      << ": its device has another geometry: "
      << runtime::differences(variant.geometry, module.variant.geometry)
      << "; compile it again: vdla compile NETWORK --variant "
      << shell_word(flags.variant.empty() ? "board:" + flags.board : flags.variant);
  return module;
}

/// The inputs of the module as vdla run would read them, in the model's types.
std::vector<runtime::Bytes> read_module_inputs(const BoardRunFlags& flags, const runtime::Module& module,
                                               const Context& context) {
  VDLA_CHECK_USER(flags.input.empty() == flags.seed.has_value())
      << "a module takes --input FILE or --random-input SEED, got " << (flags.seed ? "both" : "neither");
  if (!flags.seed) return load_one_input(flags.input, flags.pixels, module, "board run", context).inputs;
  refuse_flags(flags.pixels.options(), "--random-input");
  return random_inputs(module, *flags.seed).inputs;
}

/// vdla-run runs the module in the guest, on inputs that are made of the user's here, in `folder`.
void run_module_in(sim::LinuxGuest& guest, const BoardRunFlags& flags, const isa::Variant& variant,
                   const std::filesystem::path& folder, const Context& context) {
  guest.program = kit::prefix() / "bin/vdla-run";
  VDLA_CHECK_USER(is_there(guest.program))
      << "this kit has no vdla-run, which runs modules in the guest: it is built where libsodium.a and "
         "libc.a "
         "are (libsodium-dev, libc6-dev); compile the module as C (vdla compile --emit c) and run that";
  const runtime::Module module = load_module_for(variant, flags);
  const std::vector<runtime::Bytes> inputs = read_module_inputs(flags, module, context);
  guest.files.emplace_back(flags.program);
  guest.arguments = {std::filesystem::path(flags.program).filename()};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const runtime::Port& port = module.inputs[i];
    const std::string name = fmt::format("input{}.npy", i);
    write_npy((folder / name).string(), {npy_type(port.model_type), port.model_shape, inputs[i]});
    guest.files.emplace_back(folder / name);
    guest.arguments.insert(guest.arguments.end(), {"--input", name});
  }
  if (context.json) guest.arguments.emplace_back("--json");
}

/// A run, and what firmware with a module gave.
struct BoardRun {
  sim::HostOutcome outcome;
  std::optional<runtime::Module> module;
  std::vector<runtime::Bytes> outputs;  ///< outputs of the module
};

BoardRun run_firmware(const boards::Board& board, const BoardRunFlags& flags, const isa::Variant& variant,
                      const Context& context, const sim::EngineOverMemory& make_engine,
                      const sim::HostOptions& options) {
  VDLA_CHECK_USER(flags.arguments.empty() && flags.files.empty() && flags.kernel.empty())
      << "--argument, --file and --kernel are for programs of Linux, board " << flags.board
      << " runs firmware; leave them out, or take --board qemu-pci";
  VDLA_CHECK_USER(is_module(flags) || flags.no_input())
      << "--input and --random-input are a module's, " << flags.program << " is a program; leave them out";
  if (!is_module(flags) || !board.simulated())
    return {sim::run_bare_metal(board, flags.program, make_engine, options), {}, {}};
  BoardRun run{{}, load_module_for(variant, flags), {}};
  const Temporary folder(temporary_folder(), Temporary::Kind::Folder, "the firmware");
  const std::filesystem::path elf = build_model_firmware(
      board, *run.module, read_module_inputs(flags, *run.module, context), folder.path());
  ModelConsole console(*run.module);
  sim::HostOptions apart = options;
  apart.print = [&](std::string_view text) { options.print(console.take(text)); };
  run.outcome = sim::run_bare_metal(board, elf, make_engine, apart);
  run.outputs = console.outputs();
  VDLA_CHECK_USER(run.outcome.status != 0 || !run.outputs.empty())
      << "the firmware of board " << flags.board << " ended without having printed all outputs of "
      << flags.program;
  return run;
}

sim::LinuxGuest guest(const BoardRunFlags& flags, const isa::Variant& variant,
                      const std::filesystem::path& folder, const Context& context) {
  sim::LinuxGuest made = bare_guest();
  const bool module = is_module(flags);
  VDLA_CHECK_USER(module || flags.no_input()) << "--input and --random-input are a module's, "
                                              << flags.program << " is a program; give it files by --file";
  std::error_code none;
  if (module)
    run_module_in(made, flags, variant, folder, context);
  else if (std::filesystem::equivalent(flags.program, context.executable, none))
    run_vdla_in(made, context);
  else
    made.program = flags.program;
  made.arguments.insert(made.arguments.end(), flags.arguments.begin(), flags.arguments.end());
  made.files.insert(made.files.end(), flags.files.begin(), flags.files.end());
  made.kernel = guest_kernel(flags.kernel, context);  // last: it may be a download
  return made;
}

/// A program over XRT, in this folder: the user's, or vdla itself with a module.
sim::XrtHost xrt_host(const BoardRunFlags& flags, const Context& context) {
  VDLA_CHECK_USER(flags.files.empty() && flags.kernel.empty() && !flags.no_interrupt)
      << "--file, --kernel and --no-interrupt are for boards that QEMU simulates, board " << flags.board
      << " is XRT's emulation, whose programs have this machine's files and no interrupt; leave them out";
  const bool module = is_module(flags);
  VDLA_CHECK_USER(module || flags.no_input())
      << "--input and --random-input are a module's, " << flags.program
      << " is a program; name the file by --argument";
  sim::XrtHost host;
  host.libraries = kit::xrt_libraries();
  host.command = [&flags, &context, module](const std::string& card) {
    const std::string program = absolute_path(flags.program).string();
    std::vector<std::string> command{program};
    if (module) command = {context.executable.string(), "run", program, "--xrt", card};
    for (const std::string& input : flags.input) command.insert(command.end(), {"--input", input});
    const std::pair<const char*, std::string> words[] = {
        {"--random-input", flags.seed ? std::to_string(*flags.seed) : std::string()},
        {"--normalise", flags.pixels.normalise},
        {"--resize", flags.pixels.resize},
        {"--crop", flags.pixels.crop}};
    for (const auto& [option, value] : words)
      if (!value.empty()) command.insert(command.end(), {option, value});
    if (flags.pixels.bgr) command.emplace_back("--bgr");
    if (module && context.json) command.emplace_back("--json");
    for (const std::string& word : flags.arguments) command.push_back(word == kCardWord ? card : word);
    return command;
  };
  return host;
}

BoardRun run_program_on(const boards::Board& board, const BoardRunFlags& flags, const isa::Variant& variant,
                        const Context& context, const sim::EngineOverMemory& make_engine,
                        const sim::HostOptions& options) {
  if (board.pci) {
    std::optional<Temporary> folder;
    if (is_module(flags)) folder.emplace(temporary_folder(), Temporary::Kind::Folder, "input of the guest");
    const sim::LinuxGuest made =
        guest(flags, variant, folder ? folder->path() : std::filesystem::path(), context);
    return {sim::run_linux_guest(board, made, make_engine, options), {}, {}};
  }
  if (board.xrt && board.simulated())
    return {sim::run_xrt_host(board, xrt_host(flags, context), make_engine, options), {}, {}};
  return run_firmware(board, flags, variant, context, make_engine, options);
}

/// A module is run by a command with a report of its own there: takes it out of what was printed, and its
/// outputs out of it, as other boards have them. Without a report (--argument=--help) all stays as it is.
void take_report(nlohmann::ordered_json& json) {
  auto printed = json.at("output").get<std::string>();
  const std::size_t begin = printed.starts_with("{") ? 0 : printed.find("\n{") + 1;
  const std::size_t end = printed.rfind('}') + 1;
  if (begin >= end || printed[begin] != '{') return;
  auto report = nlohmann::ordered_json::parse(printed.substr(begin, end - begin), nullptr, false);
  if (report.is_discarded()) return;
  for (const auto& output : report.value("outputs", nlohmann::ordered_json::array()))
    json["outputs"].push_back(
        {{"name", output.at("name")}, {"shape", output.at("shape")}, {"values", output.at("values")}});
  report.erase("outputs");
  json["report"] = std::move(report);
  if (end < printed.size() && printed[end] == '\n') printed.erase(end, 1);
  json["output"] = printed.erase(begin, end - begin);
}

void run_board(Context& context, const BoardRunFlags& flags) {
  const boards::Board board = boards::load_board(flags.board, kit::data_root());
  const isa::Variant variant = flags.variant.empty() ? board.variant : named_variant(flags.variant);
  kit::EngineOptions engine = flags.engine.options();
  std::string printed;
  sim::HostOptions options;
  options.time_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::min(flags.time_limit, kMostSeconds) * 1000));
  options.wire_interrupt = !flags.no_interrupt;
  options.print = [&](std::string_view text) {
    printed += text;
    if (context.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  const sim::EngineOverMemory make_engine = [&](std::vector<sim::MemorySegment> memory) {
    engine.memory = std::move(memory);
    return kit::make_engine(flags.engine.engine, variant, engine);
  };
  const BoardRun run = run_program_on(board, flags, variant, context, make_engine, options);
  nlohmann::ordered_json json = run_json(flags, variant, run.outcome, printed);
  if (!run.outputs.empty()) {
    const auto [ports, bytes] = runtime::cut_to_extents(run.module->outputs, run.outputs);
    for (std::size_t i = 0; i < ports.size(); ++i)
      json["outputs"].push_back({{"name", ports[i].name},
                                 {"shape", ports[i].model_shape},
                                 {"values", output_values(ports[i], bytes[i])}});
  }
  if (context.json && is_module(flags) && !run.module) take_report(json);
  context.report(json, [&] {
    if (!run.outputs.empty()) print_outputs(*run.module, run.outputs, run.module->class_names);
    print_run(flags, variant, run.outcome);
  });
  context.status = run.outcome.status;
}

}  // namespace

void add_board_run(CLI::App& board, Context& context) {
  auto f = std::make_shared<BoardRunFlags>();
  CLI::App* c = add_command(
      board, context, "run", "Run firmware, a module or a Linux program on a simulated board",
      "QEMU (or XRT) simulates the board, the engine its accelerator: registers, interrupt and memory are "
      "where "
      "board.json says. What the program prints comes out here; the exit status is the program's.\n"
      "qemu-zynq and qemu-zynqmp run programs without operating system, which "
      "boards/firmware/build_firmware.sh "
      "makes of C, or a module, of which they make such a program. The processor stands still while the "
      "engine works: the program has 0.2 ms for each 10,000 "
      "cycles.\n"
      "qemu-pci runs a module, by vdla-run in the guest, or vdla itself, where that is the program, "
      "with "
      "commands like board irq --uio vdla as its arguments, or a program of Linux, linked statically for "
      "x86-64, that opens the accelerator by driver/uio. The first run gets the guest's kernel (40 MB, "
      "boards/linux/get_kernel.sh).\n"
      "xrt-emu runs a module, by vdla run --xrt with XRT's emulation of a card, in this folder. It needs a "
      "kit "
      "that was built with XRT (package libxrt-dev).\n"
      "example: vdla asm examples/firmware/increment.s -o increment.bin\n"
      "         boards/firmware/build_firmware.sh --board qemu-zynq -o increment.elf "
      "examples/firmware/increment.c examples/firmware/increment_program.S\n"
      "         vdla board run increment.elf --board qemu-zynq --engine rtl\n"
      "         vdla board run net.vdla --board qemu-zynq --engine rtl --input image.png --resize 32x32    # "
      "or "
      "any other",
      [&context, f] { run_board(context, *f); });
  c->add_option("program", f->program, "The program, an ELF file, or a module (.vdla)")
      ->required()
      ->check(CLI::ExistingFile);
  c->add_option("--board", f->board,
                "A simulated board: qemu-pci, qemu-zynq, qemu-zynqmp, xrt-emu, or the path of one's own")
      ->required();
  c->add_option("--variant", f->variant,
                "Variant of the accelerator in place of the board's: a name, board:BOARD, or a file");
  f->engine.add_to(*c);
  c->add_option(
       "--argument", f->arguments,
       "Of a program of Linux, of vdla-run, or on xrt-emu of vdla run, where {card} becomes the card as "
       "--xrt takes it; once for each, --argument=-x for one with a minus")
      ->expected(1)
      ->take_all();
  c->add_option("--file", f->files, "File to copy to the folder of a Linux program; may be repeated")
      ->check(CLI::ExistingFile)
      ->expected(1)
      ->take_all();
  add_input(*c, f->input)->description("Input of a module, as for vdla run");
  c->add_option("--random-input", f->seed, "Uniform random input of a module from this seed")
      ->check(not_negative());
  f->pixels.add_to(*c);
  add_kernel_option(*c, f->kernel);
  c->add_option("--time-limit", f->time_limit, "Time limit of the program in seconds")
      ->check(positive_number())
      ->capture_default_str();
  c->add_flag("--no-interrupt", f->no_interrupt,
              "Leave the accelerator's interrupt unwired (to test a design fault)");
}

}  // namespace vdla::tools
