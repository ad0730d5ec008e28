// SPDX-License-Identifier: Apache-2.0
#include "kit/model_tensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/graph/sources.h"
#include "compiler/pipeline/reference.h"
#include "kit/data_type.h"
#include "runtime/session/port.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

using graph::Bytes;
using graph::Shape;
using graph::TensorId;

/// Elements of an image N C ... out of blocks of channels N B ... b (graph::BlockChannels). Nothing where the
/// shapes are not of that form.
std::optional<Bytes> unblocked(const runtime::Tensor& blocks, const Shape& shape) {
  const Shape& from = blocks.shape;
  if (shape.size() < 2 || from.size() != shape.size() + 1 || from[0] != shape[0]) return std::nullopt;
  const std::int64_t block = from.back(), channels = shape[1];
  if (from[1] * block < channels || !std::equal(shape.begin() + 2, shape.end(), from.begin() + 2))
    return std::nullopt;
  const auto element = static_cast<std::int64_t>(runtime::bytes_of(blocks.type));
  std::int64_t points = 1;
  for (std::size_t d = 2; d < shape.size(); ++d) points *= shape[d];
  Bytes out;
  out.reserve(static_cast<std::size_t>(shape[0] * channels * points * element));
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t p = 0; p < points; ++p) {
        const std::int64_t at = (((n * from[1] + c / block) * points + p) * block + c % block) * element;
        out.insert(out.end(), blocks.data.begin() + at, blocks.data.begin() + at + element);
      }
  return out;
}

/// Names of the model that values of its network stand for.
class Names {
 public:
  explicit Names(const graph::Graph& network) : network_(network) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i) {
      if (network.tensors[i].constant()) continue;
      for (const SourceTensor& s : graph::sources_of(network.tensors[i]))
        if (s.likeness <= Likeness::Reordered)
          by_name_[s.name].push_back({static_cast<TensorId>(i), s.likeness});
    }
  }

  /// Values of the network that the tensor of a run is, with their bytes.
  std::map<TensorId, Bytes> values_of(const runtime::Tensor& read) const {
    std::map<TensorId, Bytes> in_order, reordered;
    for (const SourceTensor& s : read.sources) {
      const auto found = by_name_.find(s.name);
      if (s.likeness > Likeness::Reordered || found == by_name_.end()) continue;
      for (const auto& [id, likeness] : found->second) {
        const graph::Tensor& t = network_.tensor(id);
        if (to_runtime(t.type) != read.type) continue;
        const bool same = s.likeness == Likeness::Same && likeness == Likeness::Same;
        if (same && read.data.size() == t.bytes())
          in_order.emplace(id, read.data);
        else if (s.likeness == likeness && read.shape == t.shape)
          reordered.emplace(id, read.data);
        else if (std::optional<Bytes> bytes = unblocked(read, t.shape); bytes && likeness == Likeness::Same)
          reordered.emplace(id, std::move(*bytes));
      }
    }
    // Nothing says which one of two values with the same extents lies in this order.
    if (reordered.size() == 1) in_order.merge(reordered);
    return in_order;
  }

 private:
  struct Named {
    TensorId id;
    Likeness likeness;
  };
  const graph::Graph& network_;
  std::map<std::string, std::vector<Named>> by_name_;
};

/// Value in the order of the model's dimensions.
void put_in_order(ModelTensor& t, const std::vector<int>& order) {
  runtime::Port port;
  port.model_shape = t.shape;
  port.perm = {order.begin(), order.end()};
  for (std::size_t d = 0; d < order.size(); ++d)
    port.model_shape[static_cast<std::size_t>(order[d])] = t.shape[d];
  t.bytes = runtime::in_model_order(port, graph::bytes_of(t.type), t.bytes);
  t.shape = std::move(port.model_shape);
  if (t.quantization.axis >= 0) t.quantization.axis = order[static_cast<std::size_t>(t.quantization.axis)];
  t.order = order;
}

}  // namespace

void ReadTensors::tensor(const runtime::Tensor& tensor, std::span<const std::byte> bytes) {
  runtime::Tensor& kept = tensors_.emplace_back(tensor);
  kept.data.assign(bytes.begin(), bytes.end());
}

void ReadTensors::retired(std::size_t step, std::uint32_t insn, std::uint64_t digest) {
  digests_[{step, insn}] = digest;
}

std::vector<std::int64_t> index_of(std::size_t element, const graph::Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
  return index;
}

