// SPDX-License-Identifier: Apache-2.0
// Rows of entries that hold values: an array of several rows may fill an entry in part, and gemm and vector
// then compute values for these rows alone.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "isa/verify/footprint.h"

namespace vdla::isa {

/// Rows by buffer and entry.
using BufferRows = std::array<std::vector<RowMask>, kBuffers.size()>;

/// Leaves the rows that hold values after a gemm or vector instruction, all of whose indices are in bounds;
/// of one that is too long perhaps fewer.
void compute_rows(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry, BufferRows& rows);

}  // namespace vdla::isa
