// SPDX-License-Identifier: Apache-2.0
// Instructions -> text.
#include <fmt/format.h>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/spec/operations.h"
#include "support/bits.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

struct Term {
  std::string_view counter;
  std::int64_t stride;
};

/// An entry stride, modulo 2^16.
std::int64_t wrapped(std::uint16_t stride) { return sign_extend(stride, kIndexBits); }

std::string index(std::uint64_t base, std::initializer_list<Term> terms) {
  std::string text;
  if (base != 0) text = fmt::format("{}", base);
  for (const Term& t : terms) {
    if (t.stride == 0) continue;
    const std::int64_t size = t.stride < 0 ? -t.stride : t.stride;
    const char* sign = t.stride < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    text += size == 1 ? fmt::format("{}{}", sign, t.counter) : fmt::format("{}{}*{}", sign, size, t.counter);
  }
  return "[" + (text.empty() ? "0" : text) + "]";
}

std::string tokens(unsigned pop, unsigned push) {
  std::string text;
  for (auto [word, mask] : {std::pair{"pop", pop}, std::pair{"push", push}}) {
    bool any = false;
    for (unsigned u = 0; u < kQueueUnits; ++u) {
      if ((mask >> u & 1u) == 0) continue;
      text += any ? ", " : fmt::format(" {} ", word);
      text += to_string(static_cast<Unit>(u));
      any = true;
    }
  }
  return text;
}

/// " name value" unless the value is the default.
template <class T>
std::string clause(std::string_view name, T value, T standard) {
  return value == standard ? "" : fmt::format(" {} {}", name, static_cast<std::int64_t>(value));
}

std::string counts(std::initializer_list<std::pair<std::string_view, unsigned>> list) {
  std::string text;
  for (auto [counter, count] : list)
    if (count != 1) text += fmt::format("{} {}<{}", text.empty() ? " for" : "", counter, count);
  return text;
}

constexpr std::string_view kCounter[kLevels] = {"i0", "i1", "i2", "i3", "i4"};

template <class Levels>
std::string level_counts(const Levels& l) {
  return counts(
      {{"i0", l[0].count}, {"i1", l[1].count}, {"i2", l[2].count}, {"i3", l[3].count}, {"i4", l[4].count}});
}

template <class Levels, class Stride>
std::string level_index(std::uint64_t base, const Levels& l, Stride stride) {
  return index(base, {{"i0", wrapped(l[0].*stride)},
                      {"i1", wrapped(l[1].*stride)},
                      {"i2", wrapped(l[2].*stride)},
                      {"i3", wrapped(l[3].*stride)},
                      {"i4", wrapped(l[4].*stride)}});
}

std::string reduce(unsigned mask) {
  std::string text = mask == 0 ? "" : " reduce";
  for (unsigned l = 0; l < kLevels; ++l)
    if ((mask >> l & 1u) != 0) text += fmt::format(" {}", kCounter[l]);
  if ((mask >> kReduceUopBit & 1u) != 0) text += " u";
  return text;
}

std::string padding(const MemoryInsn& i) {
  std::string text;
  if (i.x_pad_before != 0 || i.x_pad_after != 0)
    text += fmt::format(" pad x {} {}", i.x_pad_before, i.x_pad_after);
  if (i.y_pad_before != 0 || i.y_pad_after != 0)
    text += fmt::format(" pad y {} {}", i.y_pad_before, i.y_pad_after);
  if (i.pad_value != 0) text += fmt::format(" pad value {}", i.pad_value);
  return text;
}

std::string text_of(const MemoryInsn& i) {
  const std::string sram =
      fmt::format("{}{}", to_string(i.buffer),
                  index(i.sram_base, {{"y", wrapped(i.y_sram_stride)}, {"z", wrapped(i.z_sram_stride)}}));
  const std::string dram = fmt::format(
      "{}{}", to_string(i.window),
      index(i.dram_offset, {{"x", i.x_dram_stride}, {"y", i.y_dram_stride}, {"z", i.z_dram_stride}}));
  const bool load = i.opcode == Opcode::Load;
  return fmt::format("{} {} = {}{}{}{}{}{}", to_string(i.opcode), load ? sram : dram, load ? dram : sram,
                     counts({{"x", i.x_count}, {"y", i.y_count}, {"z", i.z_count}}),
                     clause("run", i.run, std::uint16_t{1}), i.widen ? " widen" : "", padding(i),
                     tokens(i.pop, i.push));
}

