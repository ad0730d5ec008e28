// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX Runtime that ONNX does not have, over the parts of ONNX's own (compiler/import/tensor).
// The facts about them are in onnx_schema/schema_microsoft.cpp.
#pragma once

#include "compiler/import/tensor/node.h"

namespace vdla::import::microsoft {

// The families of the domain com.microsoft.
std::span<const tensor::Operator> activation_operators();
std::span<const tensor::Operator> attention_operators();
std::span<const tensor::Operator> block_operators();
std::span<const tensor::Operator> group_query_operators();
std::span<const tensor::Operator> layer_operators();
std::span<const tensor::Operator> normalization_operators();
std::span<const tensor::Operator> quantized_operators();

/// Operators that ONNX Runtime's tools write in the domain ai.onnx.
std::span<const tensor::Operator> runtime_operators();

}  // namespace vdla::import::microsoft
