// SPDX-License-Identifier: Apache-2.0
// Instructions of a module's layers on the device, by their numbers: those that vdla disasm, timelines and
// post-mortems name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/module/module.h"

namespace vdla::tools {

/// Instructions of a layer; those of other layers may stand between them.
struct InsnRange {
  std::uint32_t first = 0, last = 0;
  std::uint32_t count = 0;
};

/// Ranges of all layers, by step and name. A node that has no instruction of its own has none.
using InsnRanges = std::map<std::pair<std::int32_t, std::string_view>, InsnRange>;
InsnRanges insn_ranges(const runtime::Module& module);

}  // namespace vdla::tools
