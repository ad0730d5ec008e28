// SPDX-License-Identifier: Apache-2.0
// Runs a module: device steps through the driver core over a transport that it is handed, segments of host
// steps on a GPU that it is handed, beside the steps behind them that need nothing of theirs (decision 59),
// other host steps as kernels on the CPU. One arena of host memory holds all tensors.
//
//   Session session(load("net.vdla"), transport, {});
//   Result result = session.run_model({image_bytes});   // in the model's own type and layout
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/core/device.h"
#include "runtime/grid/device.h"
#include "runtime/module/host_kernel.h"
#include "runtime/module/module.h"
#include "runtime/session/adaptation.h"
#include "runtime/session/device_observer.h"
#include "runtime/session/gpu_result.h"
#include "runtime/session/tensor_sink.h"

namespace vdla::runtime {

struct SessionOptions {
  /// Makes host kernels where no machine code of the module fits this machine; unset: such a module is
  /// refused.
  HostKernelFactory interpreter;
  /// Threads for parallel loops of host kernels, the caller's included; 0: one for each core.
  unsigned threads = 1;
  /// Uses `interpreter` for all host kernels.
  bool interpret = false;
  /// Steps that have several kernels of machine code choose one while inferences run; false: each runs its
  /// own.
  bool adapt = true;
  /// Known from before, by step: an index of StepUse::kernels. It is proven to give the results of the step's
  /// own kernel before it runs; steps and kernels that there are not count as nothing.
  std::map<std::size_t, std::size_t> chosen_kernels = {};
  /// Runs the module's programs of a GPU; must outlive the session. Null: a module that has some is refused.
  gpu::Device* gpu = nullptr;
  /// The CPU computes the steps of such programs, by its host steps.
  bool cpu_for_gpu = false;
  /// Each run on the GPU is done once more, to take the time of its steps.
  bool gpu_times = false;
  /// For per-layer costs; must outlive the session. Null: results have none.
  DeviceObserver* observer = nullptr;
  /// Gets inputs and results of steps, those of the device and a GPU too; must outlive the session. Null:
  /// values go nowhere.
  TensorSink* tensors = nullptr;
  /// Longest time of one device step, in the transport's unit; 0: 20 times what its instructions take one
  /// after the other at 10 MHz, and a second at least.
  std::uint64_t timeout = 0;
  /// Refuses a module unless isa/verify proves each of its programs right.
  bool verify = false;
  /// Cycles without any progress after which the device itself ends a run; 0: never. A memory that is slow is
  /// not taken for a hang.
  std::uint32_t stall_limit = 100'000;
};

struct LayerResult {
  std::string name;
  std::string op;
  std::size_t step = 0;
  Sources sources;  ///< sources of what it computes
  std::uint64_t macs = 0;
  double ideal_gemm_cycles = 0;
  LayerCost cost;
};

struct StepResult {
  std::size_t step = 0;
  bool on_device = false;
  vdla_counters counters{};  ///< counters of a device step
  double seconds = 0;        ///< wall clock on the host, copies included
};

struct Result {
  std::vector<Bytes> outputs;  ///< one per model output, in the module's own tensor form
  std::uint64_t cycles = 0;    ///< cycles of all device steps
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::vector<StepResult> steps;    ///< steps of the device and the CPU
  std::vector<GpuResult> gpu;       ///< one per segment, where a GPU runs them
  std::vector<LayerResult> layers;  ///< layers of the device, with an observer
  std::string
      warning;  ///< fault that the device's side had to get over, an interrupt that is not wired; empty: none
};

class Session {
 public:
  /// `transport` may be null for a module without device steps, and must outlive the session. UserError when
  /// the module cannot run here or, on request, is not proven right, GpuError when the GPU does not take its
  /// programs, DeviceError (runtime/device/device_error.h)
  /// when the device does not answer or has another version or geometry.
  Session(Module module, const vdla_transport* transport, SessionOptions options);
  Session(Session&&) noexcept;
  ~Session();

  const Module& module() const;

  /// One tensor per model input, in the module's own form (runtime/session/port.h converts). UserError names
  /// an input of the wrong size; DeviceError names unit, instruction and layer when the device fails, and the
  /// session can be used again; GpuError names the kernel that fails. States go on from the last run that did
  /// not fail.
  Result run(const std::vector<Bytes>& inputs);

  /// Runs with inputs and outputs in the model's type and layout.
  Result run_model(const std::vector<Bytes>& inputs);

  /// Values of the module's states, which the next run begins with.
  std::vector<Bytes> state() const;
  /// UserError where they are not one for each state, of its size.
  void set_state(const std::vector<Bytes>& values);
  /// Gives states the values of the first run.
  void reset_state();

  /// Kernels that the steps which choose among several have tried so far, in order.
  std::vector<StepUse> kernel_use() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vdla::runtime
