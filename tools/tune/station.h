// SPDX-License-Identifier: Apache-2.0
// Station at which programs of trials are timed: an engine in this process, or a board elsewhere. A process
// leases one for as long as it lives.
#pragma once

#include <memory>
#include <string>

#include "runtime/module/module.h"
#include "tools/tune/log.h"

namespace vdla::tune {

class Station {
 public:
  virtual ~Station() = default;
  /// Takes it unless this process has it; one that is given back takes a moment. False: reason() says why it
  /// cannot be had.
  virtual bool acquire() = 0;
  /// Whether it answers and is this process's. False: reason() says.
  virtual bool health() = 0;
  /// As it was when it was taken, after a program that failed. False: reason() says.
  virtual bool reset() = 0;
  virtual void release() = 0;
  virtual std::string reason() const = 0;
  /// Whether the last thing that failed says that the place does not work; else another process has it, or it
  /// does not answer.
  virtual bool broken() const { return false; }

  /// name of the engine whose cycles it counts: "systemc"
  virtual std::string engine() const = 0;
  /// Cycles of all device steps. UserError where there are none: health() tells whose fault that is.
  virtual double cycles(const runtime::Module& module) = 0;
};

/// Time of the owner's command that resets a board.
inline constexpr double kResetSeconds = 330;

/// The SystemC engine in this process, timing only.
std::unique_ptr<Station> engine_here();

/// {"status": "ok", "cycles", "engine"}; "failed" with the "reason" where the program fails twice; "lost"
/// with the reason where the place cannot be had, or not be used again, and "broken": whether it does not
/// work.
Outcome timed_at(Station& place, const runtime::Module& module);

}  // namespace vdla::tune
