// SPDX-License-Identifier: Apache-2.0
// Module::states <-> section "states". Internal to the module file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Nothing where the module keeps no values.
std::optional<Bytes> encode_states(const Module& module);
void decode_states(std::span<const std::byte> bytes, const std::string& name, Module& module);

}  // namespace vdla::runtime
