// SPDX-License-Identifier: Apache-2.0
// Operators that this kit takes from model files, as the importers' own tables have them.
#pragma once

#include <vector>

#include "compiler/import/known_operator.h"

namespace vdla::import {

/// All formats in order, each by name.
std::vector<KnownOperator> known_operators();

}  // namespace vdla::import
