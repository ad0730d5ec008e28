// SPDX-License-Identifier: Apache-2.0
// Module <-> section "payload". Internal to the module file.
#pragma once

#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// FlatBuffers holds no more: its offsets have 31 bits.
inline constexpr std::size_t kMaxPayloadBytes = (std::size_t{1} << 31) - 1;

/// UserError when it takes more bytes than `most`.
Bytes encode_payload(const Module& module, std::size_t most = kMaxPayloadBytes);

/// Verifies size, structure, codes, ISA version and geometry hash. UserError starting with `name`.
void decode_payload(std::span<const std::byte> payload, const std::string& name, Module& made);

}  // namespace vdla::runtime
