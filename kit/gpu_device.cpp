// SPDX-License-Identifier: Apache-2.0
#include "kit/gpu_device.h"

#include <algorithm>

#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "runtime/gpu/opencl.h"
#include "runtime/session/session.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

/// UserError where the name is of another kind than the module's programs.
void require_kind(const std::string& kind, const std::string& name) {
  const std::string meant = kind_of_gpu(name);
  VDLA_CHECK_USER(name.empty() || meant == kind)
      << "--gpu " << name << " is a device of '" << meant << "', and the module's programs are for '" << kind
      << "'; compile it with --target " << meant << ", or leave --gpu out for the first device of '" << kind
      << "'";
}

}  // namespace

std::string kind_of_gpu(const std::string& name) {
  if (name == gpu::kEmulator) return runtime::kKindEmulator;
  const bool is_cuda = name == gpu::kCuda || name.starts_with(std::string(gpu::kCuda) + ":");
  return is_cuda ? runtime::kKindCuda : runtime::kKindOpenCl;
}

std::unique_ptr<gpu::Device> open_gpu(const std::string& kind, const std::string& name, std::uint64_t seed) {
  if (kind == gpu::kCuda) return gpu::open_cuda(name.empty() ? gpu::kCuda : name);
  if (kind == gpu::kEmulator) return gpu::open_emulator(seed);
  return gpu::open_opencl(name);
}

std::unique_ptr<gpu::Device> open_gpu(const runtime::Module& module, const std::string& name) {
  const std::string& kind = module.gpu.at(0).kind;
  for (const runtime::GpuSegment& segment : module.gpu)
    VDLA_CHECK_USER(segment.kind == kind) << "'" << module.model_name << "' has programs for '" << kind
                                          << "' and for '" << segment.kind << "', needs one GPU";
  require_kind(kind, name);
  try {
    return open_gpu(kind, name);
  } catch (const UserError& error) {
    throw runtime::GpuError("'" + module.model_name + "' needs a GPU: " + error.what());
  }
}

}  // namespace vdla::kit
