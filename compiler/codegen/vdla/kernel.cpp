// SPDX-License-Identifier: Apache-2.0
// The table of micro-kernels.
#include "compiler/codegen/vdla/kernel.h"

namespace vdla::codegen {

std::size_t KernelTable::add(const Kernel& kernel) {
  const auto [it, fresh] = ids_.emplace(kernel, kernels_.size());
  if (fresh) kernels_.push_back(kernel);
  return it->second;
}

std::int64_t size_of(const Kernel& kernel) {
  std::int64_t size = 1;
  for (const KernelLoop& loop : kernel) size *= loop.count;
  return size;
}

}  // namespace vdla::codegen
