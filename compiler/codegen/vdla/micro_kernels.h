// SPDX-License-Identifier: Apache-2.0
// Micro-kernels as the code generator collects them: affine loops over micro-op offsets, each different one
// once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vdla::codegen {

struct MicroKernelLoop {
  std::int64_t count, acc, inp, wgt;
  auto operator<=>(const MicroKernelLoop&) const = default;
};

/// Outermost loop first; no loop: one micro-op of zeros.
using MicroKernel = std::vector<MicroKernelLoop>;

class MicroKernelTable {
 public:
  std::size_t add(const MicroKernel& kernel);
  const MicroKernel& operator[](std::size_t id) const { return kernels_[id]; }
  std::size_t size() const { return kernels_.size(); }

 private:
  std::vector<MicroKernel> kernels_;
  std::map<MicroKernel, std::size_t> ids_;
};

/// Number of micro-ops.
std::int64_t size_of(const MicroKernel& kernel);

}  // namespace vdla::codegen
