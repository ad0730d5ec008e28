// SPDX-License-Identifier: Apache-2.0
// vdla board counters: what a device has counted of the program that was started last.
#include <fmt/format.h>

#include "driver/core/registers.h"
#include "isa/spec/registers.h"
#include "runtime/device/device.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/counters_text.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {
namespace {

const char* state_of(std::uint32_t status) {
  if ((status & isa::kStatusBusy) != 0) return "runs";
  if ((status & isa::kStatusError) != 0) return "failed";
  return (status & isa::kStatusDone) != 0 ? "done" : "none since the reset";
}

void show_counters(const BoardDeviceFlags& f, const Context& context) {
  f.require_device("vdla run shows the counters of its own run");
  f.refuse_variant_of_device();
  const kit::OpenDevice board = f.open(kit::UioUse::Look);
  vdla_device device{};
  const auto check = [&](vdla_driver_status status) { runtime::check_status(device, status); };
  const auto value_of = [&](isa::Register r) {
    std::uint32_t value = 0;
    check(vdla_get(&device, static_cast<std::uint32_t>(r), &value));
    return value;
  };
  check(vdla_probe(&device, board.transport));
  vdla_counters counters{};
  check(vdla_read_counters(&device, &counters));
  const std::string state = state_of(value_of(isa::Register::STATUS));
  nlohmann::ordered_json out{{"device", board.name},
                             {"program", state},
                             {"insns", value_of(isa::Register::INSN_COUNT)},
                             {"sequence", value_of(isa::Register::SEQUENCE)}};
  out.update(counters_json(counters));
  context.report(out, [&] {
    fmt::print("{}, program: {} ({} instructions, last finish {}): {}\n", board.name, state,
               out["insns"].get<std::uint32_t>(), out["sequence"].get<std::uint32_t>(),
               counters_text(counters));
  });
}

}  // namespace

void add_board_counters(CLI::App& group, Context& context) {
  auto f = std::make_shared<BoardDeviceFlags>();
  CLI::App* c =
      add_command(group, context, "counters", "Print cycles, bytes and unit activity of the last program",
                  "Reading changes nothing: a program that runs goes on, and another process may have the "
                  "device. The device "
                  "counts from each start on; a process that ends resets it, and so do its counters. "
                  "So does the end of a lease: with --board they are those since the last one.\n"
                  "examples: vdla board counters --uio vdla\n"
                  "          vdla board counters --recorded stuck    # of a post-mortem",
                  [f, &context] { show_counters(*f, context); });
  f->add_to_reader(*c);
}

}  // namespace vdla::tools