namespace {

/// Values of the ports that a run had, which need no name.
void add_ports(const graph::Graph& network, const std::vector<graph::Port>& ports,
               const runtime::Module& module, const std::vector<runtime::Port>& module_ports,
               const ReadTensors& read, pipeline::Reference::Known& known) {
  VDLA_CHECK_USER(ports.size() == module_ports.size())
      << "module '" << module.model_name << "' has " << module_ports.size() << " inputs or outputs, network '"
      << network.name << "' " << ports.size() << ": it was compiled of another one";
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const graph::Tensor& t = network.tensor(ports[i].tensor);
    const runtime::Tensor& wanted = module.tensors[module_ports[i].tensor];
    const auto is_it = [&](const runtime::Tensor& r) {
      return r.name == wanted.name && r.shape == wanted.shape;
    };
    const auto value = std::ranges::find_if(read.tensors(), is_it);
    if (t.constant() || value == read.tensors().end()) continue;
    if (value->type == runtime::DataType::Int8 && t.type == graph::DataType::Float32) {
      // The host quantises the input, or dequantises the output.
      known.emplace(ports[i].tensor, runtime::to_model(module, module_ports[i], value->data));
      continue;
    }
    VDLA_CHECK_USER(value->type == to_runtime(t.type) && value->data.size() == t.bytes())
        << "'" << module_ports[i].name << "' of module '" << module.model_name << "' is "
        << runtime::name_of(value->type) << " " << runtime::to_string(value->shape) << ", of network '"
        << network.name << "' " << graph::name_of(t.type) << " " << graph::to_string(t.shape)
        << ": it was compiled of another one";
    known.emplace(ports[i].tensor, value->data);
  }
}

std::vector<ModelTensor> list_tensors(const graph::Graph& network, const pipeline::Reference::Known& known,
                                      const TensorProgress& progress) {
  std::vector<Bytes> inputs;
  for (const graph::Port& port : network.inputs) {
    const auto value = known.find(port.tensor);
    VDLA_CHECK_USER(value != known.end()) << "the run has no input '" << network.tensor(port.tensor).name
                                          << "' of network '" << network.name << "'";
    inputs.push_back(value->second);
  }
  pipeline::Reference reference(network);
  reference.run(inputs, known, progress);

  std::vector<ModelTensor> list;
  std::set<std::string> said;
  const std::vector<graph::NodeId> producer = graph::producers(network);
  const auto add = [&](TensorId id, const std::string& node, const std::vector<std::string>& reads) {
    const graph::Tensor& t = network.tensor(id);
    for (const SourceTensor& s : graph::sources_of(t)) {
      if (s.likeness > Likeness::Reordered || !said.insert(s.name).second) continue;
      const std::span<const std::byte> bytes = reference.tensor(id);
      ModelTensor& made = list.emplace_back();
      made.name = s.name;
      made.type = t.type;
      made.shape = t.shape;
      made.quantization = t.quantization;
      made.bytes.assign(bytes.begin(), bytes.end());
      made.recomputed = !known.contains(id);
      made.node = node;
      made.reads = reads;
      const bool known_order = s.order.size() == t.shape.size();
      made.in_model_order = known_order || s.likeness == Likeness::Same;
      if (known_order) put_in_order(made, s.order);
    }
  };
  for (const graph::Port& port : network.inputs) add(port.tensor, "", {});
  std::map<graph::NodeId, std::vector<std::string>> nearest;  // nodes whose tensors a reader of a node sees
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const graph::Node& node = network.nodes[n];
    std::vector<std::string> reads;
    for (const TensorId input : node.inputs) {
      if (input == graph::kNone || producer[static_cast<std::size_t>(input)] == graph::kNone) continue;
      const std::vector<std::string>& from = nearest[producer[static_cast<std::size_t>(input)]];
      reads.insert(reads.end(), from.begin(), from.end());
    }
    const std::size_t before = list.size();
    add(node.output, node.name, reads);
    // A node that the importer puts between others has no tensor of its own.
    nearest[static_cast<graph::NodeId>(n)] = list.size() == before ? reads : std::vector{node.name};
  }
  return list;
}

}  // namespace

std::vector<ModelTensor> model_tensors(const graph::Graph& network, const runtime::Module& module,
                                       const ReadTensors& read, const TensorProgress& progress) {
  const Names names(network);
  pipeline::Reference::Known known;
  add_ports(network, network.inputs, module, module.inputs, read, known);
  add_ports(network, network.outputs, module, module.outputs, read, known);
  for (const runtime::Tensor& t : read.tensors()) known.merge(names.values_of(t));  // the first one counts
  return list_tensors(network, known, progress);
}

std::vector<Bytes> network_inputs(const graph::Graph& network, const runtime::Module& module,
                                  const ReadTensors& read) {
  pipeline::Reference::Known known;
  add_ports(network, network.inputs, module, module.inputs, read, known);
  std::vector<Bytes> inputs;
  for (const graph::Port& port : network.inputs) {
    VDLA_CHECK(known.contains(port.tensor)) << network.tensor(port.tensor).name;
    inputs.push_back(known.at(port.tensor));
  }
  return inputs;
}

std::vector<ModelTensor> interpreted_tensors(const graph::Graph& network,
                                             const std::vector<runtime::Bytes>& inputs) {
  pipeline::Reference::Known known;
  for (std::size_t i = 0; i < inputs.size(); ++i) known.emplace(network.inputs.at(i).tensor, inputs[i]);
  return list_tensors(network, known, {});
}

}  // namespace vdla::kit
