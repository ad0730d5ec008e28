// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/rows.h"

#include "isa/semantics/nest.h"
#include "isa/spec/operations.h"

namespace vdla::isa {
namespace {

std::vector<RowMask>& of(BufferRows& rows, Buffer buffer) { return rows[static_cast<std::size_t>(buffer)]; }

void compute(const GemmInsn& insn, std::span<const Uop> uops, RowMask all, BufferRows& rows) {
  std::vector<RowMask>& acc = of(rows, Buffer::Acc);
  const std::vector<RowMask>& inp = of(rows, Buffer::Inp);
  for_each_iteration(insn.levels, [&](const Counters& c) {
    for (unsigned u = 0; u < uops.size(); ++u) {
      const GemmStep step = gemm_step_at(insn, c, u, uops[u]);
      acc[step.acc] = static_cast<RowMask>((step.first ? all : acc[step.acc]) & inp[step.inp]);
    }
    return true;
  });
}

void compute(const VectorInsn& insn, RowMask all, BufferRows& rows) {
  std::vector<RowMask>& dst = of(rows, insn.dst_buffer);
  const std::vector<RowMask>& a = of(rows, insn.a_buffer);
  const bool accumulates = reads_accumulator(insn.op, insn.dst_buffer);
  for_each_iteration(insn.levels, [&](const Counters& c) {
    const VectorStep step = vector_step_at(insn, c);
    dst[step.dst] = static_cast<RowMask>((step.first || !accumulates ? all : dst[step.dst]) & a[step.a]);
    return true;
  });
}

/// The rows that all operands have.
void bound(std::span<const SramAccess> accesses, RowMask all, const Geometry& g, BufferRows& rows) {
  RowMask common = all;
  const SramAccess& result = accesses.front();
  for (const SramAccess& access : accesses)
    if (const std::vector<RowMask>& list = of(rows, access.buffer); !list.empty())
      for (const Interval& i : intervals_of(access.box, g.depth(access.buffer)))
        for (std::uint64_t e = i.begin; e < i.end; ++e) common &= list[e];
  for (const Interval& i : intervals_of(result.box, g.depth(result.buffer)))
    for (std::uint64_t e = i.begin; e < i.end; ++e) of(rows, result.buffer)[e] = common;
}

}  // namespace

void compute_rows(const Insn& insn, std::span<const Uop> uops, const Geometry& g, BufferRows& rows) {
  const RowMask all = all_rows(g.batch);
  if (too_long(insn)) return bound(sram_accesses(insn, uops, g), all, g, rows);
  if (const auto* gemm = std::get_if<GemmInsn>(&insn)) compute(*gemm, uops, all, rows);
  if (const auto* vector = std::get_if<VectorInsn>(&insn)) compute(*vector, all, rows);
}

}  // namespace vdla::isa
