// SPDX-License-Identifier: Apache-2.0
// Folding: a nest around a gemm or vector step becomes instructions, one where its dims fit the levels (and,
// for gemm, micro-ops).
#pragma once

#include "compiler/codegen/vdla/folded_nest.h"
#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Place of an operand's buffer.
struct SramPlace {
  std::int64_t base;            ///< entry of the instance, or of the memory where there is none
  std::int64_t entry_elements;  ///< elements of one entry
  InstanceId instance = kNoInstance;
};

/// Appends to `out`, with its last source. `places` are in the order of the task's operands.
void emit_compute(const FoldedNest& task, const NestInstance& nest, const std::vector<SramPlace>& places,
                  Stream& out);

/// `elements` as entries; UserError where it is no whole number of them.
std::int64_t to_entries(const expr::Buffer& buffer, std::int64_t elements, std::int64_t entry_elements);

}  // namespace vdla::codegen
