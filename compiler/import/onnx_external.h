// SPDX-License-Identifier: Apache-2.0
// Constants of an ONNX model that lie in files beside it, as exporters write them for large models.
#pragma once

#include <filesystem>

#include "compiler/graph/types.h"

namespace vdla::import {

/// The model with all its constants in it; `path` is where it was read. Files outside of the model's folder
/// are refused: a model must not read what it was not given. A model without such constants is returned as it
/// is.
graph::Bytes with_external_data(graph::Bytes model, const std::filesystem::path& path);

}  // namespace vdla::import
