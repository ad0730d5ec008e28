// SPDX-License-Identifier: Apache-2.0
// Decoded instructions: one struct per layout of isa/spec/insn.h, the same names, defaults that make a
// smallest legal instruction. visit_members() lists (name, member) in the order of the field table; encoder,
// assembler, generators and random programs walk it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "isa/spec/insn.h"

namespace vdla::isa {

/// LOAD and STORE.
struct MemoryInsn {
  Opcode opcode = Opcode::Load;
  std::uint8_t pop = 0;
  std::uint8_t push = 0;
  Buffer buffer = Buffer::Inp;
  Window window = Window::Act;
  bool widen = false;
  std::int8_t pad_value = 0;
  std::uint16_t sram_base = 0;
  std::uint64_t dram_offset = 0;
  std::uint16_t run = 1;
  std::uint16_t x_count = 1;
  std::uint16_t y_count = 1;
  std::uint16_t z_count = 1;
  std::uint16_t y_sram_stride = 0;
  std::uint32_t x_dram_stride = 0;
  std::uint32_t y_dram_stride = 0;
  std::uint32_t z_dram_stride = 0;
  std::uint16_t z_sram_stride = 0;
  std::uint16_t x_pad_before = 0;
  std::uint16_t x_pad_after = 0;
  std::uint16_t y_pad_before = 0;
  std::uint16_t y_pad_after = 0;

  /// Positions along x and y, padding included.
  unsigned x_total() const { return 0u + x_pad_before + x_count + x_pad_after; }
  unsigned y_total() const { return 0u + y_pad_before + y_count + y_pad_after; }
  bool operator==(const MemoryInsn&) const = default;
};

struct GemmLevel {
  std::uint16_t count = 1;
  std::uint16_t acc_stride = 0;
  std::uint16_t inp_stride = 0;
  std::uint16_t wgt_stride = 0;
  bool operator==(const GemmLevel&) const = default;
};

struct GemmInsn {
  static constexpr Opcode opcode = Opcode::Gemm;
  std::uint8_t pop = 0;
  std::uint8_t push = 0;
  bool init = false;
  std::uint8_t reduce_mask = 0;
  std::uint16_t uop_begin = 0;
  std::uint16_t uop_count = 1;
  std::uint16_t acc_base = 0;
  std::uint16_t inp_base = 0;
  std::uint16_t wgt_base = 0;
  std::array<GemmLevel, kLevels> levels{};
  bool operator==(const GemmInsn&) const = default;
};

struct VectorLevel {
  std::uint16_t count = 1;
  std::uint16_t dst_stride = 0;
  std::uint16_t a_stride = 0;
  std::uint16_t b_stride = 0;
  bool operator==(const VectorLevel&) const = default;
};

struct VectorInsn {
  static constexpr Opcode opcode = Opcode::Vector;
  std::uint8_t pop = 0;
  std::uint8_t push = 0;
  VectorOp op = kCopyOperation;
  Buffer dst_buffer = Buffer::Acc;
  Buffer a_buffer = Buffer::Acc;
  VectorB b_kind = VectorB::None;
  bool init = true;
  std::uint8_t reduce_mask = 0;
  std::uint8_t shift = 0;
  std::uint16_t half = 0;
  std::uint16_t dst_base = 0;
  std::uint16_t a_base = 0;
  std::uint16_t b_base = 0;
  std::int16_t a_offset = 0;
  std::int32_t imm = 0;
  std::int16_t out_zero = 0;
  std::int8_t clamp_min = -128;
  std::int8_t clamp_max = 127;
  std::array<VectorLevel, kLevels> levels{};
  bool operator==(const VectorInsn&) const = default;
};

struct FinishInsn {
  static constexpr Opcode opcode = Opcode::Finish;
  std::uint8_t pop = 0;
  std::uint8_t push = 0;
  std::uint32_t sequence = 0;
  bool operator==(const FinishInsn&) const = default;
};

using Insn = std::variant<MemoryInsn, GemmInsn, VectorInsn, FinishInsn>;

/// A micro-op of gemm.
struct Uop {
  std::uint16_t acc = 0;
  std::uint16_t inp = 0;
  std::uint16_t wgt = 0;
  bool operator==(const Uop&) const = default;
};

inline Opcode opcode_of(const Insn& insn) {
  return std::visit([](const auto& i) { return i.opcode; }, insn);
}
inline Unit unit_of(const Insn& insn) { return unit_of(opcode_of(insn)); }
/// Bit i: a token from unit i.
inline unsigned pops_of(const Insn& insn) {
  return std::visit([](const auto& i) { return unsigned{i.pop}; }, insn);
}
/// Bit i: a token to unit i.
inline unsigned pushes_of(const Insn& insn) {
  return std::visit([](const auto& i) { return unsigned{i.push}; }, insn);
}
inline void set_tokens(Insn& insn, unsigned pop, unsigned push) {
  std::visit(
      [&](auto& i) {
        i.pop = static_cast<std::uint8_t>(pop);
        i.push = static_cast<std::uint8_t>(push);
      },
      insn);
}

}  // namespace vdla::isa
