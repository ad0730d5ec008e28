// SPDX-License-Identifier: Apache-2.0
#include "tools/runner/device.h"

#include "sim/functional/engine.h"

namespace vdla::runner {

kit::OpenDevice open(const DeviceChoice& choice, const isa::Variant& variant) {
  if (choice.engine.empty()) return kit::open_device<kit::UioDevice>(choice.uio);
  return kit::open_engine(sim::make_functional_engine(variant));
}

}  // namespace vdla::runner
