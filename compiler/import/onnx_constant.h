// SPDX-License-Identifier: Apache-2.0
// Bytes of a constant as an ONNX file has it.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// Elements, little-endian and row-major, of type TensorProto::data_type() and shape TensorProto::dims().
/// UserError, beginning with `where`, for a type that is no number of whole bytes, data in another file, and
/// sizes that cannot be.
/// Elements that the extents of a constant state. UserError, which begins with `where`, where they are
/// corrupt.
std::int64_t constant_count(const onnx::TensorProto& tensor, const std::string& where);

graph::Bytes constant_bytes(const onnx::TensorProto& tensor, const std::string& where);

}  // namespace vdla::import
