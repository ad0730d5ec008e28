// SPDX-License-Identifier: Apache-2.0
// vdla board irq: a device's interrupt, again and again.
#include <fmt/format.h>

#include "kit/bring_up/interrupts.h"
#include "tools/common/table.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct IrqFlags {
  BoardDeviceFlags device;
  std::uint32_t programs = 1000;
};

ordered_json json_of(const kit::Latencies& l) {
  return {{"least", l.least}, {"median", l.median}, {"99_of_100", l.most_of_100}, {"most", l.most}};
}

ordered_json json_of(const std::string& device, const kit::InterruptResult& r) {
  ordered_json out{{"device", device},
                   {"verdict", r.good() ? "passed" : "FAILED"},
                   {"programs", r.programs},
                   {"told", r.told},
                   {"lost", r.lost},
                   {"unexplained", r.unexplained},
                   {"can_get_lost", r.can_get_lost}};
  if (!r.good()) out["cause"] = r.cause();
  if (r.long_cycles != 0) out["long_cycles"] = r.long_cycles;
  if (!r.has_clock) return out;
  out["us"] = {
      {"long_polled", json_of(r.polled)}, {"long", json_of(r.waited)}, {"short", json_of(r.waited_short)}};
  return out;
}

void print(const std::string& device, const kit::InterruptResult& r) {
  fmt::print("{}: {} programs, {} ends told by the interrupt, {} lost, {} interrupts without cause\n", device,
             r.programs, r.told, r.lost, r.unexplained);
  if (!r.can_get_lost)
    fmt::print("  none can get lost on this transport, which sees the end of a program itself\n");
  if (r.has_clock && r.told != 0) {
    const std::string program = r.long_cycles == 0 ? "long program" : fmt::format("{} cycles", r.long_cycles);
    ordered_json rows{json_of(r.polled), json_of(r.waited), json_of(r.waited_short)};
    rows[0]["what"] = program + ", by polling";
    rows[1]["what"] = program + ", by interrupt";
    rows[2]["what"] = "shortest program, by interrupt";
    print_table(rows, "us from start to known end|least|median|99 of 100|most",
                "  {what:<32} {least:>10.1f} {median:>10.1f} {99_of_100:>10.1f} {most:>10.1f}");
    if (r.waited.least > r.polled.least)
      fmt::print("  the interrupt costs {:.1f} us at least\n", r.waited.least - r.polled.least);
  }
  if (!r.good()) fmt::print("  {}\n", r.cause());
  fmt::print("interrupt of {}: {}\n", device, r.good() ? "passed" : "FAILED");
}

void test_interrupt(const IrqFlags& f, const Context& context) {
  const kit::OpenDevice board = f.device.open();
  const kit::InterruptResult result =
      kit::test_interrupts(*board.transport, f.device.variant_of(board), f.programs);
  context.report(json_of(board.name, result), [&] { print(board.name, result); });
  if (!result.good()) throw Difference{};
}

}  // namespace

void add_board_irq(CLI::App& group, Context& context) {
  auto f = std::make_shared<IrqFlags>();
  CLI::App* c =
      add_command(group, context, "irq", "A device's interrupt: whether each one comes, and how late",
                  "Runs programs of some 20,000 cycles and of one instruction in turns, and waits for the "
                  "interrupt of each; "
                  "32 are polled first, for comparison. One that is lost is counted, and where none comes "
                  "the test ends soon. "
                  "Times are this machine's, under this load; with --board they are mostly the network's.\n"
                  "examples: vdla board irq --uio vdla\n"
                  "          vdla board irq --uio vdla --programs 100000 --json\n"
                  "          vdla board irq --board board.lab --certificates lab --programs 100",
                  [f, &context] { test_interrupt(*f, context); });
  c->add_option("--programs", f->programs, "How many")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  f->device.add_to(*c);
  f->device.add_remote_to(*c);
}

}  // namespace vdla::tools
