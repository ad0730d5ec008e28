// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "isa/codec/codec.h"
#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "support/bits.h"

namespace vdla::isa::gen {
namespace {

std::string hex(const InsnWords& words) {
  std::string text;
  for (unsigned w = kInsnWords; w-- > 0;) text += fmt::format("{:016x}", words[w]);
  return text;
}

/// Values that no two fields of a layout share by accident: a multiplicative sequence cut to the field.
std::uint64_t sample(unsigned index, const Field& f) {
  return (0x9e3779b97f4a7c15ull * (index + 1) >> 7) & low_mask(f.width);
}

std::string line(Opcode opcode, const std::vector<std::pair<const Field*, std::uint64_t>>& values) {
  InsnWords words{};
  words[0] = static_cast<unsigned>(opcode);
  std::string text = std::string(to_string(opcode));
  for (auto [f, raw] : values) {
    words[f->word()] = set_bits(words[f->word()], f->shift(), f->width, raw);
    text += fmt::format(" {}={}", f->name, field_value(words, *f));
  }
  return text + " : " + hex(words) + "\n";
}

}  // namespace

std::string vectors() {
  std::string text = banner(
      "#", "Golden encodings, legal or not: fields that are not zero, then the 512 bits, highest first.");
  for (const NamedCode& row : kOpcodes) {
    const auto opcode = static_cast<Opcode>(row.code);
    std::vector<std::pair<const Field*, std::uint64_t>> all;
    unsigned index = 0;
    for (const Field& f : fields_of(opcode)) {
      if (f.width == 0 || f.name == "opcode") continue;
      text += line(opcode, {{&f, f.is_signed() ? 1ull << (f.width - 1) : low_mask(f.width)}});
      all.emplace_back(&f, sample(index++, f));
    }
    text += line(opcode, all);
  }
  return text;
}

}  // namespace vdla::isa::gen
