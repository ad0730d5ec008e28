// SPDX-License-Identifier: Apache-2.0
// A graph run on the loop IR interpreter: the oracle of every target.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/interpret.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"

namespace vdla::pipeline {

class Reference {
 public:
  explicit Reference(const graph::Graph& graph);

  /// Bytes of each graph input to bytes of each graph output, in the order of the ports and in the graph's
  /// types. States go on from the run before. UserError when the number or the sizes of the inputs are wrong.
  std::vector<graph::Bytes> run(const std::vector<graph::Bytes>& inputs);

  /// Runs with values of tensors that are known already, states among them: their nodes are not computed.
  /// `report`, unless empty, is called after each node of `total`.
  using Known = std::map<graph::TensorId, graph::Bytes>;
  using Report = std::function<void(std::size_t node, std::size_t total)>;
  std::vector<graph::Bytes> run(const std::vector<graph::Bytes>& inputs, const Known& known,
                                const Report& report = {});

  /// Gives states the values of the first run.
  void reset_state();

  /// The bytes of a tensor after the last run (constants at any time).
  std::span<const std::byte> tensor(graph::TensorId id) const;

 private:
  struct Runnable {
    HostKernel kernel;
    loop::Interpreter interpreter;
  };
  void run(Runnable& node);

  const graph::Graph graph_;
  std::vector<Runnable> nodes_;
  std::vector<graph::Bytes> memory_;  ///< memory by tensor
  std::vector<graph::Bytes> kept_;    ///< values of the states for the next run
};

}  // namespace vdla::pipeline
