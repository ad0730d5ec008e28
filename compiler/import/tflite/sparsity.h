// SPDX-License-Identifier: Apache-2.0
// Sparse constants of a TFLite file: the file has the elements that are not zero, and where they belong.
#pragma once

#include <span>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/import/tflite/model.h"

namespace vdla::import::tflite {

/// Bytes of all elements of a sparse tensor of this shape, of which `stored` are in the file; the others are
/// zero. `where` begins the message of a UserError.
graph::Bytes dense_bytes(const Tensor& t, const graph::Shape& shape, std::span<const std::byte> stored,
                         const std::string& where);

}  // namespace vdla::import::tflite
