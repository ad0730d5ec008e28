// SPDX-License-Identifier: Apache-2.0
// Text -> instructions: a recursive descent over one line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "isa/asm/asm.h"
#include "isa/asm/cursor.h"
#include "isa/codec/codec.h"
#include "isa/spec/operations.h"

namespace vdla::isa {
namespace {

std::string names_of(std::span<const NamedCode> table) {
  std::string names;
  for (const NamedCode& row : table) names += (names.empty() ? "" : ", ") + std::string(row.text);
  return names;
}

template <class Enum>
Enum code_named(Cursor& c, std::span<const NamedCode> table, std::string_view what) {
  const std::string_view name = c.word();
  for (const NamedCode& row : table)
    if (row.text == name) return static_cast<Enum>(row.code);
  c.fail_last(fmt::format("'{}' is no {}, needs one of {}", name, what, names_of(table)));
}

/// Counters of an index and how many bits their strides have.
struct Counters {
  std::span<const std::string_view> names;
  unsigned base_bits;
  unsigned stride_bits;
  bool wraps;  ///< strides may be negative, modulo 2^stride_bits
};

struct Index {
  std::uint64_t base = 0;
  std::array<std::uint64_t, kLevels> strides{};
};

constexpr std::array<std::string_view, 5> kLevelCounters{"i0", "i1", "i2", "i3", "i4"};
constexpr std::array<std::string_view, 3> kMemoryCounters{"x", "y", "z"};
constexpr Counters kEntries{kLevelCounters, kIndexBits, kIndexBits, true};
constexpr Counters kMemoryEntries{kMemoryCounters, kIndexBits, kIndexBits, true};
constexpr Counters kBytes{kMemoryCounters, 48, 32, false};

std::size_t counter_named(Cursor& c, std::span<const std::string_view> names) {
  const std::string_view name = c.word();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  std::string known;
  for (std::string_view n : names) known += (known.empty() ? "" : ", ") + std::string(n);
  c.fail_last(fmt::format("'{}' is no counter here, needs one of {}", name, known));
}

void parse_term(Cursor& c, const Counters& counters, bool negative, Index& index) {
  std::uint64_t stride = 1;
  if (c.at_number()) {
    const auto value = static_cast<std::uint64_t>(c.number("an index", counters.base_bits));
    if (!c.take("*")) {
      if (negative) c.fail_last("the base of an index is not negative");
      if (index.base != 0) c.fail_last("an index has one base");
      index.base = value;
      return;
    }
    if (value >> counters.stride_bits != 0)
      c.fail_last(fmt::format("stride {} does not fit {} bits", value, counters.stride_bits));
    stride = value;
  }
  const std::size_t counter = counter_named(c, counters.names);
  if (negative && !counters.wraps) c.fail_last("a stride of bytes is not negative");
  if (index.strides[counter] != 0)
    c.fail_last(fmt::format("counter {} occurs twice", counters.names[counter]));
  index.strides[counter] = negative ? (0 - stride) & ((1ull << counters.stride_bits) - 1) : stride;
}

Index parse_index(Cursor& c, const Counters& counters) {
  Index index;
  c.expect("[");
  bool negative = c.take("-");
  while (true) {
    parse_term(c, counters, negative, index);
    if (c.take("]")) return index;
    negative = c.take("-");
    if (!negative) c.expect("+");
  }
}

unsigned parse_units(Cursor& c) {
  unsigned mask = 0;
  do {
    const auto unit = code_named<Unit>(c, std::span(kUnits).first(kQueueUnits), "unit with a queue");
    mask |= 1u << static_cast<unsigned>(unit);
  } while (c.take(","));
  return mask;
}

/// "x<14 y<4": fills counts by counter.
void parse_counts(Cursor& c, std::span<const std::string_view> names,
                  const std::function<std::uint16_t&(std::size_t)>& count) {
  do {
    const std::size_t counter = counter_named(c, names);
    c.expect("<");
    count(counter) = static_cast<std::uint16_t>(c.number("a count", 16));
  } while (std::ranges::find(names, c.peek()) != names.end());
}

unsigned parse_reduce(Cursor& c, bool with_uops) {
  unsigned mask = 0;
  while (true) {
    if (with_uops && c.take("u")) {
      mask |= 1u << kReduceUopBit;
    } else if (std::ranges::find(kLevelCounters, c.peek()) != kLevelCounters.end()) {
      mask |= 1u << counter_named(c, kLevelCounters);
    } else {
      if (mask == 0)
        c.fail_here(with_uops ? "reduce needs counters i0 to i4 or u" : "reduce needs counters i0 to i4");
      return mask;
    }
  }
}

/// One clause per entry: its keyword and what reads the rest. Clauses come in any order, each at most once.
struct Clause {
  std::string_view keyword;
  std::function<void()> parse;
  bool seen = false;
};

void parse_clauses(Cursor& c, std::span<Clause> clauses) {
  while (!c.at_end()) {
    const auto found = std::ranges::find_if(clauses, [&](const Clause& k) { return c.take(k.keyword); });
    if (found == clauses.end()) {
      std::string known;
      for (const Clause& k : clauses) known += (known.empty() ? "" : ", ") + std::string(k.keyword);
      c.fail_here(fmt::format("'{}' is no clause here, needs one of {}", c.peek(), known));
    }
    if (found->seen) c.fail_last(fmt::format("'{}' occurs twice", found->keyword));
    found->seen = true;
    found->parse();
  }
}

template <class T>
void read(Cursor& c, T& member, std::string_view what, unsigned bits) {
  member = static_cast<T>(c.number(what, bits, std::is_signed_v<T>));
}

template <class I>
Clause pop_clause(Cursor& c, I& i) {
  return {"pop", [&] { i.pop = static_cast<std::uint8_t>(parse_units(c)); }};
}
template <class I>
Clause push_clause(Cursor& c, I& i) {
  return {"push", [&] { i.push = static_cast<std::uint8_t>(parse_units(c)); }};
}

void parse_sram(Cursor& c, MemoryInsn& i) {
  i.buffer = code_named<Buffer>(c, kBuffers, "buffer");
  const Index index = parse_index(c, kMemoryEntries);
  if (index.strides[0] != 0)
    c.fail_last("positions along x follow each other in SRAM: there is no stride for x");
  i.sram_base = static_cast<std::uint16_t>(index.base);
  i.y_sram_stride = static_cast<std::uint16_t>(index.strides[1]);
  i.z_sram_stride = static_cast<std::uint16_t>(index.strides[2]);
}

void parse_dram(Cursor& c, MemoryInsn& i) {
  i.window = code_named<Window>(c, kWindows, "window");
  const Index index = parse_index(c, kBytes);
  i.dram_offset = index.base;
  i.x_dram_stride = static_cast<std::uint32_t>(index.strides[0]);
  i.y_dram_stride = static_cast<std::uint32_t>(index.strides[1]);
  i.z_dram_stride = static_cast<std::uint32_t>(index.strides[2]);
}

Insn parse_memory(Cursor& c, Opcode opcode) {
  MemoryInsn i;
  i.opcode = opcode;
  opcode == Opcode::Load ? parse_sram(c, i) : parse_dram(c, i);
  c.expect("=");
  opcode == Opcode::Load ? parse_dram(c, i) : parse_sram(c, i);
  const auto pair = [&](std::uint16_t& before, std::uint16_t& after) {
    read(c, before, "padding", 16);
    read(c, after, "padding", 16);
  };
  Clause clauses[] = {
      {"for",
       [&] {
         parse_counts(c, kMemoryCounters, [&](std::size_t k) -> std::uint16_t& {
           return k == 0 ? i.x_count : k == 1 ? i.y_count : i.z_count;
         });
       }},
      {"run", [&] { read(c, i.run, "run", 16); }},
      {"widen", [&] { i.widen = true; }},
      {"pad x", [&] { pair(i.x_pad_before, i.x_pad_after); }},
      {"pad y", [&] { pair(i.y_pad_before, i.y_pad_after); }},
      {"pad value", [&] { read(c, i.pad_value, "the pad value", 8); }},
      pop_clause(c, i),
      push_clause(c, i),
  };
  parse_clauses(c, clauses);
  return i;
}

/// "=" sets init.
bool parse_init(Cursor& c) {
  if (c.take("+=")) return false;
  c.expect("=");
  return true;
}

template <class Levels, class Stride>
void set_strides(Levels& levels, Stride stride, const Index& index) {
  for (unsigned l = 0; l < kLevels; ++l) levels[l].*stride = static_cast<std::uint16_t>(index.strides[l]);
}

template <class Levels, class Stride>
std::uint16_t parse_entries(Cursor& c, Levels& levels, Stride stride) {
  const Index index = parse_index(c, kEntries);
  set_strides(levels, stride, index);
  return static_cast<std::uint16_t>(index.base);
}

Insn parse_gemm(Cursor& c) {
  GemmInsn i;
  c.expect("acc");
  i.acc_base = parse_entries(c, i.levels, &GemmLevel::acc_stride);
  i.init = parse_init(c);
  c.expect("inp");
  i.inp_base = parse_entries(c, i.levels, &GemmLevel::inp_stride);
  c.expect("*");
  c.expect("wgt");
  i.wgt_base = parse_entries(c, i.levels, &GemmLevel::wgt_stride);
  const auto uops = [&] {
    c.expect("[");
    read(c, i.uop_begin, "uop_begin", 16);
    c.expect(",");
    read(c, i.uop_count, "uop_count", 16);
    c.expect("]");
  };
  Clause clauses[] = {
      {"for",
       [&] {
         parse_counts(c, kLevelCounters, [&](std::size_t l) -> std::uint16_t& { return i.levels[l].count; });
       }},
      {"uops", uops},
      {"reduce", [&] { i.reduce_mask = static_cast<std::uint8_t>(parse_reduce(c, true)); }},
      pop_clause(c, i),
      push_clause(c, i),
  };
  parse_clauses(c, clauses);
  return i;
}

/// "op(a + offset, b)"
void parse_operation(Cursor& c, VectorInsn& i) {
  i.op = code_named<VectorOp>(c, kVectorOps, "vector operation");
  c.expect("(");
  i.a_buffer = code_named<Buffer>(c, kBuffers, "buffer");
  i.a_base = parse_entries(c, i.levels, &VectorLevel::a_stride);
  if (c.take("+"))
    i.a_offset = static_cast<std::int16_t>(c.number("a_offset", 15));
  else if (c.take("-"))
    i.a_offset = static_cast<std::int16_t>(c.take("32768") ? -32768 : -c.number("a_offset", 15));
  if (c.take(",")) {
    if (c.take("#")) {
      i.b_kind = VectorB::Imm;
      read(c, i.imm, "the immediate", 32);
    } else {
      c.expect("par");
      i.b_kind = VectorB::Par;
      i.b_base = parse_entries(c, i.levels, &VectorLevel::b_stride);
    }
  }
  c.expect(")");
}

Insn parse_vector(Cursor& c) {
  VectorInsn i;
  i.dst_buffer = code_named<Buffer>(c, kBuffers, "buffer");
  i.dst_base = parse_entries(c, i.levels, &VectorLevel::dst_stride);
  i.init = parse_init(c);
  parse_operation(c, i);
  Clause clauses[] = {
      {"for",
       [&] {
         parse_counts(c, kLevelCounters, [&](std::size_t l) -> std::uint16_t& { return i.levels[l].count; });
       }},
      {"reduce", [&] { i.reduce_mask = static_cast<std::uint8_t>(parse_reduce(c, false)); }},
      {"shift", [&] { read(c, i.shift, "shift", 6); }},
      {"half", [&] { read(c, i.half, "half", 16); }},
      {"imm", [&] { read(c, i.imm, "the immediate", 32); }},
      {"b", [&] { i.b_base = parse_entries(c, i.levels, &VectorLevel::b_stride); }},
      {"zero", [&] { read(c, i.out_zero, "zero", 16); }},
      {"clamp",
       [&] {
         read(c, i.clamp_min, "clamp_min", 8);
         read(c, i.clamp_max, "clamp_max", 8);
       }},
      pop_clause(c, i),
      push_clause(c, i),
  };
  parse_clauses(c, clauses);
  return i;
}

Insn parse_finish(Cursor& c) {
  FinishInsn i;
  read(c, i.sequence, "the sequence number", 32);
  Clause clauses[] = {pop_clause(c, i), push_clause(c, i)};
  parse_clauses(c, clauses);
  return i;
}

Insn parse_insn(Cursor& c) {
  switch (const auto opcode = code_named<Opcode>(c, kOpcodes, "instruction")) {
    case Opcode::Load:
    case Opcode::Store:
      return parse_memory(c, opcode);
    case Opcode::Gemm:
      return parse_gemm(c);
    case Opcode::Vector:
      return parse_vector(c);
    case Opcode::Finish:
      return parse_finish(c);
  }
  c.fail_last("no such instruction");
}

Uop parse_uop(Cursor& c) {
  Uop uop;
  read(c, uop.acc, "acc", 16);
  c.expect(",");
  read(c, uop.inp, "inp", 16);
  c.expect(",");
  read(c, uop.wgt, "wgt", 16);
  return uop;
}

InsnWords parse_words(Cursor& c) {
  InsnWords words{};
  for (unsigned w = kInsnWords; w-- > 0;) words[w] = c.hex(16);
  return words;
}

void parse_line(Cursor& c, unsigned line_number, Assembly& assembly) {
  if (c.at_end()) return;
  if (c.take(".uop")) {
    assembly.uops.push_back(parse_uop(c));
  } else {
    assembly.insns.push_back(c.take(".insn") ? parse_words(c) : encode(parse_insn(c)));
    assembly.lines.push_back(line_number);
  }
  if (!c.at_end()) c.fail_here("more text than the line needs");
}

}  // namespace

Assembly assemble(std::string_view text, std::string_view origin) {
  Assembly assembly;
  for (unsigned line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Cursor cursor(text.substr(0, end), origin, line_number);
    parse_line(cursor, line_number, assembly);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return assembly;
}

}  // namespace vdla::isa
