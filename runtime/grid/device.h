// SPDX-License-Identifier: Apache-2.0
// A machine with a grid that runs kernels: what one does with it. Back ends make such devices
// (runtime/gpu/opencl.h, cuda.h, emulator.h); a user of one needs nothing of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/grid/program.h"
#include "support/error.h"

namespace vdla::gpu {

/// There is no driver here, or none of its devices: what to install.
struct NoDevice : UserError {
  using UserError::UserError;
};

/// Numbers of timed runs of a program's launches.
struct Timing {
  unsigned samples = 15;         ///< number of samples, each with a time
  double sample_seconds = 1e-3;  ///< as many runs make a sample as take about this long
};

/// A program on its device, with its buffers. What they hold at first is undefined.
class Loaded {
 public:
  virtual ~Loaded() = default;
  virtual void write(std::size_t buffer, std::span<const std::byte> bytes) = 0;
  virtual void read(std::size_t buffer, std::span<std::byte> bytes) = 0;
  /// Begins all launches and returns while they may still run; wait() comes before anything else is asked of
  /// the program. Where it throws, none of them runs any more.
  virtual void start() = 0;
  /// Waits until the launches of start() are done. UserError names a kernel that failed.
  virtual void wait() = 0;
  void run() {
    start();
    wait();
  }
  /// All launches, waited for, in pieces that end before the launches of these numbers, the last one
  /// behind all: seconds of each, by Device::clock().
  virtual std::vector<double> run_timed(std::span<const std::size_t> ends) = 0;
  /// Seconds of a run of launches `first` to `last` (not included), by the device's clock, a number for each
  /// sample: the mean of the runs that follow each other without a wait. UserError of devices without a
  /// clock.
  virtual std::vector<double> time(std::size_t first, std::size_t last, const Timing& timing);
  /// Reason why a device that watches accesses has not watched all of the runs so far, a sentence. Empty
  /// where it has, and of devices that watch none.
  virtual std::string unwatched() const { return {}; }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// Name of the clock of run_timed(): "the GPU's own events".
  virtual std::string_view clock() const = 0;
  /// UserError for a program that the device does not take: its compiler's words, more threads or memory than
  /// it has.
  virtual std::unique_ptr<Loaded> load(const Program& program) = 0;
};

inline std::vector<double> Loaded::time(std::size_t /*first*/, std::size_t /*last*/,
                                        const Timing& /*timing*/) {
  throw UserError("this device has no clock that the kit reads; times are of GPUs ('cuda', 'opencl')");
}

}  // namespace vdla::gpu
