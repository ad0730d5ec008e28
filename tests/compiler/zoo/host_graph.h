// SPDX-License-Identifier: Apache-2.0
// Runs a graph on this CPU, all tensors kept; and what its int8 values look like over several inputs.
#pragma once

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/cpu/code/code.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"

namespace vdla::testing {

class HostGraph {
 public:
  explicit HostGraph(graph::Graph graph);

  const graph::Graph& graph() const { return graph_; }
  void run(std::span<const std::int8_t> input);
  std::span<const std::byte> tensor(graph::TensorId id) const {
    return memory_.at(static_cast<std::size_t>(id));
  }

 private:
  struct HostCall {
    codegen::HostFunction function;
    std::vector<pipeline::KernelArgument> arguments;
  };
  graph::Graph graph_;
  host::Jit jit_;
  std::vector<HostCall> steps_;
  std::vector<graph::Bytes> memory_;  ///< by tensor
};

/// How often each int8 value occurs.
struct Histogram {
  std::array<std::int64_t, 256> count{};

  void add(std::span<const std::byte> elements);
  int distinct() const;
  /// Share of values at the ends of int8; where zero is the lower end, values there are not cut but zero.
  double saturated(std::int32_t zero_point) const;
};

/// Runs the QDQ form of a network of the zoo on images that calibration has not seen, and expects each
/// layer's int8 output to use at least 64 values and to saturate in under 5 %: over all images, and on each
/// image of noise alone where the layer has at least 1000 elements (a smooth one may be of nearly one
/// colour).
void expect_good_ranges(const std::string& network, std::uint64_t seed, int images);

}  // namespace vdla::testing
