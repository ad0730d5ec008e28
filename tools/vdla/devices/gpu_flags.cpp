// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/gpu_flags.h"

#include "support/error.h"
#include "tools/common/validators.h"

namespace vdla::tools {

void GpuFlags::add_to(CLI::App& command) {
  command
      .add_option("--gpu", gpu_,
                  "GPU for a module compiled for one: cuda:N, or part of the name of an OpenCL device or "
                  "driver; default: the first of the module's kind (vdla check-kernel --list)")
      ->check(not_empty("a device, as cuda:0 or a part of the name of one of OpenCL"));
  command
      .add_option("--fallback", fallback_,
                  "cpu: run the GPU's steps on the CPU if there is no GPU or it fails, with a warning")
      ->check(one_of({"cpu"}));
}

void GpuFlags::set(kit::SessionOptions& options, const runtime::Module& module,
                   const std::string& elsewhere) const {
  if (module.gpu.empty()) {
    for (const auto& [option, value] : {std::pair("--gpu", &gpu_), std::pair("--fallback", &fallback_)})
      VDLA_CHECK_USER(value->empty())
          << option << " is for a module with programs of a GPU, and '" << module.model_name
          << "' for target '" << module.target
          << "' has none; compile it with --target cuda or opencl, or leave " << option << " out";
    return;
  }
  for (const auto& [option, value] : {std::pair("--gpu", &gpu_), std::pair("--fallback", &fallback_)})
    VDLA_CHECK_USER(value->empty() || elsewhere.empty())
        << option << " is for a GPU of this machine, and with " << elsewhere
        << " none runs anything; leave one of them out";
  if (!elsewhere.empty()) return;
  options.gpu = gpu_;
  options.cpu_without_gpu = !fallback_.empty();
}

}  // namespace vdla::tools
