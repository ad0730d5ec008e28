// SPDX-License-Identifier: Apache-2.0
// Steps on the CPU as machine code of another machine: one archive for a linker. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/bundle/cpu_targets.h"
#include "runtime/module/module.h"

namespace vdla::bundle {

struct KernelToMake {
  std::string symbol;             ///< symbol that it gets
  std::string node;               ///< for messages
  const runtime::HostStep* step;  ///< must outlive this
};

struct KernelArchive {
  std::string bytes;  ///< bytes of a .a file
  /// Bytes of the buffers that each kernel takes as arguments after its own. Smaller ones are on the stack.
  std::vector<std::vector<std::uint64_t>> buffers;
  std::uint64_t stack_bytes = 0;         ///< buffers of the kernel that has the most on its stack
  std::vector<std::string> float_nodes;  ///< nodes whose kernels compute in floating point
};

/// UserError naming the node whose kernel calls the C library: firmware has none. Kernels call memcpy,
/// memmove and memset, and what compilers bring (wide integers, soft float).
KernelArchive make_kernels(const std::vector<KernelToMake>& kernels, const CpuTarget& target);

}  // namespace vdla::bundle
