// SPDX-License-Identifier: Apache-2.0
// isa::Program <-> FlatBuffers. Internal to the module file.
#pragma once

#include "isa/program/program.h"
#include "runtime/container/module_generated.h"

namespace vdla::runtime {

/// Bytes that encode_sources() writes at most.
std::size_t encoded_bytes(const Sources& sources);
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fbs::SourceTensor>>> encode_sources(
    flatbuffers::FlatBufferBuilder& builder, const Sources& sources);
/// UserError for a likeness that this kit does not know.
Sources decode_sources(const flatbuffers::Vector<flatbuffers::Offset<fbs::SourceTensor>>* sources);

/// encode_program() writes no more bytes.
std::size_t encoded_bytes(const isa::Program& program);

flatbuffers::Offset<fbs::Program> encode_program(flatbuffers::FlatBufferBuilder& builder,
                                                 const isa::Program& program);

/// Throws UserError naming the fault, such as an illegal instruction.
isa::Program decode_program(const fbs::Program& program, const isa::Geometry& geometry);

}  // namespace vdla::runtime
