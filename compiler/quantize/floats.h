// SPDX-License-Identifier: Apache-2.0
// Networks that compute in float16, bfloat16 or double, as networks of float32.
#pragma once

#include <string>

#include <onnx/onnx_pb.h>

namespace vdla::quantize {

/// Lets a model compute in float32 where it computes in another float; its inputs and outputs keep their
/// types.
void compute_in_float32(onnx::ModelProto& model, const std::string& where);

}  // namespace vdla::quantize
