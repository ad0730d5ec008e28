// SPDX-License-Identifier: Apache-2.0
// ONNX models that are cut between tensors.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "compiler/import/import.h"

namespace vdla::import {

/// The model between the tensors of `options`, without what its outputs do not need. Inputs have the type and
/// shape that the model states or, if it states none, those of the model's own import. UserError, beginning
/// with `where`, for a tensor that the model lacks.
onnx::ModelProto cut(onnx::ModelProto model, const std::string& where, const ImportOptions& options);

}  // namespace vdla::import
