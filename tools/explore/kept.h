// SPDX-License-Identifier: Apache-2.0
// Data files of the kit, embedded when it was built.
#pragma once

#include <span>
#include <string_view>

namespace vdla::explore {

struct KeptFile {
  std::string_view name, text;
};

std::span<const KeptFile> synthesis_files();  ///< hw/synth/results
std::string_view parts_file();                ///< boards/parts.json

extern const std::string_view kKitCss, kKitJs, kCompareJs, kExploreJs, kReportJs, kTuneJs;  ///< html/

}  // namespace vdla::explore
