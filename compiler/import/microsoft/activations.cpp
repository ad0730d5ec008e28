// SPDX-License-Identifier: Apache-2.0
// Functions of an element, some with a bias before them.
#include "compiler/import/microsoft/operators.h"
#include "compiler/import/tensor/functions.h"

namespace vdla::import::microsoft {
namespace {

using tensor::Node;
using tensor::Scalar;
using tensor::Value;

/// Input 0 plus input 1, a bias along the last dimension, where the node has that.
Value with_bias(const Node& c) {
  const Value& x = c.float_in(0);
  if (!c.has(1)) return x;
  const Value& bias = c.float_in(1);
  c.require(x.rank() >= 1 && bias.shape == graph::Shape{x.shape.back()},
            "has a bias of " + graph::to_string(bias.shape) + " for " + graph::to_string(x.shape) +
                ", needs one element for each of the last dimension");
  return c.binary(expr::BinaryOp::Add, x, bias);
}

template <bool Approximate>
void gelu(const Node& c) {
  c.set(c.map(c.op(), {with_bias(c)}, [](const auto& v) { return tensor::gelu(v[0], Approximate); }));
}

void quick_gelu(const Node& c) {
  const double alpha = c.real("alpha");
  c.set(c.map(c.op(), {c.float_in(0)}, [&](const auto& v) { return tensor::swish(v[0], alpha); }));
}

constexpr tensor::Operator kActivationOperators[] = {
    {"BiasGelu", gelu<false>},
    {"FastGelu", gelu<true>},
    {"Gelu", gelu<false>},
    {"QuickGelu", quick_gelu},
};

}  // namespace

std::span<const tensor::Operator> activation_operators() { return kActivationOperators; }

}  // namespace vdla::import::microsoft
