// SPDX-License-Identifier: Apache-2.0
// Module <-> FlatBuffers payload, without the file's header. Internal to the module file.
#pragma once

#include <span>
#include <string>

#include "runtime/module.h"

namespace vdla::runtime {

Bytes encode_payload(const Module& module);

/// Verifies structure, codes, ISA version and geometry hash, then check(). UserError starting with `name`.
Module decode_payload(std::span<const std::byte> payload, const std::string& name);

}  // namespace vdla::runtime
