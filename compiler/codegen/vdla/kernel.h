// SPDX-License-Identifier: Apache-2.0
// Micro-kernels as the code generator collects them: affine loops over micro-op offsets, each different one
// once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vdla::codegen {

struct KernelLoop {
  std::int64_t count, acc, inp, wgt;
  auto operator<=>(const KernelLoop&) const = default;
};

/// Outermost loop first; no loop: one micro-op of zeros.
using Kernel = std::vector<KernelLoop>;

class KernelTable {
 public:
  std::size_t add(const Kernel& kernel);
  const Kernel& operator[](std::size_t id) const { return kernels_[id]; }
  std::size_t size() const { return kernels_.size(); }

 private:
  std::vector<Kernel> kernels_;
  std::map<Kernel, std::size_t> ids_;
};

/// Number of micro-ops.
std::int64_t size_of(const Kernel& kernel);

}  // namespace vdla::codegen
