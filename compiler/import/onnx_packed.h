// SPDX-License-Identifier: Apache-2.0
// Tensors of ONNX whose elements have 8 bits or less, several in a byte.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// Elements of a tensor of `bits` bits each, in a byte each; signed ones keep their sign. `where` begins the
/// message of a UserError: "ONNX model 'x': constant 'y' ".
graph::Bytes unpacked_bytes(const onnx::TensorProto& tensor, int bits, bool is_signed,
                            const std::string& where);

}  // namespace vdla::import
