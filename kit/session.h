// SPDX-License-Identifier: Apache-2.0
// A module ready to run: the engine that stands in for the device, the driver's transport to it, the
// runtime's session over that, and what the engine's trace tells about layers; or a device that a transport
// reaches (kit/uio_device.h).
//
//   kit::Session session(module, "rtl");
//   runtime::Result result = session.run_model({image_bytes});   // outputs, cycles, traffic
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kit/device.h"
#include "kit/engine.h"
#include "kit/run_probe.h"
#include "runtime/session/session.h"
#include "sim/timeline/form.h"
#include "sim/trace/profile.h"

namespace vdla::kit {

class InnerTensors;

/// How long a run may take.
struct RunLimits {
  std::uint32_t stall_limit = 100'000;  ///< cycles without progress before the device gives up; 0: never
  /// Cycles of an engine, or what a transport counts; 0: 20 times what the program is predicted to take, at
  /// 10 MHz, 10 million cycles at least.
  std::uint64_t timeout = 0;
};

/// Account of the cycles of a device step.
struct StepProfile {
  std::size_t step = 0;  ///< index in the module
  trace::Profile profile;
};

/// Options of a session on a simulator beside module and engine.
struct SessionOptions {
  bool costs = false;  ///< per-layer cycles and profiles, from the engine's trace; bytes alone without time
  /// Gets the values that steps read and make, and on an engine those that layers of a device step make for
  /// each other, and what instructions write; layers have no costs then. Null: nothing is told.
  RunProbe* probe = nullptr;
  bool verify = false;               ///< refuse programs that are not proven right
  std::ostream* timeline = nullptr;  ///< timeline of all device steps, complete after end_timeline()
  timeline::Form timeline_form = timeline::Form::JsonText;
  /// Not empty: the timeline has only the cycles in which instructions of these layers are in the machine.
  std::set<std::string> timeline_layers{};
  unsigned threads = 1;    ///< for steps on the CPU; 0: one for each core
  bool host_steps = true;  ///< false: steps on the CPU leave their results as they are; cycles are the same
  /// Steps on the CPU by their loop IR: none of the module's machine code is loaded.
  bool interpret = false;
  /// Steps on the CPU that have several kernels choose one while inferences run
  /// (runtime/session/adaptation.h).
  bool adapt = true;
  std::map<std::size_t, std::size_t> chosen_kernels{};  ///< as runtime::SessionOptions has them
  EngineOptions engine{};
  /// For modules with programs of one: the GPU by name (kit/gpu_device.h), the first of its kind where that
  /// is empty.
  std::string gpu{};
  bool gpu_times = false;  ///< times of each step there, by a second run
  /// The CPU runs the GPU's steps where there is none, or it fails; Result::warning says so.
  bool cpu_without_gpu = false;
  RunLimits limits{};
  /// How the command line names the device that the session is on, as "--uio vdla": for the message of a
  /// mismatch (kit/device_variant.h).
  std::string chosen{};
  /// Wraps the transport between driver and device: gets it and gives the one to use, which lives longer than
  /// the session.
  std::function<const vdla_transport*(const vdla_transport*)> through{};
};

/// A module on an engine.
class Session {
 public:
  /// `engine` is one of engine_names(); empty: only for modules without device steps. UserError as
  /// make_engine(), open_gpu() and runtime::Session say.
  Session(runtime::Module module, const std::string& engine, const SessionOptions& options = {});
  /// On a device that a transport reaches, which must outlive the session; `name` is for people. There is no
  /// trace of it: UserError where a timeline is asked for, and layers have no costs.
  Session(runtime::Module module, const vdla_transport* transport, std::string name,
          const SessionOptions& options = {});
  ~Session();

  const runtime::Module& module() const { return session_->module(); }
  /// One tensor for each input of the module, in its own form; as runtime::Session says.
  runtime::Result run(const std::vector<runtime::Bytes>& inputs);
  /// Runs with inputs and outputs in the model's type and layout.
  runtime::Result run_model(const std::vector<runtime::Bytes>& inputs);

  /// As runtime::Session says.
  std::vector<runtime::Bytes> state() const { return session_->state(); }
  void set_state(const std::vector<runtime::Bytes>& values) { session_->set_state(values); }
  void reset_state() { session_->reset_state(); }
  std::vector<runtime::StepUse> kernel_use() const { return session_->kernel_use(); }

  /// The GPU that runs steps of the module; null: none does.
  const gpu::Device* gpu() const { return gpu_.get(); }

  /// Returns the engine and the GPU that run the module, as text: "functional and cuda:0 (NVIDIA H200)".
  std::string place() const;

  /// Name of the engine or the device; "cpu" for a module without device steps.
  const std::string& name() const { return name_; }
  /// An engine without time has no cycles.
  bool has_time() const { return name_ != "cpu" && name_ != "functional"; }
  /// Profiles of the last run's device steps, when costs were asked for and the engine has time.
  std::vector<StepProfile> profiles() const;
  /// Writes the end of the timeline, to which later runs add nothing.
  void end_timeline();
  /// Cycle of the device's last start, as the engine counts them; nothing without costs of an engine with
  /// time.
  std::optional<std::uint64_t> started_at() const;
  /// Ends the file with waveforms, if there is one; UserError when what was written of it did not arrive.
  /// False: the runs never reached the window that was asked for, and there is no file.
  bool end_waves();

 private:
  class Observer;
  void start(runtime::Module module, const SessionOptions& wanted);
  void use_cpu(runtime::Module module, const std::string& why);
  runtime::Result with_cpu_behind(const std::function<runtime::Result()>& run);

  std::string name_ = "cpu";
  OpenDevice own_;  ///< the engine; empty: none, or the device is another's
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<InnerTensors> inner_;             ///< observer in its place, for a probe
  std::unique_ptr<runtime::DeviceObserver> bytes_;  ///< observer in its place, for an engine without time
  const vdla_transport* device_ = nullptr;
  runtime::SessionOptions options_;
  bool cpu_without_gpu_ = false;
  std::string no_gpu_;  ///< why the CPU runs the GPU's steps; empty: it does not
  std::unique_ptr<gpu::Device> gpu_;
  std::unique_ptr<runtime::Session> session_;
};

}  // namespace vdla::kit
