// SPDX-License-Identifier: Apache-2.0
// Rules of legality that follow from the rows of the vector operations.
#pragma once

#include <vector>

#include "isa/spec/rule.h"

namespace vdla::isa::legality {

/// Rules of operands a and b, and of fields that are zero but for operations that own them.
std::vector<Rule> operation_rules();

/// Operations that read several entries of par find all of them inside.
std::vector<Rule> parameter_rules();

}  // namespace vdla::isa::legality
