// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/code/launches.h"

namespace vdla::targets {
namespace {

std::array<std::size_t, 3> in_each_dimension(const grid::Dimensions& d) {
  return {static_cast<std::size_t>(d[0]), static_cast<std::size_t>(d[1]), static_cast<std::size_t>(d[2])};
}

}  // namespace

gpu::Program launched(const grid::Launches& launches, std::string (*name_of)(const grid::Kernel&)) {
  gpu::Program program;
  for (const loop::BufferPtr& buffer : launches.buffers)
    program.buffer_bytes.push_back(
        static_cast<std::size_t>(expr::storage_size(*buffer) * expr::bytes(buffer->dtype)));
  for (const grid::Kernel& kernel : launches.kernels)
    program.launches.push_back({name_of(kernel), in_each_dimension(kernel.blocks),
                                in_each_dimension(kernel.threads), kernel.arguments});
  return program;
}

}  // namespace vdla::targets
