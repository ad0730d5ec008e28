// SPDX-License-Identifier: Apache-2.0
// Lifts a model of an older operator set to 13.
#pragma once

#include <string>

#include <onnx/onnx_pb.h>

#include "compiler/quantize/model.h"

namespace vdla::quantize {

/// Rewrites the nodes of a model of a set before 13 so that it means in set 13 what it meant in its own:
/// attributes become inputs, defaults are written out, Upsample becomes Resize. Values that added nodes make
/// are added to `values`, which are those of the model. UserError, beginning with `where`, names an operator
/// that cannot be lifted and its set.
void lift(onnx::ModelProto& model, Values& values, const std::string& where);

}  // namespace vdla::quantize
