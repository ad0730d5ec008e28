// SPDX-License-Identifier: Apache-2.0
// Module <-> section "gpu". Internal to the module file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Nothing for a module without programs of a GPU. UserError where they take more bytes than a file has room
/// for.
std::optional<Bytes> encode_gpu(const Module& module);

/// UserError starting with `name`.
void decode_gpu(std::span<const std::byte> bytes, const std::string& name, Module& module);

}  // namespace vdla::runtime
