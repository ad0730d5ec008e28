// SPDX-License-Identifier: Apache-2.0
// Launches of a function on a machine with a grid: kernels, in the order in which they are launched. Each
// statement outside of all others that holds loops over blocks or threads is one; what stands between two of
// them without such loops is one, too, of one thread. Buffers that the function allocates around them become
// workspace.
//
//   func f(in A, out B) { alloc t  for b in 0..4 block.x { ... t ... }  for c in 0..2 block.x { ... } }
//
// is two launches, of 4 blocks and of 2, and workspace of the size of t. 'vdla opt --lower=opencl --opencl
// FILE' shows them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/grid/dimensions.h"
#include "compiler/loop/stmt.h"

namespace vdla::grid {

/// Limits of each machine with a grid; more is refused when a function is lowered.
inline constexpr std::int64_t kMostThreads = 1024;           ///< threads of a block
inline constexpr std::int64_t kMostSharedBytes = 96 << 10;   ///< bytes of a block
inline constexpr std::int64_t kMostPrivateBytes = 16 << 10;  ///< bytes of a thread

/// Most blocks of CUDA, by x, y, z; more is refused where PTX is made.
inline constexpr Dimensions kMostCudaBlocks{(std::int64_t{1} << 31) - 1, 65535, 65535};
inline constexpr Dimensions kMostCudaThreads{kMostThreads, kMostThreads, 64};

struct Kernel {
  loop::Func func;  ///< its parameters: what it uses of the function's, then of the workspace
  Dimensions blocks{1, 1, 1}, threads{1, 1, 1};
  std::int64_t shared_bytes = 0;       ///< bytes that its blocks have each
  std::vector<std::size_t> arguments;  ///< index of a buffer of Launches, by parameter
};

struct Launches {
  std::size_t params;                    ///< number of the function's parameters
  std::vector<loop::BufferPtr> buffers;  ///< parameters, then workspace
  std::vector<Kernel> kernels;           ///< kernels in order
};

/// Place of each buffer @shared in the memory of a block.
struct BlockMemory {
  std::unordered_map<const loop::Buffer*, std::int64_t> places;  ///< multiples of kSharedAlign
  std::int64_t bytes = 0;
};
inline constexpr std::int64_t kSharedAlign = 128;
BlockMemory memory_of_block(const Kernel& kernel);

/// Splits a function that went through 'place-threads'.
Launches split_launches(const loop::Func& func);

/// Launches, as comments at the top of a program's text: for people, programs take it from the launches.
/// `name_of` gives the name of a kernel in the text.
std::string heading(const std::string& function, const Launches& launches,
                    const std::function<std::string(const Kernel&)>& name_of);

/// The statements that become kernels, each with `f` applied to it, in the function's body. UserError for a
/// loop that would launch a grid in each iteration, and for memory @shared outside of all blocks.
loop::StmtPtr map_kernels(const loop::StmtPtr& body,
                          const std::function<loop::StmtPtr(const loop::StmtPtr&)>& f);

}  // namespace vdla::grid