std::string text_of(const GemmInsn& i) {
  const bool plain = i.uop_begin == 0 && i.uop_count == 1;
  return fmt::format("gemm acc{} {} inp{} * wgt{}{}{}{}{}",
                     level_index(i.acc_base, i.levels, &GemmLevel::acc_stride),
                     i.init ? "=" : "+=", level_index(i.inp_base, i.levels, &GemmLevel::inp_stride),
                     level_index(i.wgt_base, i.levels, &GemmLevel::wgt_stride), level_counts(i.levels),
                     plain ? "" : fmt::format(" uops[{}, {}]", i.uop_begin, i.uop_count),
                     reduce(i.reduce_mask), tokens(i.pop, i.push));
}

/// Operand b inside the parentheses, and what of it does not belong there.
std::pair<std::string, std::string> operand_b(const VectorInsn& i) {
  const std::string b = level_index(i.b_base, i.levels, &VectorLevel::b_stride);
  std::string inside, outside;
  if (i.b_kind == VectorB::Par)
    inside = ", par" + b;
  else if (b != "[0]")
    outside = " b" + b;
  if (i.b_kind == VectorB::Imm)
    inside = fmt::format(", #{}", i.imm);
  else
    outside += clause("imm", i.imm, std::int32_t{0});
  return {inside, outside};
}

std::string text_of(const VectorInsn& i) {
  const auto [b, rest] = operand_b(i);
  const std::string offset = i.a_offset == 0 ? ""
                                             : fmt::format(" {} {}", i.a_offset < 0 ? "-" : "+",
                                                           i.a_offset < 0 ? -int{i.a_offset} : i.a_offset);
  const bool clamped = i.clamp_min != -128 || i.clamp_max != 127;
  return fmt::format(
      "vector {}{} {} {}({}{}{}{}){}{}{}{}{}{}{}{}", to_string(i.dst_buffer),
      level_index(i.dst_base, i.levels, &VectorLevel::dst_stride), i.init ? "=" : "+=", to_string(i.op),
      to_string(i.a_buffer), level_index(i.a_base, i.levels, &VectorLevel::a_stride), offset, b,
      level_counts(i.levels), reduce(i.reduce_mask), clause("shift", i.shift, std::uint8_t{0}),
      clause("half", i.half, std::uint16_t{0}), rest, clause("zero", i.out_zero, std::int16_t{0}),
      clamped ? fmt::format(" clamp {} {}", i.clamp_min, i.clamp_max) : "", tokens(i.pop, i.push));
}

std::string text_of(const FinishInsn& i) {
  return fmt::format("finish {}{}", i.sequence, tokens(i.pop, i.push));
}

/// Whether each code that the text spells by name has a name.
bool has_names(const Insn& insn) {
  return std::visit(
      overloaded{
          [](const MemoryInsn& i) { return !to_string(i.buffer).empty() && !to_string(i.window).empty(); },
          [](const VectorInsn& i) {
            return !to_string(i.op).empty() && !to_string(i.dst_buffer).empty() &&
                   !to_string(i.a_buffer).empty() && !to_string(i.b_kind).empty();
          },
          [](const auto&) { return true; },
      },
      insn);
}

}  // namespace

std::string to_text(const Insn& insn) {
  return std::visit([](const auto& i) { return text_of(i); }, insn);
}

std::string to_text(const InsnWords& words) {
  const std::optional<Insn> insn = try_decode(words);
  if (insn && has_names(*insn) && encode(*insn) == words) return to_text(*insn);
  std::string text = ".insn ";
  for (unsigned w = kInsnWords; w-- > 0;) text += fmt::format("{:016x}", words[w]);
  return text;
}

std::string to_text(const Uop& uop) { return fmt::format(".uop {}, {}, {}", uop.acc, uop.inp, uop.wgt); }

std::string disassemble(std::span<const InsnWords> insns) {
  std::string text;
  for (const InsnWords& words : insns) text += to_text(words) + "\n";
  return text;
}

}  // namespace vdla::isa
