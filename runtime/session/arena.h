// SPDX-License-Identifier: Apache-2.0
// One block of host memory for all tensors of a module that are not constants: tensors that are never alive
// together share space.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::runtime {

inline constexpr std::size_t kTensorAlignment = 64;

struct ArenaPlan {
  std::vector<std::size_t> offsets;  ///< one per tensor; constants and unused tensors: 0
  std::size_t bytes = 0;
  std::size_t unshared_bytes = 0;  ///< if no tensors shared space
};

/// Places of inputs and outputs of the model.
enum class Ports : unsigned char {
  InArena,
  Apart,  ///< with the caller: their tensors have no place in the arena
};

/// Model inputs live from the start, model outputs and what states become to the end, what they begin with
/// always, each other tensor from the step that first names it to the last one that does.
ArenaPlan plan_arena(const Module& module, Ports ports = Ports::InArena);

}  // namespace vdla::runtime
