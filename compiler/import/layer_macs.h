// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates of a model's layers by their names in TFLite and ONNX, whether this kit takes them or
// not.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// 0 for an operator that is no layer, and where a shape that says the number is empty or missing.
std::uint64_t layer_macs(std::string_view op, std::span<const graph::Shape> inputs,
                         const graph::Shape& output);

}  // namespace vdla::import
