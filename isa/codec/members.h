// SPDX-License-Identifier: Apache-2.0
// The one list that ties struct members to fields by name, in the order of the field tables (checked when
// codec.cpp compiles).
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include "isa/codec/insn.h"
#include "isa/spec/fields.h"

namespace vdla::isa {

namespace detail {
inline constexpr std::array<std::string_view, kLevels> kCount{"count0", "count1", "count2", "count3",
                                                              "count4"};
inline constexpr std::array<std::string_view, kLevels> kAccStride{"acc_stride0", "acc_stride1", "acc_stride2",
                                                                  "acc_stride3", "acc_stride4"};
inline constexpr std::array<std::string_view, kLevels> kInpStride{"inp_stride0", "inp_stride1", "inp_stride2",
                                                                  "inp_stride3", "inp_stride4"};
inline constexpr std::array<std::string_view, kLevels> kWgtStride{"wgt_stride0", "wgt_stride1", "wgt_stride2",
                                                                  "wgt_stride3", "wgt_stride4"};
inline constexpr std::array<std::string_view, kLevels> kDstStride{"dst_stride0", "dst_stride1", "dst_stride2",
                                                                  "dst_stride3", "dst_stride4"};
inline constexpr std::array<std::string_view, kLevels> kAStride{"a_stride0", "a_stride1", "a_stride2",
                                                                "a_stride3", "a_stride4"};
inline constexpr std::array<std::string_view, kLevels> kBStride{"b_stride0", "b_stride1", "b_stride2",
                                                                "b_stride3", "b_stride4"};

template <class Like, class T>
concept Is = std::same_as<std::remove_const_t<Like>, T>;
}  // namespace detail

// Each overload calls f(name, member) for every member but the opcode; `i` may be const.

template <detail::Is<MemoryInsn> I, class F>
constexpr void visit_members(I& i, F&& f) {
  f("pop", i.pop);
  f("push", i.push);
  f("buffer", i.buffer);
  f("window", i.window);
  f("widen", i.widen);
  f("pad_value", i.pad_value);
  f("sram_base", i.sram_base);
  f("dram_offset", i.dram_offset);
  f("run", i.run);
  f("x_count", i.x_count);
  f("y_count", i.y_count);
  f("z_count", i.z_count);
  f("y_sram_stride", i.y_sram_stride);
  f("x_dram_stride", i.x_dram_stride);
  f("y_dram_stride", i.y_dram_stride);
  f("z_dram_stride", i.z_dram_stride);
  f("z_sram_stride", i.z_sram_stride);
  f("x_pad_before", i.x_pad_before);
  f("x_pad_after", i.x_pad_after);
  f("y_pad_before", i.y_pad_before);
  f("y_pad_after", i.y_pad_after);
}

template <detail::Is<GemmInsn> I, class F>
constexpr void visit_members(I& i, F&& f) {
  f("pop", i.pop);
  f("push", i.push);
  f("init", i.init);
  f("reduce_mask", i.reduce_mask);
  f("uop_begin", i.uop_begin);
  f("uop_count", i.uop_count);
  f("acc_base", i.acc_base);
  f("inp_base", i.inp_base);
  f("wgt_base", i.wgt_base);
  for (unsigned l = 0; l < kLevels; ++l) {
    f(detail::kCount[l], i.levels[l].count);
    f(detail::kAccStride[l], i.levels[l].acc_stride);
    f(detail::kInpStride[l], i.levels[l].inp_stride);
    f(detail::kWgtStride[l], i.levels[l].wgt_stride);
  }
}

template <detail::Is<VectorInsn> I, class F>
constexpr void visit_members(I& i, F&& f) {
  f("pop", i.pop);
  f("push", i.push);
  f("op", i.op);
  f("dst_buffer", i.dst_buffer);
  f("a_buffer", i.a_buffer);
  f("b_kind", i.b_kind);
  f("init", i.init);
  f("reduce_mask", i.reduce_mask);
  f("shift", i.shift);
  f("half", i.half);
  f("dst_base", i.dst_base);
  f("a_base", i.a_base);
  f("b_base", i.b_base);
  f("a_offset", i.a_offset);
  f("imm", i.imm);
  f("out_zero", i.out_zero);
  f("clamp_min", i.clamp_min);
  f("clamp_max", i.clamp_max);
  for (unsigned l = 0; l < kLevels; ++l) {
    f(detail::kCount[l], i.levels[l].count);
    f(detail::kDstStride[l], i.levels[l].dst_stride);
    f(detail::kAStride[l], i.levels[l].a_stride);
    f(detail::kBStride[l], i.levels[l].b_stride);
  }
}

template <detail::Is<FinishInsn> I, class F>
constexpr void visit_members(I& i, F&& f) {
  f("pop", i.pop);
  f("push", i.push);
  f("sequence", i.sequence);
}

template <detail::Is<Uop> I, class F>
constexpr void visit_members(I& i, F&& f) {
  f("acc", i.acc);
  f("inp", i.inp);
  f("wgt", i.wgt);
}

/// The field table of a struct; the first entry of an instruction's is the opcode.
constexpr std::span<const Field> table_of(const MemoryInsn&) { return kMemoryFields; }
constexpr std::span<const Field> table_of(const GemmInsn&) { return kGemmFields; }
constexpr std::span<const Field> table_of(const VectorInsn&) { return kVectorFields; }
constexpr std::span<const Field> table_of(const FinishInsn&) { return kFinishFields; }
constexpr std::span<const Field> table_of(const Uop&) { return kUopFields; }

/// Calls f(field, member) for every member but the opcode.
template <class I, class F>
constexpr void visit_fields(I& insn, F&& f) {
  const std::span<const Field> table = table_of(insn);
  std::size_t at = table.front().name == "opcode" ? 1 : 0;
  visit_members(insn, [&](std::string_view, auto& member) {
    while (table[at].name == kNextWord) ++at;
    f(table[at++], member);
  });
}

}  // namespace vdla::isa
