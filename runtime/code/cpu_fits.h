// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Why the object cannot run on this machine; empty when it can.
std::string why_cpu_does_not_fit(const KernelObject& object);

}  // namespace vdla::runtime
