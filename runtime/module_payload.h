// SPDX-License-Identifier: Apache-2.0
// Module <-> section "payload". Internal to the module file.
#pragma once

#include <span>
#include <string>

#include "runtime/module.h"

namespace vdla::runtime {

Bytes encode_payload(const Module& module);

/// Verifies structure, codes, ISA version and geometry hash. UserError starting with `name`.
void decode_payload(std::span<const std::byte> payload, const std::string& name, Module& made);

}  // namespace vdla::runtime
