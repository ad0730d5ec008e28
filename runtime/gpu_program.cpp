// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu_program.h"

#include <chrono>

namespace vdla::runtime {
namespace {

/// What the GPU's side refuses is a GpuError.
template <class Use>
auto on_gpu(const Use& use) {
  try {
    return use();
  } catch (const UserError& error) {
    throw GpuError(error.what());
  }
}

}  // namespace

GpuProgram::GpuProgram(gpu::Device& device, const GpuSegment& segment, const Module& module)
    : segment_(segment), loaded_(on_gpu([&] { return device.load(segment.program); })) {
  on_gpu([&] {
    for (const GpuTensor& t : segment.constants) loaded_->write(t.buffer, module.tensors[t.tensor].data);
  });
}

GpuResult GpuProgram::run(const std::function<std::byte*(TensorIndex)>& data, bool timed) {
  GpuResult result;
  const auto bytes_of = [&](const GpuTensor& t) { return segment_.program.buffer_bytes[t.buffer]; };
  return on_gpu([&] {
    const auto begin = std::chrono::steady_clock::now();
    for (const GpuTensor& t : segment_.inputs) {
      loaded_->write(t.buffer, {data(t.tensor), bytes_of(t)});
      result.bytes_to += bytes_of(t);
    }
    loaded_->run();
    for (const GpuTensor& t : segment_.outputs) {
      loaded_->read(t.buffer, {data(t.tensor), bytes_of(t)});
      result.bytes_from += bytes_of(t);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!timed) return result;
    std::vector<std::size_t> ends;
    for (const GpuLayer& layer : segment_.layers)
      ends.push_back((ends.empty() ? 0 : ends.back()) + layer.launches);
    result.layer_seconds = loaded_->run_timed(ends);
    return result;
  });
}

}  // namespace vdla::runtime
