// SPDX-License-Identifier: Apache-2.0
// Module::alternatives <-> section "alternatives". Internal to the module file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

std::optional<Bytes> encode_alternatives(const Module& module);
/// Decodes them after the steps, whose results those of other kernels are. UserError starting with `name`.
void decode_alternatives(std::span<const std::byte> bytes, const std::string& name, Module& module);

}  // namespace vdla::runtime
