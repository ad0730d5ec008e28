// SPDX-License-Identifier: Apache-2.0
// Types and extents that an ONNX model declares of its values.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "compiler/import/tensor/value.h"

namespace vdla::import {

/// Extents as messages have them: numbers, names of free ones, or ?.
std::string to_string(const onnx::TensorShapeProto& shape);

/// Throws OutOfScope, beginning with `where`, unless a declared input or output is a tensor.
void require_tensor(const onnx::ValueInfoProto& info, const std::string& where);

/// UserError, beginning with `where`, for a value that is not as the model declares it: where extents differ,
/// either has another meaning of an operator in mind.
void require_declared(const tensor::Value& value, const onnx::ValueInfoProto& info, const std::string& where);

}  // namespace vdla::import
