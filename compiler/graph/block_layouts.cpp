// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/block_layouts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/free_names.h"
#include "compiler/graph/sources.h"
#include "support/ceil_div.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::graph {
namespace {

/// Four dimensions, the missing ones in front.
Shape image_shape(const Shape& shape) {
  Shape result(4 - shape.size(), 1);
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

bool is_depthwise(const Convolve& op, std::int64_t in_channels, std::int64_t out_channels) {
  return op.groups > 1 && op.groups == in_channels && out_channels == in_channels;
}

/// A float convolution of two dimensions by known weights, with enough channels for blocks of that many.
bool takes_blocks(const Graph& graph, const Node& node, std::int64_t block) {
  const auto* op = std::get_if<Convolve>(&node.op);
  if (!op || block == 0) return false;
  const Tensor &x = graph.tensor(node.inputs[0]), &w = graph.tensor(node.inputs[1]);
  if (x.type != DataType::Float32 || x.shape.size() != 4 || !w.constant()) return false;
  const std::int64_t out_channels = w.shape[0];
  // Few channels waste lanes.
  return (op->groups == 1 || is_depthwise(*op, x.shape[1], out_channels)) && 2 * out_channels >= block;
}

// Long: a method for each operator over one table of what is in blocks.
class Blocker {
 public:
  Blocker(Graph graph, std::int64_t lanes, std::int64_t block)
      : graph_(std::move(graph)),
        lanes_(lanes),
        block_(block),
        originals_(graph_.tensors.size()),
        free_name_(graph_.nodes) {
    blocked_.assign(originals_, kNone);
    plain_.assign(originals_, false);
    for (std::size_t i = 0; i < originals_; ++i) plain_[i] = graph_.tensors[i].constant();
    for (TensorId id : arriving(graph_)) plain_[at(id)] = true;
  }

  Graph run() {
    const std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (const Node& node : nodes) {
      const bool done = std::visit([&](const auto& op) { return rewrite(node, op); }, node.op);
      if (!done) keep(node);
    }
    for (TensorId id : leaving(graph_)) make_plain(id);
    return drop_dead(std::move(graph_));
  }

 private:
  static std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  bool is_blocked(TensorId id) const { return id != kNone && blocked_[at(id)] != kNone; }

  void keep(const Node& node) {
    for (TensorId id : node.inputs)
      if (id != kNone) make_plain(id);
    plain_[at(node.output)] = true;
    graph_.nodes.push_back(node);
  }

  /// The node under its name with another operator and other inputs, which computes its result itself.
  void replace(const Node& node, Op op, std::vector<TensorId> inputs) {
    plain_[at(node.output)] = true;
    graph_.nodes.push_back({node.name, std::move(op), std::move(inputs), node.output, node.in_floats});
  }

  /// Replaces the node, with its result in blocks.
  bool replace_blocked(const Node& node, Op op, std::vector<TensorId> inputs) {
    const TensorId blocked =
        graph_.add_node(node.name, std::move(op), std::move(inputs), tensor(node.output).quantization);
    graph_.nodes.back().in_floats = node.in_floats;
    graph_.tensor(blocked).sources = as(sources_of(tensor(node.output)), Likeness::Reordered);
    blocked_[at(node.output)] = blocked;
    return true;
  }

  void make_plain(TensorId id) {
    if (plain_[at(id)]) return;
    VDLA_CHECK(is_blocked(id)) << "tensor '" << tensor(id).name << "' has no layout";
    plain_[at(id)] = true;
    const std::int64_t channels = tensor(id).shape[1];
    graph_.nodes.push_back(
        {free_name_(tensor(id).name + ".plain"), UnblockChannels{channels}, {blocked_[at(id)]}, id});
  }

  TensorId make_blocked(TensorId id, std::int64_t block) {
    if (is_blocked(id)) return blocked_[at(id)];
    TensorId& result = block == block_ ? blocked_[at(id)] : narrow_[{id, block}];
    if (block != block_ && result != 0) return result;
    return result = graph_.add_node(free_name_(tensor(id).name + ".blocks"), BlockChannels{block}, {id},
                                    tensor(id).quantization);
  }

  /// Made of the elements of `of`.
  TensorId add_floats(const std::string& name, Shape shape, const std::vector<float>& values,
                      const Tensor& of) {
    return graph_.add_constant(name, DataType::Float32, std::move(shape), to_bytes(values), {},
                               as(sources_of(of), Likeness::From));
  }

  template <class T>
  bool rewrite(const Node&, const T&) {
    return false;
  }

  bool rewrite(const Node& node, const Convolve& op) {
    if (!takes_blocks(graph_, node, block_)) return false;
    const Tensor &x = tensor(node.inputs[0]), &w = tensor(node.inputs[1]);
    const std::int64_t in_channels = x.shape[1], out_channels = w.shape[0], taps = w.shape[2] * w.shape[3];
    const bool depthwise = is_depthwise(op, in_channels, out_channels);
    ConvolveBlocks blocked{op.stride, op.dilation, op.before, op.after, in_channels, out_channels, depthwise};
    const std::int64_t data_block =
        is_blocked(node.inputs[0]) || depthwise ? block_ : std::min(block_, in_channels);
    // Only channels that are there.
    const std::int64_t in_block = std::gcd(data_block, in_channels);
    const Shape kernel = {w.shape[2], w.shape[3]};
    std::int64_t out_blocks = ceil_div(out_channels, block_);
    // A number without small divisors leaves registers empty; where the last block has free lanes anyhow,
    // there may be one more of them.
    if (!depthwise && out_channels % block_ != 0 && out_blocks > 4 && out_blocks % 2 != 0) ++out_blocks;
    const std::string name = w.name + ".blocks";
    TensorId weights = kNone;
    if (depthwise) {
      weights = add_floats(name, {ceil_div(out_channels, block_), kernel[0], kernel[1], block_},
                           pack_weights(w.values<float>(), out_channels, 1, taps, 1, block_), w);
    } else {
      std::vector<float> packed =
          pack_weights(w.values<float>(), out_channels, in_channels, taps, in_block, block_);
      packed.resize(static_cast<std::size_t>(out_blocks * block_ * in_channels * taps));
      weights = add_floats(name, {out_blocks, in_channels / in_block, kernel[0], kernel[1], in_block, block_},
                           packed, w);
    }
    const TensorId data = make_blocked(node.inputs[0], data_block);
    return replace_blocked(node, std::move(blocked), {data, weights});
  }

  bool rewrite(const Node& node, const MatMul& op) {
    const Tensor &a = tensor(node.inputs[0]), &b = tensor(node.inputs[1]);
    if (a.type != DataType::Float32 || a.shape.size() != 2 || b.shape.size() != 2 || !b.constant() ||
        op.transpose_a)
      return false;
    const std::int64_t depth = a.shape[1], columns = tensor(node.output).shape[1];
    const auto values = b.values<float>();
    std::vector<float> matrix(values.begin(), values.end());
    if (op.transpose_b) {
      for (std::int64_t k = 0; k < depth; ++k)
        for (std::int64_t n = 0; n < columns; ++n)
          matrix[static_cast<std::size_t>(k * columns + n)] = values[static_cast<std::size_t>(n * depth + k)];
    }
    // Vectors of sums that hide the latency of additions.
    const std::int64_t width =
        lanes_ * std::min<std::int64_t>(a.shape[0] == 1 ? 8 : 4, ceil_div(columns, lanes_));
    const TensorId panels = add_floats(b.name + ".panels", {ceil_div(columns, width), depth, width},
                                       pack_panels(matrix, depth, columns, width), b);
    make_plain(node.inputs[0]);
    replace(node, MatMulPanels{columns}, {node.inputs[0], panels});
    return true;
  }

  /// The operand of a map whose result has `channels` channels in `count` blocks, as it broadcasts over
  /// blocks; nothing where it does not.
  std::optional<TensorId> operand(TensorId id, std::int64_t channels, std::int64_t count) {
    const Tensor t = tensor(id);
    if (element_count(t.shape) == 1) {
      make_plain(id);
      return id;
    }
    if (t.shape.size() > 4) return std::nullopt;
    const Shape shape = image_shape(t.shape);
    if (t.shape.size() == 4 && !t.constant() && shape[1] == channels) {
      const TensorId result = make_blocked(id, block_);
      return tensor(result).shape[1] == count ? std::optional(result) : std::nullopt;
    }
    if (!t.constant()) return std::nullopt;
    if (shape[1] == 1) {
      Shape spread = shape;
      spread.push_back(1);
      return graph_.add_constant(t.name, t.type, std::move(spread), t.data, {}, sources_of(t));
    }
    if (shape[1] != channels) return std::nullopt;
    return block_constant(t, shape, count);
  }

  TensorId block_constant(const Tensor& t, const Shape& shape, std::int64_t count) {
    const std::size_t size = bytes_of(t.type);
    const std::int64_t pixels = shape[2] * shape[3];
    Bytes bytes(static_cast<std::size_t>(shape[0] * count * pixels * block_) * size);
    for (std::int64_t n = 0; n < shape[0]; ++n)
      for (std::int64_t c = 0; c < shape[1]; ++c)
        for (std::int64_t i = 0; i < pixels; ++i) {
          const auto from = static_cast<std::size_t>((n * shape[1] + c) * pixels + i) * size;
          const auto to =
              static_cast<std::size_t>(((n * count + c / block_) * pixels + i) * block_ + c % block_) * size;
          std::copy_n(t.data->begin() + static_cast<std::ptrdiff_t>(from), size,
                      bytes.begin() + static_cast<std::ptrdiff_t>(to));
        }
    return graph_.add_constant(t.name + ".blocks", t.type, {shape[0], count, shape[2], shape[3], block_},
                               std::make_shared<const Bytes>(std::move(bytes)), {},
                               as(sources_of(t), Likeness::From));
  }

  bool rewrite(const Node& node, const Map& op) {
    const Shape& out = tensor(node.output).shape;
    if (out.size() != 4) return false;
    const std::int64_t channels = out[1];
    std::int64_t count = 0;
    for (TensorId id : node.inputs)
      if (is_blocked(id)) count = std::max(count, tensor(blocked_[at(id)]).shape[1]);
    if (count == 0) return false;
    std::vector<TensorId> inputs;
    for (TensorId id : node.inputs) {
      const auto one = operand(id, channels, count);
      if (!one) return false;
      inputs.push_back(*one);
    }
    return replace_blocked(node, op, std::move(inputs));
  }

  bool rewrite(const Node& node, const ReduceWindow& op) {
    if (!is_blocked(node.inputs[0]) || op.kernel.size() != 2) return false;
    ReduceWindow wide = op;
    for (Extents* e : {&wide.kernel, &wide.stride, &wide.dilation}) e->push_back(1);
    for (Extents* e : {&wide.before, &wide.after}) e->push_back(0);
    return replace_blocked(node, std::move(wide), {blocked_[at(node.inputs[0])]});
  }

  bool rewrite(const Node& node, const Fold& op) {
    const TensorId x = node.inputs[0];
    if (!is_blocked(x) || std::any_of(op.axes.begin(), op.axes.end(), [](int a) { return a < 2; }))
      return false;
    if (op.keep_dims) return replace_blocked(node, op, {blocked_[at(x)]});
    if (op.axes.size() != 2 || tensor(x).shape[1] % block_ != 0) return false;
    const Shape shape = tensor(node.output).shape;
    const TensorId folded = graph_.add_node(free_name_(node.name + ".blocks"), op, {blocked_[at(x)]});
    replace(node, Reshape{shape}, {folded});
    return true;
  }

  bool rewrite(const Node& node, const Concat& op) {
    if (tensor(node.output).shape.size() != 4 || (op.axis != 1 && op.axis != -3)) return false;
    std::vector<TensorId> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (!is_blocked(id)) return false;
      if (tensor(id).shape[1] % block_ != 0 && i + 1 != node.inputs.size()) return false;
      inputs.push_back(blocked_[at(id)]);
    }
    return replace_blocked(node, Concat{1}, std::move(inputs));
  }

  /// An image of one pixel has the same order of elements in both layouts.
  bool rewrite(const Node& node, const Reshape& op) {
    const TensorId x = node.inputs[0];
    if (!is_blocked(x) || plain_[at(x)]) return false;
    const Shape& shape = tensor(x).shape;
    if (shape[2] != 1 || shape[3] != 1 || shape[1] % block_ != 0) return false;
    replace(node, op, {blocked_[at(x)]});
    return true;
  }

  Graph graph_;
  const std::int64_t lanes_;
  const std::int64_t block_;  ///< channels of one; 0: all stay as they are
  const std::size_t originals_;
  std::vector<TensorId> blocked_;  ///< tensor in blocks of block_, by tensor of the original graph
  std::vector<bool> plain_;        ///< as it was
  std::map<std::pair<TensorId, std::int64_t>, TensorId> narrow_;  ///< tensors in other blocks
  FreeNames free_name_;
};

}  // namespace

