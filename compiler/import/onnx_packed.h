// SPDX-License-Identifier: Apache-2.0
// Constants of ONNX whose elements have 4 bits (INT4, UINT4).
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

namespace vdla::import {

/// A constant of 4-bit integers of `g` as one of 8 bits; nothing for any other. UserError, beginning with
/// `where`, unless DequantizeLinear alone reads it: another operator would give integers of 4 bits.
std::optional<onnx::TensorProto> unpacked(const onnx::TensorProto& constant, const onnx::GraphProto& g,
                                          const std::string& where);

}  // namespace vdla::import
