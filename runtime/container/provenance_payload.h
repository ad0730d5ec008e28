// SPDX-License-Identifier: Apache-2.0
// Section "provenance". Internal to the module file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Nothing where the module has none.
std::optional<Bytes> encode_provenance(const Module& module);
void decode_provenance(std::span<const std::byte> bytes, const std::string& name, Module& module);

}  // namespace vdla::runtime
