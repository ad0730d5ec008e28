// SPDX-License-Identifier: Apache-2.0
// Small modules for the runtime's tests.
#pragma once

#include <initializer_list>

#include "runtime/module/host_kernel.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

/// int8 values as bytes.
Bytes int8s(std::initializer_list<int> values);

/// in (1x2x2x3) -> kernel "add_one" -> middle -> kernel "add_one" -> out, all int8, scale 0.5, zero point -1;
/// model types float32 in, int8 out. No machine code.
Module two_host_steps();

/// A factory that knows the kernel "add_one" (arguments: from, to) for tensors of 12 bytes, and counts what
/// it makes.
HostKernelFactory add_one_factory(int* made = nullptr);

}  // namespace vdla::runtime
