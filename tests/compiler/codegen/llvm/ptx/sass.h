// SPDX-License-Identifier: Apache-2.0
// Machine code of NVIDIA's GPUs from compute capability 7.0 on, as far as a test counts it: no disassembler
// is needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vdla::codegen {

struct Sass {
  std::vector<std::uint16_t> opcodes;  ///< in order
  struct Loop {
    std::size_t first, last;  ///< instructions; the last one jumps back
  };
  std::vector<Loop> loops;
};

/// Of a kernel in an object file (cubin) that ptxas made; empty where it has none of that name.
Sass sass_of(std::span<const char> cubin, const std::string& kernel);

/// The part of a loop's instructions that multiply floats and add.
double fused_share(const Sass& sass, const Sass::Loop& loop);

/// The part of them that multiply matrices.
double matrix_share(const Sass& sass, const Sass::Loop& loop);

}  // namespace vdla::codegen
