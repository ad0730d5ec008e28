// SPDX-License-Identifier: Apache-2.0
// NAME_convert.c: between what the model's file speaks of and the network's integers. Private to this folder.
#pragma once

#include <string>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

/// Declarations for NAME.h; empty where the model's file has the same integers in the same order.
std::string conversions_h(const Plan& plan);
/// Empty like these.
std::string conversions_c(const Plan& plan);

}  // namespace vdla::bundle
