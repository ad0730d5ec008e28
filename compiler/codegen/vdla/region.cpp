// SPDX-License-Identifier: Apache-2.0
// Boxes of instructions.
#include "compiler/codegen/vdla/region.h"

#include <algorithm>

#include "isa/spec/operations.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

void walk(const Box& box, std::size_t d, std::int64_t base,
          const std::function<void(std::int64_t, std::int64_t)>& f) {
  if (d == box.dims.size()) return f(base, base + box.run);
  for (std::int64_t i = 0; i < box.dims[d].first; ++i) walk(box, d + 1, base + i * box.dims[d].second, f);
}

void add_dim(Box& box, std::int64_t count, std::int64_t stride) {
  if (count > 1 && stride != 0) box.dims.emplace_back(count, stride);
}

Access sram(isa::Buffer buffer, bool write, Box box) {
  return {false, static_cast<std::size_t>(buffer), write, std::move(box)};
}

std::vector<Access> accesses(const isa::MemoryInsn& insn, const isa::Geometry& geometry) {
  const bool load = insn.opcode == isa::Opcode::Load;
  const std::int64_t rows = geometry.rows(insn.buffer);
  Box entries{insn.sram_base, insn.run, {}};
  add_dim(entries, (insn.x_total() + rows - 1) / rows, insn.run);
  add_dim(entries, insn.y_total(), insn.y_sram_stride);
  add_dim(entries, insn.z_count, insn.z_sram_stride);
  std::vector<Access> result{sram(insn.buffer, load, std::move(entries))};
  if (insn.x_count == 0 || insn.y_count == 0) return result;
  const std::int64_t piece = insn.widen ? geometry.block_out : geometry.piece_bytes(insn.buffer);
  Box bytes{static_cast<std::int64_t>(insn.dram_offset), insn.run * piece, {}};
  add_dim(bytes, insn.x_count, insn.x_dram_stride);
  add_dim(bytes, insn.y_count, insn.y_dram_stride);
  add_dim(bytes, insn.z_count, insn.z_dram_stride);
  result.push_back({true, static_cast<std::size_t>(insn.window), !load, std::move(bytes)});
  return result;
}

std::vector<Access> accesses(const isa::GemmInsn& insn, const MicroKernel* kernel) {
  Box acc{insn.acc_base, 1, {}}, inp{insn.inp_base, 1, {}}, wgt{insn.wgt_base, 1, {}};
  for (const isa::GemmLevel& level : insn.levels) {
    add_dim(acc, level.count, level.acc_stride);
    add_dim(inp, level.count, level.inp_stride);
    add_dim(wgt, level.count, level.wgt_stride);
  }
  if (kernel) {
    for (const MicroKernelLoop& loop : *kernel) {
      add_dim(acc, loop.count, loop.acc);
      add_dim(inp, loop.count, loop.inp);
      add_dim(wgt, loop.count, loop.wgt);
    }
  }
  return {sram(isa::Buffer::Acc, true, std::move(acc)), sram(isa::Buffer::Inp, false, std::move(inp)),
          sram(isa::Buffer::Wgt, false, std::move(wgt))};
}

std::vector<Access> accesses(const isa::VectorInsn& insn) {
  Box dst{insn.dst_base, 1, {}}, a{insn.a_base, 1, {}}, b{insn.b_base, isa::operation_of(insn.op).b.rows, {}};
  for (const isa::VectorLevel& level : insn.levels) {
    add_dim(dst, level.count, level.dst_stride);
    add_dim(a, level.count, level.a_stride);
    add_dim(b, level.count, level.b_stride);
  }
  std::vector<Access> result{sram(insn.dst_buffer, true, std::move(dst)),
                             sram(insn.a_buffer, false, std::move(a))};
  if (insn.b_kind == isa::VectorB::Par) result.push_back(sram(isa::Buffer::Par, false, std::move(b)));
  return result;
}

}  // namespace

void for_each_interval(Box box, const std::function<void(std::int64_t, std::int64_t)>& f) {
  std::ranges::sort(box.dims, {}, &std::pair<std::int64_t, std::int64_t>::second);
  std::size_t joined = 0;
  while (joined < box.dims.size() && box.dims[joined].second <= box.run) {
    box.run += (box.dims[joined].first - 1) * box.dims[joined].second;
    ++joined;
  }
  box.dims.erase(box.dims.begin(), box.dims.begin() + static_cast<std::ptrdiff_t>(joined));
  walk(box, 0, box.base, f);
}

/// The destination of an accumulation is read too, but by the unit that writes it: the write stands for both.
std::vector<Access> accesses_of(const isa::Insn& insn, const MicroKernel* kernel,
                                const isa::Geometry& geometry) {
  return std::visit(overloaded{
                        [&](const isa::MemoryInsn& i) { return accesses(i, geometry); },
                        [&](const isa::GemmInsn& i) { return accesses(i, kernel); },
                        [&](const isa::VectorInsn& i) { return accesses(i); },
                        [&](const isa::FinishInsn&) { return std::vector<Access>{}; },
                    },
                    insn);
}

}  // namespace vdla::codegen
