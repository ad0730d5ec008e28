// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/codec.h"

#include <type_traits>

#include "isa/codec/members.h"
#include "support/bits.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

/// Members appear in the order of the table and under the same names, and each field has a member.
template <class I>
constexpr bool members_match() {
  I insn{};
  const std::span<const Field> table = table_of(insn);
  std::size_t at = table.front().name == "opcode" ? 1 : 0;
  bool match = true;
  visit_members(insn, [&](std::string_view name, auto&) {
    while (at < table.size() && table[at].name == kNextWord) ++at;
    match = match && at < table.size() && table[at].name == name;
    ++at;
  });
  return match && at == table.size();
}
static_assert(members_match<MemoryInsn>() && members_match<GemmInsn>() && members_match<VectorInsn>());
static_assert(members_match<FinishInsn>() && members_match<Uop>());

template <class T>
constexpr std::int64_t to_integer(T value) {
  return static_cast<std::int64_t>(value);
}

template <class T, std::size_t N>
void write_fields(const T& from, std::array<std::uint64_t, N>& words) {
  visit_fields(from, [&](const Field& f, const auto& member) {
    const std::int64_t value = to_integer(member);
    VDLA_CHECK_USER(f.is_signed() ? fits_signed(value, f.width) : fits_unsigned(value, f.width))
        << "field " << f.name << " is " << value << ", needs to fit " << f.width
        << (f.is_signed() ? " signed" : "") << " bits";
    std::uint64_t& word = words[f.word()];
    word = set_bits(word, f.shift(), f.width, static_cast<std::uint64_t>(value));
  });
}

template <class T, std::size_t N>
void read_fields(const std::array<std::uint64_t, N>& words, T& to) {
  visit_fields(to, [&](const Field& f, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    const std::uint64_t raw = get_bits(words[f.word()], f.shift(), f.width);
    member = static_cast<Member>(f.is_signed() ? sign_extend(raw, f.width) : static_cast<std::int64_t>(raw));
  });
}

template <class I>
I read_insn(const InsnWords& words, I insn = {}) {
  read_fields(words, insn);
  return insn;
}

MemoryInsn memory_insn(Opcode opcode) {
  MemoryInsn insn;
  insn.opcode = opcode;
  return insn;
}

constexpr const Field& kOpcodeField = kMemoryFields[0];

}  // namespace

InsnWords encode(const Insn& insn) {
  InsnWords words{};
  words[kOpcodeField.word()] =
      set_bits(0, kOpcodeField.shift(), kOpcodeField.width, static_cast<unsigned>(opcode_of(insn)));
  std::visit([&](const auto& i) { write_fields(i, words); }, insn);
  return words;
}

std::optional<Insn> try_decode(const InsnWords& words) {
  const auto code = static_cast<unsigned>(field_value(words, kOpcodeField));
  if (text_of(kOpcodes, code).empty()) return std::nullopt;
  switch (const auto opcode = static_cast<Opcode>(code); opcode) {
    case Opcode::Load:
    case Opcode::Store:
      return read_insn(words, memory_insn(opcode));
    case Opcode::Gemm:
      return read_insn<GemmInsn>(words);
    case Opcode::Vector:
      return read_insn<VectorInsn>(words);
    case Opcode::Finish:
      return read_insn<FinishInsn>(words);
  }
  return std::nullopt;
}

Insn decode(const InsnWords& words, const Geometry& geometry) {
  if (const Rule* rule = find_broken_rule(words, geometry))
    throw UserError("illegal instruction: " + describe_rule(number_of(*rule)));
  return *try_decode(words);
}

const Rule* find_broken_rule(const Insn& insn, const Geometry& geometry) {
  return find_broken_rule(encode(insn), geometry);
}

std::uint64_t encode_uop(const Uop& uop) {
  std::array<std::uint64_t, 1> word{};
  write_fields(uop, word);
  return word[0];
}

Uop decode_uop(std::uint64_t word) {
  Uop uop;
  read_fields(std::array<std::uint64_t, 1>{word}, uop);
  return uop;
}

InsnWords words_from_bytes(std::span<const std::byte, kInsnBytes> bytes) {
  InsnWords words{};
  for (unsigned w = 0; w < kInsnWords; ++w) words[w] = load_le<std::uint64_t>(bytes.subspan(8 * w, 8));
  return words;
}

void words_to_bytes(const InsnWords& words, std::span<std::byte, kInsnBytes> bytes) {
  for (unsigned w = 0; w < kInsnWords; ++w) store_le(bytes.subspan(8 * w, 8), words[w]);
}

std::vector<std::byte> encode_stream(std::span<const Insn> insns) {
  std::vector<std::byte> bytes(insns.size() * kInsnBytes);
  for (std::size_t i = 0; i < insns.size(); ++i)
    words_to_bytes(encode(insns[i]), std::span(bytes).subspan(i * kInsnBytes).first<kInsnBytes>());
  return bytes;
}

std::vector<std::byte> encode_uops(std::span<const Uop> uops) {
  std::vector<std::byte> bytes(uops.size() * kUopBytes);
  for (std::size_t i = 0; i < uops.size(); ++i)
    store_le(std::span(bytes).subspan(i * kUopBytes, kUopBytes), encode_uop(uops[i]));
  return bytes;
}

std::vector<Insn> decode_stream(std::span<const std::byte> bytes, const Geometry& geometry) {
  VDLA_CHECK_USER(bytes.size() % kInsnBytes == 0)
      << "an instruction stream has " << bytes.size() << " bytes, needs a multiple of " << kInsnBytes;
  std::vector<Insn> insns;
  insns.reserve(bytes.size() / kInsnBytes);
  for (std::size_t at = 0; at < bytes.size(); at += kInsnBytes) {
    const InsnWords words = words_from_bytes(bytes.subspan(at).first<kInsnBytes>());
    if (const Rule* rule = find_broken_rule(words, geometry))
      throw UserError("instruction " + std::to_string(at / kInsnBytes) +
                      " is illegal: " + describe_rule(number_of(*rule)));
    insns.push_back(*try_decode(words));
  }
  return insns;
}

}  // namespace vdla::isa
