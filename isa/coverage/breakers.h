// SPDX-License-Identifier: Apache-2.0
// For each rule of legality an instruction word that the device must refuse with just this rule, and which
// unit can raise which error.
#pragma once

#include <optional>
#include <vector>

#include "isa/spec/errors.h"
#include "isa/spec/legality.h"

namespace vdla::isa {

/// Words for each rule, in the order of rules(), whose lowest broken rule it is. None where this geometry
/// cannot break it (a rule that only compares numbers of the geometry).
std::vector<std::optional<InsnWords>> rule_breakers(const Geometry& geometry);

/// Whether a unit can raise an error: by what its instructions do.
bool can_raise(ErrorCode code, Unit unit);

}  // namespace vdla::isa
