// SPDX-License-Identifier: Apache-2.0
// Rows of entries that hold values: an array of several rows may fill an entry in part, and gemm and vector
// then compute values for these rows alone.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "isa/verify/footprint.h"

namespace vdla::isa {

/// By buffer, by entry.
using BufferRows = std::array<std::vector<RowMask>, kBuffers.size()>;

/// What a gemm or vector instruction, all of whose indices are in bounds, leaves of `rows`. Of one that
/// is too long: perhaps fewer rows than hold values.
void compute_rows(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry, BufferRows& rows);

}  // namespace vdla::isa
