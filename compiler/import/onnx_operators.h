// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX models that this kit takes; none in a build without ONNX.
#pragma once

#include <vector>

#include "compiler/import/known_operator.h"

namespace vdla::import {

std::vector<KnownOperator> onnx_operators();

}  // namespace vdla::import
