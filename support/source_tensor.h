// SPDX-License-Identifier: Apache-2.0
// Tensors of the model that a user has, and what they are to values of what was compiled of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vdla {

// name, code in files, word in text, what it says. From close to far: what is made of a value is at most as
// close to the model's tensors as the value.
#define VDLA_LIKENESSES(X)                                                                                \
  X(Same, 0, "of", "its elements in its order; integers, where the model has the real numbers they mean") \
  X(Reordered, 1, "reordered", "its elements in another order: channels last, in blocks")                 \
  X(Within, 2, "within", "computed on the way to this value, and kept nowhere")                           \
  X(From, 3, "from", "the compiler made this value of it: packed weights, taps of a convolution as channels")

enum class Likeness : std::uint8_t {
#define VDLA_ENUM(name, code, text, doc) name = code,
  VDLA_LIKENESSES(VDLA_ENUM)
#undef VDLA_ENUM
};

/// Word in text.
constexpr std::string_view name_of(Likeness likeness) {
  switch (likeness) {
#define VDLA_CASE(name, code, text, doc) \
  case Likeness::name:                   \
    return text;
    VDLA_LIKENESSES(VDLA_CASE)
#undef VDLA_CASE
  }
  return "";
}

struct SourceTensor {
  std::string name;  ///< as in the model
  Likeness likeness = Likeness::Same;
  /// For a value as the importer made it, whose dimensions are not in the model's order: its dimension i is
  /// dimension order[i] of the model's tensor. Empty: not said. Graph text and modules leave it out, since
  /// passes reorder values further.
  std::vector<int> order = {};
  /// The order is left out, as in text and modules.
  bool operator==(const SourceTensor& other) const {
    return name == other.name && likeness == other.likeness;
  }
};

/// Sources of one value, each name once, the closest first. Without one that is the same or reordered, the
/// value is the compiler's own.
using Sources = std::vector<SourceTensor>;

/// Whether the value stands for a tensor of the model: the one in front.
inline bool stands_for_one(const Sources& sources) {
  return !sources.empty() && sources.front().likeness <= Likeness::Reordered;
}

}  // namespace vdla
