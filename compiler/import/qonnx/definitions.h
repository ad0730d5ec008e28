// SPDX-License-Identifier: Apache-2.0
// QONNX: operators for quantisation to any number of bits, as Brevitas, hls4ml and FINN write them. Each is
// said by operators of ONNX, and quantisation to 8 bits at most by QuantizeLinear and DequantizeLinear, so
// that the layers between become integer ones.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/import/tensor/node.h"

namespace vdla::import::qonnx {

/// Operators that QONNX adds to those of ONNX.
std::vector<std::string_view> operators();

/// The node's operator by those of ONNX; nothing where it is none of QONNX's. Values are those of QONNX's
/// documents (docs/qonnx-custom-ops of fastmachinelearning/qonnx) and of its execution. UserError for a
/// scale, zero point, number of bits or thresholds that are not known when the model is compiled, or have
/// other shapes than the operator has.
std::optional<onnx::FunctionProto> definition(const tensor::Node& node);

}  // namespace vdla::import::qonnx
