// SPDX-License-Identifier: Apache-2.0
// The C files of a bundle as text. Private to this folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

/// NAME.h: what firmware includes.
std::string header_c(const Plan& plan);
/// NAME.c: tables of steps and tensors, and the typed functions.
std::string model_c(const Plan& plan);

/// NAME_data.h and NAME_data.c: what windows hold at first, and constants of kernels.
struct DataFiles {
  std::string header, source;
  std::uint64_t bytes = 0;
};
DataFiles data_c(const Plan& plan);

}  // namespace vdla::bundle
