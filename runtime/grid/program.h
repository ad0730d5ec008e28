// SPDX-License-Identifier: Apache-2.0
// A program of a machine with a grid: a plain value, which modules hold and devices run
// (runtime/grid/device.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace vdla::gpu {

/// Text that a driver compiles at once. Names of kernels are its own.
struct Part {
  std::string text;     ///< OpenCL C, PTX or, for the emulator, the bytes of an object file
  std::string loop_ir;  ///< the function, whose lines the emulator names
  /// Names of the lines of `loop_ir` in the emulator's messages; empty: their numbers. Modules have none.
  std::vector<std::string> line_names = {};
  bool operator==(const Part&) const = default;
};

struct Launch {
  std::string kernel;  ///< its name in the text of its part
  std::array<std::size_t, 3> blocks, threads;
  std::vector<std::size_t> arguments;  ///< index of a buffer, by parameter of the kernel
  /// Shared bytes of a block: for the emulator all, as the code places them; for CUDA those that the launch
  /// has to ask for.
  std::size_t shared_bytes = 0;
  std::size_t part = 0;  ///< part of the program
  bool operator==(const Launch&) const = default;
};

/// Alignment of buffers in an arena; drivers of OpenCL want up to this of a part of a buffer.
inline constexpr std::size_t kArenaAlignment = 512;

struct Program {
  std::vector<Part> parts;
  std::vector<std::size_t> buffer_bytes;
  /// Offset of each buffer in one arena, multiples of kArenaAlignment: a buffer that no launch needs any more
  /// can share its place with a later one. Empty: each has memory of its own.
  std::vector<std::size_t> offsets;
  std::vector<Launch> launches;  ///< launches in order, each seeing what those before it have stored
  /// Names of the buffers in the emulator's messages; empty: their numbers. Modules have none.
  std::vector<std::string> buffer_names = {};
  bool operator==(const Program&) const = default;
};

/// Bytes of its arena.
inline std::size_t arena_bytes(const Program& program) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < program.offsets.size(); ++i)
    bytes = std::max(bytes, program.offsets[i] + program.buffer_bytes[i]);
  return bytes;
}

}  // namespace vdla::gpu
