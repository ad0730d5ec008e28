// SPDX-License-Identifier: Apache-2.0
// isa::Program <-> FlatBuffers. Internal to the module file.
#pragma once

#include "isa/program/program.h"
#include "runtime/module_generated.h"

namespace vdla::runtime {

/// encode_program() writes no more bytes.
std::size_t encoded_bytes(const isa::Program& program);

flatbuffers::Offset<fbs::Program> encode_program(flatbuffers::FlatBufferBuilder& builder,
                                                 const isa::Program& program);

/// Throws UserError naming the fault, such as an illegal instruction.
isa::Program decode_program(const fbs::Program& program, const isa::Geometry& geometry);

}  // namespace vdla::runtime
