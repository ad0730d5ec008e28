// SPDX-License-Identifier: Apache-2.0
// Interface between emulated kernels' machine code and its surroundings: code generation
// (compiler/codegen/llvm/emulated.h) and the emulator (runtime/gpu/emulator.h) agree on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vdla::gpu {

/// A thread of a block. Code knows where each member lies.
struct EmulatedThread {
  std::int32_t block[3], thread[3];  ///< numbers of the block, and in it
  std::byte* shared;                 ///< memory of the block: each buffer at a multiple of kSharedAlignment
  /// Returns when all threads of the block are there. `line` is the call's, in the loop IR of the program.
  void (*barrier)(const EmulatedThread* thread, std::int32_t line);
  /// Called by code that is watched, before each access to memory that threads have in common; 0 bytes: by a
  /// lane that does not make it.
  void (*access)(const EmulatedThread* thread, const void* address, std::int64_t bytes, std::int32_t writes,
                 std::int32_t line);
};

/// One pointer for each parameter, to memory that begins at a multiple of kSharedAlignment.
using EmulatedKernel = void (*)(void* const* arguments, const EmulatedThread* thread);

inline constexpr std::size_t kSharedAlignment = 128;
/// Behind the name of a kernel: the one whose accesses are watched.
inline constexpr const char* kWatched = ".watched";

}  // namespace vdla::gpu
