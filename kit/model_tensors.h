// SPDX-License-Identifier: Apache-2.0
// Values of the model's tensors in a run of a module that was compiled of it: values that the run made, by
// their names (decision 46), and from them all others (decision 65).
//
//   kit::ReadTensors read;
//   kit::Session session(module, "rtl", {.probe = &read});
//   session.run_model(inputs);
//   for (const kit::ModelTensor& t : kit::model_tensors(network, module, read)) ...
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "kit/run_probe.h"
#include "runtime/module/module.h"

namespace vdla::kit {

/// Keeps the values of one run, and the digest of what each instruction wrote.
class ReadTensors final : public RunProbe {
 public:
  void tensor(const runtime::Tensor& tensor, std::span<const std::byte> bytes) override;
  void retired(std::size_t step, std::uint32_t insn, std::uint64_t digest) override;
  /// Tensors with their bytes as `data`, in the order in which they were made.
  const std::vector<runtime::Tensor>& tensors() const { return tensors_; }
  /// Digests by step and instruction.
  const std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t>& digests() const { return digests_; }

 private:
  std::vector<runtime::Tensor> tensors_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> digests_;
};

/// A tensor of the model and its value.
struct ModelTensor {
  std::string name;
  graph::DataType type = graph::DataType::Int8;  ///< type of the integers or reals that stand for it
  graph::Shape shape;
  graph::Quantization quantization;
  graph::Bytes bytes;  ///< dense, row-major
  /// Whether its node was computed once more, on the CPU, from values that the run did make: the run never
  /// held it as a whole, or did not show it.
  bool recomputed = false;
  /// Whether elements are in the model's order; false: in the kit's own, and the model's is not known.
  bool in_model_order = true;
  std::string node;  ///< node of the network that writes it; empty: an input
  /// Nodes whose tensors its node reads; inputs and constants left out.
  std::vector<std::string> reads;
  /// Dimension i of the value in the network is dimension order[i] here; empty: the same order.
  std::vector<int> order;
};

/// Index of an element by its number in row-major order.
std::vector<std::int64_t> index_of(std::size_t element, const graph::Shape& shape);

/// Report of `done` nodes of `total`.
using TensorProgress = std::function<void(std::size_t done, std::size_t total)>;

/// Tensors of the model in the order of its nodes, constants left out; one for each name. `network` is what
/// kit::read_network() gives for the file that `module` was compiled of. UserError where its inputs or
/// outputs are others.
std::vector<ModelTensor> model_tensors(const graph::Graph& network, const runtime::Module& module,
                                       const ReadTensors& read, const TensorProgress& progress = {});

/// Inputs of the network as a run of its module had them. An input that the host quantises is what its
/// integers mean.
std::vector<runtime::Bytes> network_inputs(const graph::Graph& network, const runtime::Module& module,
                                           const ReadTensors& read);

/// Values that the interpreter computes of inputs in the network's own form, as runtime::Session::run() takes
/// them.
std::vector<ModelTensor> interpreted_tensors(const graph::Graph& network,
                                             const std::vector<runtime::Bytes>& inputs);

}  // namespace vdla::kit
