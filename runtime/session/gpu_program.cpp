// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/gpu_program.h"

#include <chrono>
#include <utility>

#include "support/refused_as.h"

namespace vdla::runtime {
namespace {

/// Adds the time that the host spends here.
class Spent {
 public:
  explicit Spent(double& seconds) : seconds_(seconds) {}
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;
  ~Spent() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

GpuProgram::GpuProgram(gpu::Device& device, const GpuSegment& segment, const Module& module)
    : segment_(segment), loaded_(refused_as<GpuError>([&] { return device.load(segment.program); })) {
  refused_as<GpuError>([&] {
    for (const GpuTensor& t : segment.constants) loaded_->write(t.buffer, module.tensors[t.tensor].data);
  });
}

void GpuProgram::start(const TensorPlace& place) {
  result_ = {};
  const Spent spent(result_.seconds);
  refused_as<GpuError>([&] {
    for (const GpuTensor& t : segment_.inputs) {
      const std::size_t bytes = segment_.program.buffer_bytes[t.buffer];
      loaded_->write(t.buffer, {place(t.tensor), bytes});
      result_.bytes_to += bytes;
    }
    loaded_->start();
  });
  is_running_ = true;
}

void GpuProgram::wait() {
  if (!std::exchange(is_running_, false)) return;
  const Spent spent(result_.seconds);
  refused_as<GpuError>([&] { loaded_->wait(); });
}

GpuResult GpuProgram::finish(const TensorPlace& place) {
  wait();
  {
    const Spent spent(result_.seconds);
    refused_as<GpuError>([&] {
      for (const GpuTensor& t : segment_.outputs) {
        const std::size_t bytes = segment_.program.buffer_bytes[t.buffer];
        loaded_->read(t.buffer, {place(t.tensor), bytes});
        result_.bytes_from += bytes;
      }
    });
  }
  return result_;
}

void GpuProgram::abandon() noexcept {
  try {
    wait();
  } catch (...) {
    // Errors of a run whose results are not wanted.
  }
}

std::vector<double> GpuProgram::layer_seconds() {
  std::vector<std::size_t> ends;
  for (const GpuLayer& layer : segment_.layers)
    ends.push_back((ends.empty() ? 0 : ends.back()) + layer.launches);
  return refused_as<GpuError>([&] { return loaded_->run_timed(ends); });
}

}  // namespace vdla::runtime
