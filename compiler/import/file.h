// SPDX-License-Identifier: Apache-2.0
// A model file as bytes, with what lies in files beside it.
#pragma once

#include <filesystem>

#include "compiler/graph/types.h"

namespace vdla::import {

/// Throws UserError naming the file and the cause.
graph::Bytes read_file(const std::filesystem::path& path);

}  // namespace vdla::import
