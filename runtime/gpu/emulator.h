// SPDX-License-Identifier: Apache-2.0
// A GPU that is this CPU: kernels are its machine code (compiler/codegen/llvm/emulated.h), blocks run one
// after the other, and the threads of a block take turns between barriers in an order that a seed decides. It
// is for finding faults, not for speed.
//
// A run does each program twice on the same memory. The first time every access is watched: an error names
// two threads that touch a byte with no barrier between, two blocks that do, memory of a block that is read
// and was not written, an address outside of all buffers, each with its line of loop IR. The second time the
// code runs as it was optimised, in another order. In both a barrier that only some threads of a block reach
// is an error. Of a launch about the first 2^28 bytes of accesses are watched.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/grid/device.h"

namespace vdla::gpu {

inline constexpr const char* kEmulator = "emulator";

/// Programs are ELF objects; Launch::shared_bytes and Part::loop_ir are needed.
std::unique_ptr<Device> open_emulator(std::uint64_t seed);

}  // namespace vdla::gpu
