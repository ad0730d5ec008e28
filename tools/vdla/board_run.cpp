// SPDX-License-Identifier: Apache-2.0
// vdla board run: a program without operating system on a simulated board, with an engine as its accelerator.
#include <fmt/format.h>

#include <cstdio>

#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "sim/host/bare_metal.h"
#include "support/error.h"
#include "tools/vdla/board.h"
#include "tools/vdla/engine_flags.h"

namespace vdla::tools {
namespace {

struct BoardRunFlags {
  std::string firmware, board, variant;
  EngineFlags engine;
  double time_limit = 60;
  bool no_interrupt = false;
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
}

void run_board(Context& context, const BoardRunFlags& flags) {
  const boards::Board board = boards::load_board(flags.board, kit::data_root());
  const isa::Variant variant = flags.variant.empty() ? board.variant : isa::load_variant(flags.variant);
  kit::EngineOptions engine = flags.engine.options();
  std::string printed;
  sim::HostOptions options;
  options.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(flags.time_limit * 1000));
  options.wire_interrupt = !flags.no_interrupt;
  options.print = [&](std::string_view text) {
    printed += text;
    if (context.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  const auto outcome = sim::run_bare_metal(
      board, flags.firmware,
      [&](std::vector<sim::MemorySegment> memory) {
        engine.memory = std::move(memory);
        return kit::make_engine(flags.engine.engine, variant, engine);
      },
      options);
  context.report(run_json(flags, variant, outcome, printed), [&] { print_run(flags, variant, outcome); });
  context.status = outcome.status;
}

}  // namespace

void add_board_run(CLI::App& board, Context& context) {
  auto f = std::make_shared<BoardRunFlags>();
  CLI::App* c = add_command(
      board, context, "run", "Runs a program without operating system on a simulated board",
      "QEMU simulates the board, the engine its accelerator: registers, interrupt and memory are where "
      "board.json "
      "says. What the program prints on its UART or by semihosting comes out here; the exit status is the "
      "program's.\n"
      "The processor stands still while the engine works: the program has 0.2 ms for each 10,000 cycles.\n"
      "boards/common/build_firmware.sh makes such programs of C (clang and lld do; "
      "docs/how-to/firmware.md).\n"
      "example: boards/common/build_firmware.sh --board qemu-zynq -o copy.elf examples/firmware/copy.c\n"
      "         vdla board run copy.elf --board qemu-zynq --engine rtl",
      [&context, f] { run_board(context, *f); });
  c->add_option("firmware", f->firmware, "The program, an ELF file")->required()->check(CLI::ExistingFile);
  c->add_option("--board", f->board,
                "A board that QEMU simulates: qemu-zynq, qemu-zynqmp, or the path of one's own")
      ->required();
  c->add_option("--variant", f->variant, "Of the accelerator, instead of the board's: a name or a JSON file");
  f->engine.add_to(*c);
  c->add_option("--time-limit", f->time_limit, "Seconds that the program may take")
      ->check(positive_number())
      ->capture_default_str();
  c->add_flag("--no-interrupt", f->no_interrupt,
              "Leave the accelerator's interrupt unwired, as a mistake in a design would");
}

}  // namespace vdla::tools
