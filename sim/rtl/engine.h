// SPDX-License-Identifier: Apache-2.0
// The Verilated engine: the hardware description itself, cycle by cycle.
#pragma once

#include <memory>

#include "sim/contract.h"
#include "sim/memory.h"
#include "sim/rtl/disturbance.h"
#include "sim/rtl/options.h"

namespace vdla::sim {

class RtlEngine : public Engine {
 public:
  /// The machine loses its power and starts again: what has no value of its own is 0, or random for a seed
  /// that is not 0, which build fast cannot have (UserError). Memory stays, disturbance ends. Not while
  /// waveforms are written.
  virtual void power_up(std::uint64_t seed) = 0;
  /// Reset of the machine and of the bus to memory together, at any time: what is on its way is lost,
  /// registers have their first values. Memory stays.
  virtual void hard_reset() = 0;
  /// From now on. Throws UserError when handshakes inside shall be held back and the library was built
  /// without the means.
  virtual void disturb(const Disturbance& disturbance) = 0;
  /// Ends the file with waveforms, if one was asked for, which is whole from here on; UserError when a write
  /// did not arrive. False: the run never reached the window that was asked for, and there is no file. The
  /// destructor ends it too, but cannot say so.
  virtual bool end_waves() = 0;
};

/// Throws UserError when there is no library of this build for this geometry, and says how to make it, or
/// when the timing is one that the hardware cannot have.
std::unique_ptr<RtlEngine> make_rtl_engine(const isa::Variant& variant, Memory memory = {},
                                           const RtlOptions& options = {});

}  // namespace vdla::sim
