// SPDX-License-Identifier: Apache-2.0
// One generated test of an intrinsic: loops around one call, how each operand moves, what is in its entries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "isa/random/draw.h"
#include "isa/spec/geometry.h"

namespace vdla::check {

struct CaseLoop {
  std::int64_t extent = 1;
  bool reduces = false;               ///< the output stays where it is
  std::vector<std::int64_t> strides;  ///< entries that each operand moves by, the output first
};

/// Operand 0 is the output, the others are the intrinsic's inputs in order.
struct Case {
  std::vector<CaseLoop> loops;                    ///< outermost first
  bool reset = false;                             ///< the first step of the reduction overwrites
  std::vector<std::int64_t> attributes;           ///< values in the order of the intrinsic's
  std::vector<std::int64_t> bases;                ///< first entry of each operand
  std::vector<std::vector<std::int64_t>> values;  ///< values of all entries of each operand before the call
};

/// Operand 0 is the output.
const intrinsics::Operand& operand_of(const intrinsics::Intrinsic& intrinsic, std::size_t operand);
/// Shape of one entry of a buffer: [K], [N], [N, K], or [B, ..] where B > 1.
std::vector<std::int64_t> entry_shape(isa::Buffer buffer, const isa::Geometry& geometry);
std::int64_t entry_elements(isa::Buffer buffer, const isa::Geometry& geometry);

/// Entries from the first of the buffer to the last that the case touches.
std::int64_t span_of(const Case& c, const intrinsics::Intrinsic& intrinsic, std::size_t operand,
                     const isa::Geometry& geometry);

/// Cases with small numbers have boundary values in every element and attribute, later ones mix them with
/// others. UserError where an operand is no whole number of entries or the output is in no buffer that
/// steps write.
Case draw_case(const intrinsics::Intrinsic& intrinsic, const isa::Geometry& geometry, std::uint64_t number,
               isa::Draw& draw);

/// Cuts the values to the entries that are still touched.
void trim(Case& c, const intrinsics::Intrinsic& intrinsic, const isa::Geometry& geometry);

/// The loops around the call. `buffers` are [entries, entry..] in the order of the operands.
loop::StmtPtr nest_of(const Case& c, const intrinsics::Intrinsic& intrinsic,
                      const std::vector<expr::BufferPtr>& buffers);

/// Entries of the output by the declaration.
std::vector<std::int64_t> declared_result(const Case& c, const intrinsics::Intrinsic& intrinsic,
                                          const isa::Geometry& geometry);

}  // namespace vdla::check
