// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/interrupts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "driver/core/registers.h"
#include "kit/bring_up/probe_program.h"
#include "runtime/device/device.h"

namespace vdla::kit {
namespace {

using Clock = std::chrono::steady_clock;

// A long program is still running when its user sleeps: 0.2 ms at 100 MHz.
constexpr std::uint64_t kLongLoopCycles = 20'000;
// Programs by polling, from which the time of a long one is known.
constexpr unsigned kPolled = 32;
// After this number of interrupts that did not come, none is expected any more.
constexpr std::uint32_t kSilent = 5;
// An interrupt is late after kPatience times what polling takes, and kLeastPatienceUs at least.
constexpr double kPatience = 20, kLeastPatienceUs = 20'000;

Latencies latencies_of(std::vector<double> us) {
  if (us.empty()) return {};
  std::ranges::sort(us);
  return {us.front(), us[us.size() / 2], us[us.size() * 99 / 100], us.back()};
}

class Line {
 public:
  Line(const vdla_transport& transport, const isa::Variant& variant)
      : transport_(transport),
        short_(transport, variant, "finish 1\n"),
        long_(transport, variant, load_loop(variant, kLongLoopCycles) + "finish 2\n") {}

  void run(InterruptResult& r, std::uint32_t programs) {
    std::vector<double> polled, waited, waited_short;
    for (unsigned i = 0; i < kPolled; ++i) polled.push_back(poll(long_));
    r.long_cycles = long_.cycles();
    r.can_get_lost = transport_.first_wait != 0;
    r.has_clock = transport_.units_per_second != 0;
    patience_us_ = std::max(kLeastPatienceUs, kPatience * *std::ranges::max_element(polled));
    for (; r.programs < programs && !(r.told == 0 && r.lost >= kSilent); ++r.programs) {
      const bool is_long = r.programs % 2 == 0;
      const std::optional<double> us = wait(is_long ? long_ : short_, r);
      if (us) (is_long ? waited : waited_short).push_back(*us);
    }
    r.polled = latencies_of(polled);
    r.waited = latencies_of(waited);
    r.waited_short = latencies_of(waited_short);
  }

 private:
  static double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }

  double poll(ProbeProgram& program) {
    const auto begin = Clock::now();
    program.start();
    // A simulator's time passes in waits only.
    if (transport_.first_wait == 0) return program.wait(), since(begin);
    while (!program.ended())
      if (since(begin) > 1e6) return program.wait(), since(begin);  // or says why it does not end
    return since(begin);
  }

  /// The time of a program that an interrupt told of.
  std::optional<double> wait(ProbeProgram& program, InterruptResult& r) {
    arm();
    const auto begin = Clock::now();
    program.start();
    for (;;) {
      std::uint64_t spent = 0;
      const std::uint64_t limit =
          transport_.units_per_second == 0
              ? program.timeout()
              : static_cast<std::uint64_t>(patience_us_ * transport_.units_per_second / 1e6);
      const vdla_wait_result result = transport_.wait_interrupt(transport_.context, limit, &spent);
      const double us = since(begin);
      const bool ended = program.ended();
      if (ended && result == VDLA_WAIT_INTERRUPT) return ++r.told, us;
      if (ended && result == VDLA_WAIT_TIMEOUT) return ++r.lost, std::nullopt;
      if (result != VDLA_WAIT_INTERRUPT) {  // says why, or it ended just now
        program.wait();
        return ++r.lost, std::nullopt;
      }
      if (++r.unexplained % 1024 == 0) return program.wait(), std::nullopt;  // a line that stays high
      arm();
    }
  }

  void arm() {
    if (transport_.arm_interrupt != nullptr)
      runtime::check_transport(transport_, transport_.arm_interrupt(transport_.context),
                               "let the interrupt through");
  }

  const vdla_transport& transport_;
  ProbeProgram short_, long_;
  double patience_us_ = kLeastPatienceUs;
};

}  // namespace

std::string InterruptResult::cause() const {
  if (lost == 0 && unexplained == 0) return {};
  if (told == 0 && lost != 0)
    return fmt::format(
        "the interrupt is not wired, or its controller has it off: none of {} came; check the line from the "
        "device to the interrupt controller, its number in the device tree or in board.json, and that the "
        "controller lets it through (/proc/interrupts counts them)",
        programs);
  if (unexplained != 0)
    return fmt::format(
        "{} interrupts came while the program still ran; the line stays high, is shared with another "
        "device, or the number is that of another one",
        unexplained);
  return fmt::format(
      "{} of {} interrupts got lost; the controller takes the line for an edge where it is a level "
      "(high), or something else acknowledges it",
      lost, programs);
}

InterruptResult test_interrupts(const vdla_transport& transport, const isa::Variant& variant,
                                std::uint32_t programs) {
  InterruptResult result;
  Line(transport, variant).run(result, programs);
  return result;
}

}  // namespace vdla::kit
