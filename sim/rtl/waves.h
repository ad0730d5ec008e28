// SPDX-License-Identifier: Apache-2.0
// When waveforms are written: in a window of cycles, or while instructions of a run are in the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "sim/rtl/library.h"
#include "sim/rtl/options.h"

namespace vdla::sim {

class WaveWindow {
 public:
  WaveWindow(const RtlWaves& waves, RtlModel& model) : waves_(waves), model_(model) {}

  /// At the start of each cycle.
  void begin_cycle(std::uint64_t now);
  /// In each settled cycle.
  void settled();

 private:
  void open();

  RtlWaves waves_;
  RtlModel& model_;
  bool open_ = false, over_ = false;
  unsigned runs_ = 0;
  std::uint64_t retired_ = 0;  ///< of the instructions asked for
};

/// The first and the last time in an FST file, in cycles as in RtlWaves; UserError when it is none or empty.
std::pair<std::uint64_t, std::uint64_t> wave_cycles(const std::filesystem::path& file);

}  // namespace vdla::sim
