// SPDX-License-Identifier: Apache-2.0
// The table of micro-kernels.
#include "compiler/codegen/vdla/micro_kernels.h"

namespace vdla::codegen {

std::size_t MicroKernelTable::add(const MicroKernel& kernel) {
  const auto [it, fresh] = ids_.emplace(kernel, kernels_.size());
  if (fresh) kernels_.push_back(kernel);
  return it->second;
}

std::int64_t size_of(const MicroKernel& kernel) {
  std::int64_t size = 1;
  for (const MicroKernelLoop& loop : kernel) size *= loop.count;
  return size;
}

}  // namespace vdla::codegen