Graph block_layouts(Graph graph, std::int64_t lanes, std::int64_t block) {
  VDLA_CHECK(lanes > 0 && block >= 0) << lanes << " lanes, blocks of " << block;
  return Blocker(std::move(graph), lanes, block).run();
}

const Node* first_for_blocks(const Graph& graph, std::int64_t block) {
  const auto found =
      std::ranges::find_if(graph.nodes, [&](const Node& node) { return takes_blocks(graph, node, block); });
  return found == graph.nodes.end() ? nullptr : &*found;
}

std::int64_t channels_in_block(const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (std::holds_alternative<ConvolveBlocks>(node.op)) return graph.tensor(node.inputs[1]).shape.back();
  return 0;
}

std::vector<float> pack_weights(std::span<const float> weights, std::int64_t out_channels,
                                std::int64_t in_channels, std::int64_t taps, std::int64_t in_block,
                                std::int64_t out_block) {
  const std::int64_t ic = ceil_div(in_channels, in_block), oc = ceil_div(out_channels, out_block);
  std::vector<float> packed(static_cast<std::size_t>(oc * ic * taps * in_block * out_block), 0.0f);
  for (std::int64_t o = 0; o < out_channels; ++o) {
    for (std::int64_t i = 0; i < in_channels; ++i) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const std::int64_t block = (o / out_block * ic + i / in_block) * taps + tap;
        const std::int64_t to = (block * in_block + i % in_block) * out_block + o % out_block;
        packed[static_cast<std::size_t>(to)] =
            weights[static_cast<std::size_t>((o * in_channels + i) * taps + tap)];
      }
    }
  }
  return packed;
}

std::vector<float> pack_panels(std::span<const float> matrix, std::int64_t rows, std::int64_t columns,
                               std::int64_t width) {
  std::vector<float> packed(static_cast<std::size_t>(ceil_div(columns, width) * width * rows), 0.0f);
  for (std::int64_t d = 0; d < rows; ++d) {
    for (std::int64_t j = 0; j < columns; ++j) {
      packed[static_cast<std::size_t>((j / width * rows + d) * width + j % width)] =
          matrix[static_cast<std::size_t>(d * columns + j)];
    }
  }
  return packed;
}

}  // namespace vdla::graph
