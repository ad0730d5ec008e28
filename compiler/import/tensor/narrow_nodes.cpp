// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/narrow_nodes.h"

#include <algorithm>
#include <string_view>

#include "compiler/import/tensor/extents.h"
#include "compiler/import/tensor/narrow.h"

namespace vdla::import::tensor {
namespace {

constexpr std::string_view kConversions[] = {"Cast", "CastLike", "DequantizeLinear", "QuantizeLinear"};

/// Operators that move elements; inputs from `end` on say places.
struct Mover {
  std::string_view op;
  int end = 1;
};
constexpr int kAll = 1 << 30;
constexpr Mover kMovers[] = {
    {"Concat", kAll}, {"Expand"}, {"Flatten"}, {"Gather"},  {"Identity"}, {"Reshape"},   {"Shape"},
    {"Size"},         {"Slice"},  {"Split"},   {"Squeeze"}, {"Tile"},     {"Transpose"}, {"Unsqueeze"},
};

bool gives_numbers(std::string_view op) { return op == "Shape" || op == "Size"; }

Narrow narrow_at(const Node& c, int i) { return c.has(i) ? c.as_it_is(i).narrow : Narrow::None; }

/// The attribute of a conversion that states the type of its result.
Narrow stated(const Node& c) {
  const char* attribute = c.op() == "Cast" ? "to" : c.op() == "QuantizeLinear" ? "output_dtype" : nullptr;
  const auto* found = attribute == nullptr ? nullptr : c.find(attribute);
  return found == nullptr ? Narrow::None : narrow_of(static_cast<int>(found->i()));
}

}  // namespace

bool concerns_narrow(const Node& c) {
  if (stated(c) != Narrow::None) return true;
  for (int i = 0; i < c.inputs(); ++i) {
    const Narrow narrow = narrow_at(c, i);
    if (narrow != Narrow::None && !(c.op() == "DequantizeLinear" && is_integer(narrow))) return true;
  }
  return false;
}

void import_narrow(const Node& c, Import import) {
  require_extents(c);
  if (std::ranges::find(kConversions, c.op()) != std::end(kConversions)) return import(c);
  const auto* mover = std::ranges::find(kMovers, c.op(), &Mover::op);
  if (mover == std::end(kMovers)) require_wide(c);
  const Narrow narrow = narrow_at(c, 0);
  std::vector<Value> inputs;
  for (int i = 0; i < c.inputs(); ++i) {
    inputs.push_back(c.has(i) ? c.in(i) : Value{});
    const bool moved = i < mover->end && c.has(i);
    c.require(narrow_at(c, i) == (moved ? narrow : Narrow::None),
              "has inputs of " + type_text(c.as_it_is(0)) + " and " + type_text(c.as_it_is(i)) +
                  ", needs one type");
    inputs.back().narrow = Narrow::None;
  }
  std::vector<Value> results = c.made_of(import, inputs);
  for (int i = 0; i < c.outputs(); ++i) {
    if (!c.wants(i)) continue;
    Value& result = results[static_cast<std::size_t>(i)];
    result.narrow = gives_numbers(c.op()) ? Narrow::None : narrow;
    c.set(i, result);
  }
}

void require_wide(const Composer& c, const Value& x) {
  c.require(x.narrow == Narrow::None, "reads or gives " + type_text(x) +
                                          ", which operators convert or move alone; needs a Cast before it");
}

void require_wide(const Node& c) {
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i)) require_wide(c, c.as_it_is(i));
}

}  // namespace vdla::import::tensor
