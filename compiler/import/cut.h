// SPDX-License-Identifier: Apache-2.0
// Networks that are cut between tensors (ImportOptions::from and until), for both importers, and ONNX files
// to which import options are applied.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/import/import.h"

namespace vdla::import {

inline bool is_cut(const ImportOptions& options) { return !options.from.empty() || !options.until.empty(); }

/// The ONNX model between the tensors of `options`, with the extents that they give its inputs, and with
/// inputs that they bind as constants, as a file. UserError as import_onnx() has it.
graph::Bytes onnx_by_options(std::span<const std::byte> bytes, const std::string& name,
                             const ImportOptions& options);

/// UserError, beginning with `where`, for a tensor that the model lacks, with names that are near.
[[noreturn]] void refuse_unknown_tensor(const std::string& where, const std::string& name,
                                        const std::vector<std::string>& known);
/// UserError for a tensor of ImportOptions::from that no output needs.
[[noreturn]] void refuse_idle_tensor(const std::string& where, const std::string& name);

}  // namespace vdla::import
