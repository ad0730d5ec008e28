// SPDX-License-Identifier: Apache-2.0
// vdla check-kernel NETWORK.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/gpu/profile.h"
#include "kit/kernels/kernel_device.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

class NetworkKernelFlags {
 public:
  void add_to(CLI::App& command);
  /// UserError naming one that was given: `file` is no network.
  void refuse_for(const std::string& file) const;

  std::string layer, knobs, machine{pipeline::gpu::profiles()[0].name};
  unsigned points = 0;

 private:
  std::vector<const CLI::Option*> all_;
};

/// Difference where some function computes something else, after a report of all of them.
void check_network_kernels(const std::string& file, const NetworkKernelFlags& flags,
                           const kit::KernelDevice& device, std::uint64_t seed, const Context& context);

}  // namespace vdla::tools
