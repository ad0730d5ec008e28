// SPDX-License-Identifier: Apache-2.0
// Operators that move the elements of one tensor, or choose among them by their order: they mean for its
// int8 elements what they mean for reals, so what they are in the model's own types is made of integers.
#include "compiler/import/integer/rules.h"
#include "support/error.h"

namespace vdla::import::integer {
namespace {

/// Outputs of the node on the integers `x` in place of its input 0.
std::vector<Value> of_integers(const Context& c, const Value& x, const graph::Quantization& carried) {
  std::vector<Value> inputs = {x};
  for (int i = 1; i < c.inputs(); ++i) {
    c.require(!c.has(i) || c.as_it_is(i).pending == nullptr,
              "has " + c.input_text(i) + " behind a DequantizeLinear, needs it in its own type");
    inputs.push_back(c.has(i) ? c.as_it_is(i) : Value{});
  }
  try {
    return c.made_of(c.in_floats(), inputs, carried);
  } catch (const UserError&) {  // said by the node in floats, if that is refused too
    throw Declined{c.model_node(), "is refused for integers"};
  }
}

void set_moved_constant(const Context& c, const QuantizedConstant& constant) {
  c.require(!constant.quantization.per_channel(),
            "moves a constant with a scale for each channel, needs one");
  const std::vector<Value> outputs = of_integers(c, constant.integers, {});
  for (const Value& y : outputs)
    c.require(y.constant() && y.count() > 0, "moves a constant to places that are computed, or to none");
  for (int i = 0; i < c.outputs(); ++i) {
    const Value& y = outputs[static_cast<std::size_t>(i)];
    if (!c.wants(i)) continue;
    if (y.type == constant.integers.type)
      c.set_output(i, QuantizedConstant{y, constant.quantization}, y.shape);
    else
      c.Node::set(i, y);
  }
}

bool all_constant(const Context& c) {
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i) && !c.is_constant(i)) return false;
  return true;
}

}  // namespace

void move_elements(const Context& c) {
  if (const auto* constant = c.form<QuantizedConstant>(0); constant != nullptr && all_constant(c))
    return set_moved_constant(c, *constant);
  const Quantized x = c.quantized(0);
  const Quantized in_order = c.stored_as(x, identity_perm(x.perm.size()), c.name());
  const graph::Quantization q = c.quantization(x);
  const std::vector<Value> outputs = of_integers(c, c.network().value_of(in_order.id), q);
  for (int i = 0; i < c.outputs(); ++i)
    c.require(!c.wants(i) || outputs[static_cast<std::size_t>(i)].id != graph::kNone,
              "gives a constant, needs one computed element at least");
  for (int i = 0; i < c.outputs(); ++i) {
    const Value& y = outputs[static_cast<std::size_t>(i)];
    if (!c.wants(i)) continue;
    if (y.type == DataType::Int8)
      c.set_output(i, Quantized{y.id, identity_perm(y.rank())}, y.shape);
    else
      c.Node::set(i, y);
  }
}

namespace {

/// Shape of a DepthToSpace or SpaceToDepth of images.
Shape of_blocks(const Context& c) {
  const Shape& x = c.shape(0);
  const std::int64_t b = c.positive("blocksize");
  constexpr std::int64_t kMost = 1 << 15;  // its square is counted
  c.require(x.size() == 4 && b < kMost, "needs images N C H W and a block below 32768");
  const bool to_space = c.op() == "DepthToSpace";
  c.require(to_space ? x[1] % (b * b) == 0 : x[2] % b == 0 && x[3] % b == 0,
            "has " + graph::to_string(x) + ", which blocks do not divide");
  if (to_space) return {x[0], x[1] / (b * b), x[2] * b, x[3] * b};
  return {x[0], x[1] * b * b, x[2] / b, x[3] / b};
}

/// Moves the pixels of a layer's result, whose scale is what the reader asks for.
void move_blocks(const Context& c) {
  if (!c.form<Deferred>(0)) return move_elements(c);
  c.pass_on(of_blocks(c), {{}, [c](const Quantized& v) {
                             const Quantized x = c.stored_as(v, identity_perm(v.perm.size()), c.name());
                             const Value y = of_integers(c, c.network().value_of(x.id), c.quantization(x))[0];
                             return Quantized{y.id, identity_perm(y.rank())};
                           }});
}

constexpr Rule kMovingRules[] = {
    {"ArgMax", move_elements, true},     {"ArgMin", move_elements, true},
    {"DepthToSpace", move_blocks, true}, {"Expand", move_elements, true},
    {"Gather", move_elements, true},     {"GatherElements", move_elements, true},
    {"GatherND", move_elements, true},   {"ReduceMax", move_elements, true},
    {"ReduceMin", move_elements, true},  {"ReverseSequence", move_elements, true},
    {"SpaceToDepth", move_blocks, true}, {"Split", move_elements, true, true},
    {"Tile", move_elements, true},       {"TopK", move_elements, true, true},
};

}  // namespace

std::span<const Rule> moving_rules() { return kMovingRules; }

}  // namespace vdla::import::integer
