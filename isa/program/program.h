// SPDX-License-Identifier: Apache-2.0
// The compiled object: what the device runs and what tools say about it. A value: modules carry it, the
// verifier and the engines read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/program/micro_kernel.h"
#include "isa/spec/geometry.h"
#include "support/source_tensor.h"

namespace vdla::isa {

/// A layer of the network as the compiler names it.
struct SourceLayer {
  std::string name;      ///< "conv1"
  std::string op;        ///< "conv2d"
  std::string schedule;  ///< how it was scheduled, free text
  Sources sources = {};  ///< tensors of the model that its result stands for, or was made of
  bool operator==(const SourceLayer&) const = default;
};

/// Origin of an instruction: indices into the lists of the source map.
struct Source {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t layer = kNone;
  std::uint32_t loop = kNone;
  bool operator==(const Source&) const = default;
};

/// Instruction -> layer and loop. `insns` is empty or has one entry per instruction.
struct SourceMap {
  std::vector<SourceLayer> layers;
  std::vector<std::string> loops;  ///< "oc1=0 y1=2": the loops around an instruction, free text
  std::vector<Source> insns;

  /// The layer of an instruction; null when it is not known.
  const SourceLayer* layer_of(std::size_t insn) const;
  /// "layer 'conv1' (conv2d), tensor 'conv1_out' of the model, loop oc1=0 y1=2"; empty when nothing is known.
  std::string describe(std::size_t insn) const;
  bool operator==(const SourceMap&) const = default;
};

/// A part of the stream that can be started on its own; its last instruction is FINISH.
struct EntryPoint {
  std::string name;
  std::uint32_t first_insn = 0;
  std::uint32_t insn_count = 0;
  bool operator==(const EntryPoint&) const = default;
};

struct Program {
  Geometry geometry;
  std::vector<Insn> insns;
  std::vector<MicroKernel> kernels;  ///< window uop holds their micro-ops, one kernel after the other
  std::vector<std::byte> constants;  ///< window const
  std::array<std::uint64_t, kWindowCount>
      data_window_sizes{};          ///< bytes of act, input, output and spares; 0 for the rest
  std::vector<EntryPoint> entries;  ///< empty: the whole stream is the one entry
  SourceMap source_map;

  /// Bytes that the driver must give a window.
  std::uint64_t window_size(Window window) const;
  /// Micro-ops of all kernels.
  std::uint64_t uop_count() const;
  bool operator==(const Program&) const = default;
};

/// Contents of windows insn and uop.
std::vector<std::byte> insn_image(const Program& program);
std::vector<std::byte> uop_image(const Program& program);

/// The form of a program: a valid geometry, legal instructions, FINISH at the end of each entry, kernels that
/// expand, a source map that fits. Throws UserError naming the first fault. What the program does is
/// isa/verify's business.
void check(const Program& program);

/// FNV-1a of everything the device sees (geometry, instructions, micro-ops, constants, window sizes); not of
/// the source map.
std::uint64_t content_hash(const Program& program);

}  // namespace vdla::isa
