// SPDX-License-Identifier: Apache-2.0
// Instructions <-> 512-bit words <-> bytes (little-endian). No tables of its own: it walks members.h over
// isa/spec.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/legality.h"

namespace vdla::isa {

/// Throws UserError when a member does not fit its field, naming both.
InsnWords encode(const Insn& insn);

/// The words as an instruction; nothing when the opcode is unknown. Other rules are not looked at: an unknown
/// code of an enumeration stays as it is. Call find_broken_rule() first, or use decode().
std::optional<Insn> try_decode(const InsnWords& words);

/// Throws UserError naming the broken rule.
Insn decode(const InsnWords& words, const Geometry& geometry);

/// The lowest rule that the instruction breaks in this geometry, or null.
const Rule* find_broken_rule(const Insn& insn, const Geometry& geometry);

std::uint64_t encode_uop(const Uop& uop);
/// Bits outside the fields are ignored, as in hardware.
Uop decode_uop(std::uint64_t word);

InsnWords words_from_bytes(std::span<const std::byte, kInsnBytes> bytes);
void words_to_bytes(const InsnWords& words, std::span<std::byte, kInsnBytes> bytes);

/// A stream as it lies in window insn; micro-ops as they lie in window uop.
std::vector<std::byte> encode_stream(std::span<const Insn> insns);
std::vector<std::byte> encode_uops(std::span<const Uop> uops);

/// Throws UserError when the size is no multiple of an instruction or an instruction is illegal, naming its
/// index and the rule.
std::vector<Insn> decode_stream(std::span<const std::byte> bytes, const Geometry& geometry);

}  // namespace vdla::isa
