// SPDX-License-Identifier: Apache-2.0
// The part of a TFLite function that is imported.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/tflite/model.h"

namespace vdla::import::tflite {

struct Cut {
  std::vector<int> inputs, outputs;  ///< tensors
  std::set<int> begun;               ///< inputs that operators of the function give
  std::vector<bool> needed;          ///< operators; empty: all
};

/// UserError for a tensor that the function lacks, or that several tensors are called.
Cut cut_of(const SubGraph& function, const ImportOptions& options, const std::string& file);

}  // namespace vdla::import::tflite
