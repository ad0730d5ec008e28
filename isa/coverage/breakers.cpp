// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/breakers.h"

#include <algorithm>
#include <set>

#include "isa/codec/codec.h"
#include "isa/coverage/fields.h"
#include "isa/spec/errors.h"

namespace vdla::isa {
namespace {

class Breakers {
 public:
  explicit Breakers(const Geometry& geometry) : geometry_(geometry), found_(rules().size()) {
    for (const NamedCode& b : kBuffers)
      for (const std::int64_t below : {0, 1, 2})
        values_.insert(std::int64_t{geometry.depth(static_cast<Buffer>(b.code))} - below);
    values_.insert({0, 1, 2, 4, 8, -1});  // -1: all bits
  }

  std::vector<std::optional<InsnWords>> run() {
    try_words({});
    for (const NamedCode& row : kOpcodes) {
      const auto opcode = static_cast<Opcode>(row.code);
      const InsnWords smallest = encode(smallest_insn(opcode));
      const InsnWords reserved = reserved_mask(opcode);
      for (unsigned w = 0; w < kInsnWords; ++w) {
        InsnWords words = smallest;
        words[w] |= reserved[w] & -reserved[w];
        try_words(words);
      }
      std::vector<const Field*> names;
      for (const Field& f : fields_of(opcode))
        if (f.width != 0 && f.width <= 4 && f.name != "opcode" && f.name != "pop" && f.name != "push")
          names.push_back(&f);
      choose_names(opcode, smallest, names, 0);
      // ranges that are as wide as they can be are broken from a narrow one
      InsnWords narrow = smallest;
      for (const Field& f : fields_of(opcode))
        if (f.is_signed()) narrow = with(narrow, f, 0);
      if (narrow != smallest) choose_names(opcode, narrow, names, 0);
    }
    return std::move(found_);
  }

 private:
  /// Every combination of the named fields; with legal ones also every other field at each of the values.
  void choose_names(Opcode opcode, const InsnWords& words, const std::vector<const Field*>& names,
                    std::size_t at) {
    if (at < names.size()) {
      for (std::int64_t v = 0; v < std::int64_t{1} << names[at]->width; ++v)
        choose_names(opcode, with(words, *names[at], v), names, at + 1);
      return;
    }
    try_words(words);
    if (find_broken_rule(words, geometry_) != nullptr) return;
    for (const Field& f : fields_of(opcode))
      if (f.width > 1 && f.name != "opcode")
        for (const std::int64_t v : values_) try_words(with(words, f, v));
  }

  void try_words(const InsnWords& words) {
    if (const Rule* rule = find_broken_rule(words, geometry_))
      if (auto& place = found_[number_of(*rule) - 1]; !place) place = words;
  }

  const Geometry& geometry_;
  std::set<std::int64_t> values_;
  std::vector<std::optional<InsnWords>> found_;
};

bool has_field(Opcode opcode, std::string_view name) {
  return std::ranges::any_of(fields_of(opcode), [&](const Field& f) { return f.name == name; });
}

bool has_index(Opcode opcode) {
  return std::ranges::any_of(fields_of(opcode), [](const Field& f) { return f.name.ends_with("_base"); });
}

}  // namespace

std::vector<std::optional<InsnWords>> rule_breakers(const Geometry& geometry) {
  return Breakers(geometry).run();
}

bool can_raise(ErrorCode code, Unit unit) {
  // Fetch reads and checks all instructions, and the watchdog speaks in its name.
  const bool fetch = unit == Unit::Fetch;
  const auto by_insn = [&](auto&& does) {
    return std::ranges::any_of(kOpcodes, [&](const NamedCode& row) {
      const auto opcode = static_cast<Opcode>(row.code);
      return unit_of(opcode) == unit && does(opcode);
    });
  };
  switch (code) {
    case ErrorCode::None:
      return false;
    case ErrorCode::IllegalInsn:
    case ErrorCode::Stall:
    case ErrorCode::NoFinish:
    case ErrorCode::Misaligned:
      return fetch;
    case ErrorCode::Window:
      return fetch || by_insn([](Opcode o) { return has_field(o, "window"); });
    case ErrorCode::SramBounds:
      return by_insn(has_index);
    case ErrorCode::BusRead:
      return fetch || by_insn([](Opcode o) { return o == Opcode::Load; });
    case ErrorCode::BusWrite:
      return by_insn([](Opcode o) { return o == Opcode::Store; });
  }
  return false;
}

}  // namespace vdla::isa
