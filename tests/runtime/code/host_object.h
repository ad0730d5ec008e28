// SPDX-License-Identifier: Apache-2.0
// Machine code for the runtime's tests.
#pragma once

#include <string>

#include "compiler/targets/cpu/code/code.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

/// Kernel "add_one": to[i] = from[i] + 1 over 12 bytes; `source_file` as in to_object().
KernelObject add_one_object(const codegen::HostTarget& target, const std::string& source_file = {});

}  // namespace vdla::runtime
