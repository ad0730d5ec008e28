// SPDX-License-Identifier: Apache-2.0
// A compiled network on a simulated device, through module, session, driver and registers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"
#include "driver/sim/sim_transport.h"
#include "runtime/session.h"
#include "sim/contract.h"

namespace vdla::testing {

class Machine {
 public:
  /// Compiles for the functional engine of the variant. `on_cpu` nodes stay off the device.
  Machine(const graph::Graph& graph, const std::string& variant, std::set<std::string> on_cpu = {},
          bool use_device = true);

  /// Inputs and outputs in the graph's own form, int8 and NHWC.
  std::vector<graph::Bytes> run(const std::vector<graph::Bytes>& inputs);

  const pipeline::CompiledModel& model() const { return model_; }

 private:
  pipeline::CompiledModel model_;
  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> transport_;
  std::unique_ptr<runtime::Session> session_;
};

/// Seeded random bytes for each input of the graph.
std::vector<graph::Bytes> random_inputs(const graph::Graph& graph, unsigned seed);

}  // namespace vdla::testing
