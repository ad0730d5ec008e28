// SPDX-License-Identifier: Apache-2.0
// Runs a function at compile time: outer loops are executed, allocations take and give back space, tasks
// append instructions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/vdla/dma.h"
#include "compiler/codegen/vdla/kernel.h"
#include "compiler/codegen/vdla/place.h"
#include "compiler/codegen/vdla/sram.h"
#include "compiler/codegen/vdla/stream.h"
#include "compiler/loop/stmt.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// One per buffer of the ISA, lives as long as the segment: space is shared by all layers.
using SramAllocators = std::vector<SramAllocator>;
SramAllocators make_allocators(const isa::Geometry& geometry);

/// What the walker writes to.
struct WalkOutput {
  SramAllocators& sram;
  KernelTable& kernels;
  Stream& stream;
  std::vector<std::string>& sources;  ///< loop texts; StreamInsn::source is an index
};

/// `layer` is for messages. `places` are in the order of func.params.
void walk(const loop::Func& func, const std::string& layer, std::span<const Place> places,
          std::span<const tensorize::Intrinsic> table, const isa::Geometry& geometry, WalkOutput output);

}  // namespace vdla::codegen
