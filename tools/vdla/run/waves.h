// SPDX-License-Identifier: Apache-2.0
// --waves of vdla run: waveforms of the RTL while a layer or a range of instructions is in the machine, or of
// the last cycles before a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/module/module.h"
#include "sim/rtl/options.h"

namespace CLI {
class App;
}

namespace vdla::tools {

struct WaveFlags {
  std::string file, layer, insns;
  std::uint64_t last = 0;  ///< cycles before a failure; 0: not asked for

  void add_to(CLI::App& command);
  /// Waves that the engine is to write; nothing without --waves, and with --waves-last, which takes a run of
  /// its own (last_waves.h). UserError for a layer or an instruction that the module does not have, or
  /// another engine than the RTL.
  std::optional<sim::RtlWaves> waves(const runtime::Module& module, const std::string& engine) const;
  /// The line on stderr for a run that ended before the window that was asked for.
  std::string nothing_written() const;
};

}  // namespace vdla::tools
