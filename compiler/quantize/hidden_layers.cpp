// SPDX-License-Identifier: Apache-2.0
// Models whose layers stand within other operators, functions or bodies.
#include <algorithm>
#include <climits>
#include <string_view>

#include "compiler/quantize/model.h"
#include "compiler/quantize/quantize.h"

namespace vdla::quantize {
namespace {

/// Operators that importers compute with products among other operators.
constexpr std::string_view kOfProducts[] = {"Attention", "Einsum", "GRU", "LSTM", "RNN"};

bool hides_layers(const onnx::NodeProto& node) {
  const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
  return !standard || has_body(node) ||
         std::ranges::find(kOfProducts, node.op_type()) != std::end(kOfProducts);
}

}  // namespace

bool hides_layers(std::span<const std::byte> model) {
  onnx::ModelProto m;
  return model.size() <= INT_MAX && m.ParseFromArray(model.data(), static_cast<int>(model.size())) &&
         (m.functions_size() > 0 ||
          std::ranges::any_of(m.graph().node(), [](const auto& node) { return hides_layers(node); }));
}

}  // namespace vdla::quantize
