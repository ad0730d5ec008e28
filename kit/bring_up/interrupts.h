// SPDX-License-Identifier: Apache-2.0
// Programs whose end a device's interrupt tells, one after the other: whether each one comes, and how long
// after the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/core/transport.h"
#include "isa/spec/geometry.h"

namespace vdla::kit {

/// Microseconds of this process's clock from a program's start until it knew of the end.
struct Latencies {
  double least = 0, median = 0, most_of_100 = 0, most = 0;  ///< most_of_100: 99 of 100 took no more
};

struct InterruptResult {
  std::uint32_t programs = 0;     ///< programs that ran; fewer than were asked for where no interrupt came
  std::uint32_t told = 0;         ///< programs whose end an interrupt told
  std::uint32_t lost = 0;         ///< programs whose end the registers told, the interrupt never
  std::uint32_t unexplained = 0;  ///< interrupts while the program still ran
  bool can_get_lost = false;      ///< false: a simulator, which has no line
  bool has_clock = false;         ///< false: times say nothing of the device
  std::uint64_t long_cycles = 0;  ///< cycles of a long program; 0: a device without time
  Latencies polled, waited,
      waited_short;  ///< long programs by polling, by interrupt; short ones by interrupt

  bool good() const { return lost == 0 && unexplained == 0; }
  /// Sentence about the cause and what to look at; empty where all is well.
  std::string cause() const;
};

/// Runs long and short programs in turns. DeviceError where the device does not answer or a program does not
/// end; the device is reset before and after it.
InterruptResult test_interrupts(const vdla_transport& transport, const isa::Variant& variant,
                                std::uint32_t programs);

}  // namespace vdla::kit
