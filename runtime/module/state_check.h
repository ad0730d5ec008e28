// SPDX-License-Identifier: Apache-2.0
// Check of a module's states by themselves, for check(). Internal to it.
#pragma once

#include "runtime/module/module.h"

namespace vdla::runtime {

/// UserError naming the state: tensors that there are not, another type or size at its end than at its begin,
/// a begin that has a value already, an end that is the begin of a state.
void check_states(const Module& module);

}  // namespace vdla::runtime
