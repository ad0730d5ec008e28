// SPDX-License-Identifier: Apache-2.0
// When waveforms are written: in a window of cycles, or while instructions of a run are in the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "sim/rtl/library.h"
#include "sim/rtl/options.h"
#include "support/output_file.h"

namespace vdla::sim {

class WaveWindow {
 public:
  /// UserError when the file cannot be written.
  WaveWindow(const RtlWaves& waves, RtlModel& model);
  /// Keeps what there is: the waves of a run that failed are wanted most.
  ~WaveWindow();
  WaveWindow(const WaveWindow&) = delete;
  WaveWindow& operator=(const WaveWindow&) = delete;

  /// At the start of each cycle, which is Uninterrupted as a whole: an interrupt ends the file between cycles
  /// and keeps it. UserError when what was written did not arrive.
  void begin_cycle(std::uint64_t now, const Uninterrupted& held);
  /// Samples a settled cycle.
  void settled();
  /// No cycle follows; UserError when what was written did not arrive. False: the window was never reached,
  /// and what stood under the file's name is left as it was.
  bool end();

 private:
  void open();
  void close(const Uninterrupted& held);
  void check();
  std::string interrupted(const Uninterrupted& held);

  RtlWaves waves_;
  RtlModel& model_;
  OutputFile file_;
  std::filesystem::path written_;  ///< made before the first cycle, in which no temporary file can be made
  bool open_ = false, over_ = false, reached_ = false;
  unsigned runs_ = 0;
  std::uint64_t retired_ = 0;  ///< number of the instructions asked for that have retired
  std::uint64_t last_ = 0;     ///< cycle in the file
  OnInterrupt on_interrupt_;
};

}  // namespace vdla::sim
