// SPDX-License-Identifier: Apache-2.0
// Instructions of a module's layers on the device, by their numbers: those that vdla disasm, timelines and
// post-mortems name.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/module/module.h"

namespace vdla::tools {

/// Instructions of a layer; those of other layers may stand between them.
struct InsnRange {
  std::uint32_t first = 0, last = 0;
  std::uint32_t count = 0;
};

/// Nothing for a node that has no instruction of its own.
std::optional<InsnRange> insns_of(const runtime::Module& module, const runtime::NodeInfo& node);

}  // namespace vdla::tools
