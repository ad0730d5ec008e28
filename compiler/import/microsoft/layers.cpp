// SPDX-License-Identifier: Apache-2.0
// Layers with the function that follows them, and the product of matrices with options.
#include <string>
#include <vector>

#include "compiler/import/microsoft/operators.h"
#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/node_window.h"

namespace vdla::import::microsoft {
namespace {

using expr::BinaryOp;
using tensor::Node;
using tensor::real;
using tensor::Scalar;
using tensor::Value;

/// y after the function that attribute "activation" names, if the node has it. `numbers` are its parameters.
Value activated(const Node& c, const Value& y, const std::vector<double>& numbers) {
  if (c.find("activation") == nullptr || c.text("activation").empty()) return y;
  const std::string word =
      c.word("activation", {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid"});
  const std::size_t needed = word == "LeakyRelu" ? 1 : word == "Clip" || word == "HardSigmoid" ? 2 : 0;
  c.require(numbers.size() >= needed, "has activation " + word + " with " + std::to_string(numbers.size()) +
                                          " parameters, needs " + std::to_string(needed));
  return c.map(word, {y}, [&](const auto& v) {
    const Scalar& x = v[0];
    if (word == "Relu") return tensor::relu(x);
    if (word == "Tanh") return tensor::call(expr::Function::Tanh, x);
    if (word == "Sigmoid") return tensor::sigmoid(x);
    if (word == "LeakyRelu") return tensor::leaky_relu(x, real(numbers[0], x));
    if (word == "Clip") return Scalar(minimum(real(numbers[1], x), maximum(real(numbers[0], x), x)));
    return Scalar(minimum(real(1, x), maximum(real(0, x), x * real(numbers[0], x) + real(numbers[1], x))));
  });
}

/// Input 3, of the shape of the result, is added before the function.
void fused_conv(const Node& c) {
  c.float_in(0);
  c.float_in(1);
  Value y = tensor::convolution(c);
  if (c.has(3)) {
    c.require(c.in(3).shape == y.shape && c.in(3).type == y.type,
              "has a Z of " + graph::to_string(c.in(3).shape) + ", needs the type and shape of the result, " +
                  graph::to_string(y.shape));
    y = c.binary(BinaryOp::Add, y, c.in(3));
  }
  std::vector<double> numbers;
  if (const auto* given = c.find("activation_params"))
    numbers.assign(given->floats().begin(), given->floats().end());
  c.set(activated(c, y, numbers));
}

void fused_gemm(const Node& c) {
  c.float_in(0);
  c.float_in(1);
  std::vector<double> numbers;
  for (const char* attribute : {"activation_alpha", "activation_beta"})
    if (c.find(attribute) != nullptr) numbers.push_back(c.real(attribute));
  c.set(activated(c, tensor::general_product(c), numbers));
}

void fused_matmul(const Node& c) {
  for (const char* attribute : {"transBatchA", "transBatchB"})
    c.require(c.integer(attribute) == 0,
              std::string("has ") + attribute + " " + std::to_string(c.integer(attribute)) + ", needs 0");
  c.float_in(0);
  c.float_in(1);
  const Value y =
      c.matmul(c.ranked(0, 2), c.ranked(1, 2), c.integer("transA") != 0, c.integer("transB") != 0);
  const double alpha = c.real("alpha");
  if (alpha == 1) return c.set(y);
  c.set(c.map("Scale", {y}, [&](const auto& v) { return v[0] * tensor::real(alpha, v[0]); }));
}

constexpr tensor::Operator kLayerOperators[] = {
    {"FusedConv", fused_conv},
    {"FusedGemm", fused_gemm},
    {"FusedMatMul", fused_matmul},
};

}  // namespace

std::span<const tensor::Operator> layer_operators() { return kLayerOperators; }

}  // namespace vdla::import::microsoft
