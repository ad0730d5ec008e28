// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/fields.h"

#include <algorithm>
#include <optional>

#include "isa/codec/codec.h"
#include "isa/verify/footprint.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

/// Fields of at most this many bits hold names or flags.
constexpr unsigned kNameBits = 4;

bool is_name(const Field& f) { return f.width != 0 && f.width <= kNameBits; }
bool is_number(const Field& f) { return f.width > kNameBits; }

std::int64_t lowest(const Field& f) { return f.is_signed() ? -(std::int64_t{1} << (f.width - 1)) : 0; }
std::int64_t highest(const Field& f) {
  return static_cast<std::int64_t>(low_mask(f.is_signed() ? f.width - 1 : f.width));
}

bool can_execute(const InsnWords& words, const Geometry& geometry) {
  if (find_broken_rule(words, geometry) != nullptr) return false;
  static const std::vector<Uop> kZero{Uop{}};
  return vdla::isa::can_execute(*try_decode(words), kZero, geometry);
}

class Search {
 public:
  Search(Opcode opcode, const Geometry& geometry)
      : opcode_(opcode), geometry_(geometry), smallest_(encode(smallest_insn(opcode))) {
    choose_names(smallest_, 0);
    for (const Field& f : fields_of(opcode))
      if (is_number(f)) companions_.push_back(&f);
  }

  std::vector<FieldBound> run() {
    std::vector<FieldBound> lows, all;
    std::vector<const Field*> optional;
    for (const Field& f : fields_of(opcode_)) {
      if (!is_number(f)) continue;
      lows.push_back(bound(f, lowest(f), true));
      if (lows.back().value == 0 && default_of(f) == 1) optional.push_back(&f);
    }
    leave_out(optional);
    std::size_t at = 0;
    for (const Field& f : fields_of(opcode_)) {
      if (!is_number(f)) continue;
      all.push_back(std::move(lows[at++]));
      FieldBound high = bound(f, highest(f), false);
      if (high.value != all.back().value) all.push_back(std::move(high));
    }
    return all;
  }

 private:
  std::int64_t default_of(const Field& f) const { return field_value(smallest_, f); }

  /// Fills contexts_ with every legal combination of the named fields.
  void choose_names(const InsnWords& words, std::size_t at) {
    const std::span<const Field> table = fields_of(opcode_);
    while (at < table.size() && (!is_name(table[at]) || is_header(table[at]))) ++at;
    if (at == table.size()) {
      if (can_execute(words, geometry_)) contexts_.push_back(words);
      return;
    }
    for (std::int64_t v = 0; v <= highest(table[at]); ++v) choose_names(with(words, table[at], v), at + 1);
  }
  static bool is_header(const Field& f) { return f.name == "opcode" || f.name == "pop" || f.name == "push"; }

  /// Adds to the contexts those with each subset of the optional counts at zero.
  void leave_out(const std::vector<const Field*>& optional) {
    for (const Field* f : optional)
      for (std::size_t c = contexts_.size(); c-- > 0;) contexts_.push_back(with(contexts_[c], *f, 0));
  }

  /// An executable instruction with this value; with a companion one other number may be one.
  std::optional<InsnWords> find(const Field& f, std::int64_t value, bool companion) const {
    for (const InsnWords& context : contexts_)
      if (const InsnWords words = with(context, f, value); can_execute(words, geometry_)) return words;
    if (!companion) return std::nullopt;
    for (const InsnWords& context : contexts_)
      for (const Field* other : companions_) {
        const InsnWords words = with(with(context, f, value), *other, 1);
        if (other != &f && can_execute(words, geometry_)) return words;
      }
    return std::nullopt;
  }

  /// The legal value that is farthest towards `limit`.
  FieldBound bound(const Field& f, std::int64_t limit, bool companion) const {
    std::int64_t good = default_of(f), bad = limit;
    std::optional<InsnWords> best = find(f, limit, companion);
    if (best) {
      good = limit;
    } else {
      best = find(f, good, companion);
      VDLA_CHECK(best.has_value()) << "the smallest " << to_string(opcode_) << " is not legal";
      while (good != bad && std::max(good, bad) - std::min(good, bad) > 1) {
        const std::int64_t middle = good + (bad - good) / 2;
        if (auto words = find(f, middle, companion)) {
          good = middle;
          best = words;
        } else {
          bad = middle;
        }
      }
    }
    return {opcode_, &f, good, *try_decode(*best)};
  }

  Opcode opcode_;
  const Geometry& geometry_;
  InsnWords smallest_;
  std::vector<InsnWords> contexts_;
  std::vector<const Field*> companions_;
};

}  // namespace

InsnWords with(InsnWords words, const Field& f, std::int64_t value) {
  words[f.word()] = set_bits(words[f.word()], f.shift(), f.width, static_cast<std::uint64_t>(value));
  return words;
}

Insn smallest_insn(Opcode opcode) {
  switch (opcode) {
    case Opcode::Load:
      return MemoryInsn{};
    case Opcode::Store: {
      MemoryInsn store;
      store.opcode = Opcode::Store;
      store.buffer = Buffer::Out;
      return store;
    }
    case Opcode::Gemm:
      return GemmInsn{};
    case Opcode::Vector:
      return VectorInsn{};
    case Opcode::Finish:
      return FinishInsn{};
  }
  return FinishInsn{};
}

bool can_execute(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry) {
  if (find_broken_rule(insn, geometry) != nullptr) return false;
  return std::ranges::all_of(sram_accesses(insn, uops, geometry), [&](const SramAccess& a) {
    return a.box.lowest() >= 0 && a.box.highest() < geometry.depth(a.buffer);
  });
}

std::string FieldBound::label() const {
  return std::string(to_string(opcode)) + "." + std::string(field->name) + "=" + std::to_string(value);
}

std::vector<FieldBound> field_bounds(const Geometry& geometry) {
  std::vector<FieldBound> all;
  for (const NamedCode& row : kOpcodes)
    for (FieldBound& bound : Search(static_cast<Opcode>(row.code), geometry).run())
      all.push_back(std::move(bound));
  return all;
}

}  // namespace vdla::isa
