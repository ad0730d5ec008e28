// SPDX-License-Identifier: Apache-2.0
// Memory that begins as tensors do. Internal to the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "runtime/session/arena.h"

namespace vdla::runtime {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{kTensorAlignment}); }
};
using AlignedMemory = std::unique_ptr<std::byte[], AlignedDelete>;

/// std::bad_alloc where there is no room.
inline AlignedMemory aligned_memory(std::size_t bytes) {
  return AlignedMemory(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kTensorAlignment})));
}

}  // namespace vdla::runtime
