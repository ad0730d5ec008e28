// SPDX-License-Identifier: Apache-2.0
// A device for run and eval: an engine behind the simulated transport, a session over it, and what a trace
// tells about layers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "driver/sim/sim_transport.h"
#include "runtime/session.h"
#include "sim/contract.h"

namespace vdla::tools {

/// A module ready to run on an engine.
class SimulatedDevice {
 public:
  /// `engine_name` empty: only for modules without device steps. `costs`: per-layer cycles from the engine's
  /// trace. `verify`: refuses programs that are not proven right.
  SimulatedDevice(runtime::Module module, const std::string& engine_name, bool costs,
                  const std::filesystem::path& executable, bool verify = false);
  ~SimulatedDevice();

  runtime::Session& session() { return *session_; }
  /// Of the engine; "cpu" for a module without device steps.
  std::string name() const;
  /// An engine without time has no cycles.
  bool has_time() const;

 private:
  class Observer;
  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> transport_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<runtime::Session> session_;
};

}  // namespace vdla::tools
