// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates of a module, and those of them that its device computes.
#pragma once

#include <cstdint>

#include "runtime/module/module.h"

namespace vdla::tools {

struct MacShare {
  std::uint64_t macs = 0, on_device = 0;

  /// 0 where there are none.
  double percent() const {
    return macs == 0 ? 0.0 : 100.0 * static_cast<double>(on_device) / static_cast<double>(macs);
  }
};

inline MacShare mac_share(const runtime::Module& module) {
  MacShare share;
  for (const runtime::NodeInfo& node : module.nodes) {
    share.macs += node.macs;
    if (node.place == "vdla") share.on_device += node.macs;
  }
  return share;
}

}  // namespace vdla::tools
