// SPDX-License-Identifier: Apache-2.0
// int8 layers as dot products of four elements. The sums of (x - zx) * w are sums of x * w less zx times the
// sum of the channel's weights, which with the bias is one constant: the border holds zx, so it adds nothing.
// int32 wraps, and so it does not matter in what order or how far shifted the terms are added.
#include <algorithm>
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops_parts.h"
#include "support/ceil_div.h"

namespace vdla::graph {
namespace parts {
namespace {

constexpr std::int64_t kFour = 4;

/// The layer as a convolution [channels][rows][columns][depth]; a dense layer has one of each but depth.
struct Layer {
  Hw stride, dilation, kernel;
  Pads pads;
  std::int64_t depth = 0, channels = 0;
  std::int32_t input_zero_point = 0;
  const OutputStage* out = nullptr;
  bool dense = false;
  bool fills_channels = false;  ///< with zeros, to a number of whole fours

  /// Taps of a row of the kernel and their channels lie beside each other in the input; there they are cut
  /// into fours together.
  bool by_rows() const { return !is_whole() && !dense && !fills_channels; }
  bool is_whole() const { return depth % kFour == 0; }
  std::int64_t filled_depth() const { return ceil_div(depth, kFour) * kFour; }
  /// Whether some pixels are not read at all; they are left out of the copy.
  bool skips() const { return !dense && !by_rows() && kernel == Hw{} && stride != Hw{}; }
  /// Elements that one reduction over fours runs over.
  std::int64_t run() const { return by_rows() ? kernel.w * depth : depth; }
};

std::optional<Layer> layer_of(const Graph& graph, const Node& node) {
  const Shape& w = graph.tensor(node.inputs.at(1)).shape;
  Layer l;
  if (const auto* op = std::get_if<Conv2d>(&node.op)) {
    if (op->groups != 1 || op->weight_zero_point != 0) return std::nullopt;
    l = {op->stride, op->dilation, {w[1], w[2]}, op->pads, w[3], w[0], op->input_zero_point, &op->out, false};
    if (l.by_rows() && op->dilation.w != 1) return std::nullopt;
    return l;
  }
  if (const auto* op = std::get_if<FullyConnected>(&node.op); op && op->weight_zero_point == 0)
    return Layer{{}, {}, {}, {}, w[1], w[0], op->input_zero_point, &op->out, true};
  return std::nullopt;
}

/// [channels / tile][kernel rows]([kernel columns])[fours][tile][4]; lanes beyond the last element are zero.
Tensor packed_weights(NodeBuilder& b, const Layer& l, std::span<const std::int8_t> w, std::int64_t tile) {
  const std::int64_t columns = l.by_rows() || l.dense ? 1 : l.kernel.w, fours = ceil_div(l.run(), kFour);
  const std::int64_t runs = l.kernel.h * columns;
  std::vector<std::int8_t> packed(static_cast<std::size_t>(l.channels * runs * fours * kFour));
  for (std::int64_t o = 0; o < l.channels; ++o)
    for (std::int64_t r = 0; r < runs; ++r)
      for (std::int64_t i = 0; i < l.run(); ++i) {
        const std::int64_t four = ((o / tile * runs + r) * fours + i / kFour) * tile + o % tile;
        packed[static_cast<std::size_t>(four * kFour + i % kFour)] =
            w[static_cast<std::size_t>((o * runs + r) * l.run() + i)];
      }
  return b.parameter("weights", {l.channels / tile, l.kernel.h, columns, fours, tile, kFour}, packed);
}

/// The bias less what the zero point adds to the sums.
std::vector<std::int32_t> folded_bias(const Layer& l, std::span<const std::int8_t> w,
                                      std::span<const std::int32_t> bias, std::int32_t zero_point) {
  const std::int64_t each = static_cast<std::int64_t>(w.size()) / l.channels;
  std::vector<std::int32_t> result;
  for (std::int64_t o = 0; o < l.channels; ++o) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < each; ++i) sum += w[static_cast<std::size_t>(o * each + i)];
    const std::int64_t own = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
    result.push_back(static_cast<std::int32_t>(own - zero_point * sum));
  }
  return result;
}

/// The input as the sums want it: with its border, rows in one piece and a number of whole fours, shifted.
Tensor arranged(NodeBuilder& b, const Layer& l, bool shifted) {
  const Tensor& in = b.input(0);
  const DType type = shifted ? DType::U8 : DType::I8;
  const auto element = [&](const Value& v) {
    return shifted ? expr::cast(DType::U8, v) ^ Value(expr::number(128, DType::U8)) : v;
  };
  const Value border(expr::number(l.input_zero_point + (shifted ? 128 : 0), type));
  if (l.dense) {
    Shape shape = in.shape();
    if (l.is_whole() && !shifted) return in;
    shape.back() = l.filled_depth();
    return expr::compute("arranged", shape, [&](const std::vector<Value>& i) {
      return l.is_whole() ? element(at(in, i)) : select(i.back() < l.depth, element(at(in, i)), border);
    });
  }
  const Pads& p = l.pads;
  const std::int64_t rows = b.shape(0)[1] + p.top + p.bottom;
  const auto inside_rows = [&](const Value& y) {
    return p.top + p.bottom == 0 ? Value(expr::bool_imm(true)) : inside(y, b.shape(0)[1]);
  };
  if (l.by_rows()) {
    // The input's rows, [n][h][w * c], with room for the last four.
    const std::int64_t width = in.shape()[2], left = p.left * l.depth;
    const std::int64_t length = ceil_div(width + left + p.right * l.depth + kFour, 64) * 64;
    return expr::compute("arranged", {in.shape()[0], rows, length}, [&](Value n, Value y, Value i) {
      const Value from = y - p.top;
      return select(inside_rows(from) && inside(i - left, width), element(in(n, from, i - left)), border);
    });
  }
  const bool has_channels = l.is_whole();
  if (p == Pads{} && has_channels && !shifted) return in;
  const Hw step = l.skips() ? l.stride : Hw{};
  const std::int64_t columns = in.shape()[2] + p.left + p.right;
  const Shape shape = {in.shape()[0], ceil_div(rows, step.h), ceil_div(columns, step.w), l.filled_depth()};
  return expr::compute("arranged", shape, [&](Value n, Value y, Value x, Value c) {
    const Value fy = y * step.h - p.top, fx = x * step.w - p.left;
    const Value own = element(in(n, fy, fx, c));
    if (p == Pads{}) return has_channels ? own : select(c < l.depth, own, border);
    const Value is_there = inside_rows(fy) && inside(fx, in.shape()[2]);
    return select(has_channels ? is_there : is_there && c < l.depth, own, border);
  });
}

/// [channels]([kernel rows][kernel columns])[filled depth]: as they lie in the graph, filled up with zeros.
Tensor filled_weights(NodeBuilder& b, const Layer& l, std::span<const std::int8_t> w) {
  const std::int64_t depth = l.filled_depth(), pixels = l.channels * l.kernel.h * l.kernel.w;
  std::vector<std::int8_t> filled(static_cast<std::size_t>(pixels * depth));
  for (std::int64_t i = 0; i < pixels; ++i)
    std::copy_n(w.begin() + i * l.depth, l.depth, filled.begin() + i * depth);
  if (l.dense) return b.parameter("weights", {l.channels, depth}, filled);
  return b.parameter("weights", {l.channels, l.kernel.h, l.kernel.w, depth}, filled);
}

/// Over weights as filled_weights() has them.
Tensor sums_of_bytes(NodeBuilder& b, const Layer& l, const Tensor& data, const Tensor& w) {
  const IterVar c = expr::reduce_axis(l.filled_depth(), "c");
  if (l.dense)
    return expr::compute("sum", b.output_shape(), [&](const std::vector<Value>& i) {
      std::vector<Value> from = i;
      from.back() = Value(c);
      return sum(widen(at(data, from)) * widen(w(i.back(), c)), {c});
    });
  const IterVar r = expr::reduce_axis(l.kernel.h, "r"), s = expr::reduce_axis(l.kernel.w, "s");
  const Hw stride = data != b.input(0) && l.skips() ? Hw{} : l.stride;
  return expr::compute("sum", b.output_shape(), [&](Value n, Value y, Value x, Value o) {
    const Value from_y = y * stride.h + Value(r) * l.dilation.h,
                from_x = x * stride.w + Value(s) * l.dilation.w;
    return sum(widen(data(n, from_y, from_x, Value(c))) * widen(w(o, r, s, c)), {r, s, c});
  });
}

Tensor sums(NodeBuilder& b, const Layer& l, const Tensor& data, const Tensor& w) {
  const IterVar r = expr::reduce_axis(w.shape()[1], "r"), s = expr::reduce_axis(w.shape()[2], "s"),
                c = expr::reduce_axis(w.shape()[3], "c"), k = expr::reduce_axis(kFour, "k");
  Shape shape = b.output_shape();
  shape.back() = w.shape()[0];
  shape.push_back(w.shape()[4]);
  return expr::compute("sum", shape, [&](const std::vector<Value>& i) {
    const Value tile = i[i.size() - 2], channel = i.back(), element = Value(c) * kFour + Value(k);
    std::vector<Value> from(i.begin(), i.end() - 2);
    if (l.dense) {
      from.push_back(element);
      return sum(widen(at(data, from)) * widen(w(tile, 0, 0, c, channel, k)), {c, k});
    }
    const bool copied = data != b.input(0);
    const Hw stride = copied && l.skips() ? Hw{} : l.stride;
    from[1] = from[1] * stride.h + Value(r) * l.dilation.h;
    if (l.by_rows()) {
      from[2] = from[2] * (stride.w * l.depth) + element;
      return sum(widen(at(data, from)) * widen(w(tile, r, 0, c, channel, k)), {r, c, k});
    }
    from[2] = from[2] * stride.w + Value(s) * l.dilation.w;
    from.push_back(element);
    return sum(widen(at(data, from)) * widen(w(tile, r, s, c, channel, k)), {r, s, c, k});
  });
}

}  // namespace
}  // namespace parts

bool takes_dots(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || !parts::layer_of(graph, node)) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](TensorId id) { return id == kNone || graph.tensor(id).constant(); });
}

Shape dot_input_shape(const Graph& graph, const Node& node) {
  const Shape& shape = graph.tensor(node.inputs[0]).shape;
  return parts::layer_of(graph, node)->by_rows() ? Shape{shape[0], shape[1], shape[2] * shape[3]} : shape;
}

std::int64_t dot_steps(const Graph& graph, const Node& node) {
  return ceil_div(parts::layer_of(graph, node)->run(), parts::kFour);
}

NodeExpr express_dots(const Graph& graph, const Node& node, const DotLayout& layout,
                      const expr::Tensor& input) {
  using namespace parts;
  const Layer l = *layer_of(graph, node);
  NodeBuilder b(graph, node, {input});
  const auto weights = graph.tensor(node.inputs[1]).values<std::int8_t>();
  std::span<const std::int32_t> bias;
  if (b.has(2)) bias = graph.tensor(node.inputs[2]).values<std::int32_t>();
  const expr::Tensor w = packed_weights(b, l, weights, layout.tile);
  const expr::Tensor base = b.parameter(
      "bias", folded_bias(l, weights, bias, l.input_zero_point + (layout.unsigned_data ? 128 : 0)));
  const expr::Tensor sum = sums(b, l, arranged(b, l, layout.unsigned_data), w);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> from = i;
    from.back() = floor_div(i.back(), layout.tile);
    from.push_back(floor_mod(i.back(), layout.tile));
    return b.finish(*l.out, at(sum, from) + base(i.back()), i.back());
  }));
}

/// Channels below which zeros would be more than a third of what is multiplied.
constexpr std::int64_t kFewestChannels = 3;

bool takes_sums_of_bytes(const Graph& graph, const Node& node) {
  return takes_dots(graph, node) && parts::layer_of(graph, node)->depth >= kFewestChannels;
}

NodeExpr express_sums_of_bytes(const Graph& graph, const Node& node, const expr::Tensor& input) {
  using namespace parts;
  Layer l = *layer_of(graph, node);
  l.fills_channels = true;
  NodeBuilder b(graph, node, {input});
  const auto weights = graph.tensor(node.inputs[1]).values<std::int8_t>();
  std::span<const std::int32_t> bias;
  if (b.has(2)) bias = graph.tensor(node.inputs[2]).values<std::int32_t>();
  const expr::Tensor w = filled_weights(b, l, weights);
  const expr::Tensor base = b.parameter("bias", folded_bias(l, weights, bias, l.input_zero_point));
  const expr::Tensor sum = sums_of_bytes(b, l, arranged(b, l, false), w);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return b.finish(*l.out, at(sum, i) + base(i.back()), i.back());
  }));
}

bool takes_packed_taps(const Graph& graph, const Node& node) {
  const auto* op = std::get_if<DepthwiseConv2d>(&node.op);
  if (!op || op->weight_zero_point != 0) return false;
  if (graph.tensor(node.inputs[1]).shape[3] != graph.tensor(node.inputs[0]).shape[3]) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](TensorId id) { return id == kNone || graph.tensor(id).constant(); });
}

NodeExpr express_packed_taps(const Graph& graph, const Node& node, const expr::Tensor& input) {
  using namespace parts;
  constexpr std::int32_t kShift = 128;  // to unsigned bytes
  const auto& op = std::get<DepthwiseConv2d>(node.op);
  NodeBuilder b(graph, node, {input});
  const Shape &in = b.shape(0), &kernel = b.shape(1), &out = b.output_shape();
  const std::int64_t height = kernel[1], width = kernel[2], channels = kernel[3],
                     fours = ceil_div(height, kFour);
  const auto weights = graph.tensor(node.inputs[1]).values<std::int8_t>();
  const auto weight = [&](std::int64_t ky, std::int64_t kx, std::int64_t c) {
    return weights[static_cast<std::size_t>((ky * width + kx) * channels + c)];
  };
  std::span<const std::int32_t> own;
  if (b.has(2)) own = graph.tensor(node.inputs[2]).values<std::int32_t>();
  std::vector<std::int32_t> packed, bias;
  for (std::int64_t four = 0; four < fours; ++four)
    for (std::int64_t kx = 0; kx < width; ++kx)
      for (std::int64_t c = 0; c < channels; ++c) {
        std::uint32_t word = 0;
        for (std::int64_t ky = four * kFour; ky < std::min(height, (four + 1) * kFour); ++ky)
          word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(weight(ky, kx, c)))
                  << (ky % kFour * 8);
        packed.push_back(static_cast<std::int32_t>(word));
      }
  for (std::int64_t c = 0; c < channels; ++c) {
    std::int64_t sum = 0;
    for (std::int64_t ky = 0; ky < height; ++ky)
      for (std::int64_t kx = 0; kx < width; ++kx) sum += weight(ky, kx, c);
    const std::int64_t from = own.empty() ? 0 : own[static_cast<std::size_t>(c)];
    bias.push_back(static_cast<std::int32_t>(from - (op.input_zero_point + kShift) * sum));
  }
  const expr::Tensor w = b.parameter("weights", {fours, width, channels}, packed);
  const expr::Tensor base = b.parameter("bias", bias);
  const std::int64_t reach = (out[2] - 1) * op.stride.w + (width - 1) * op.dilation.w + 1;
  const auto column = [&](Value n, Value y, Value four, Value x, Value c) {
    const Value from_x = x - op.pads.left;
    Value word = int32(0);
    for (std::int64_t k = 0; k < std::min(height, kFour); ++k) {
      const Value ky = four * kFour + k, from_y = y * op.stride.h + ky * op.dilation.h - op.pads.top;
      const Value is_there = inside(from_y, in[1]) && inside(from_x, in[2]),
                  byte = widen(b.input(0)(n, from_y, from_x, c)) & 255;
      word = word | select(is_there, byte, int32(op.input_zero_point & 255)) << int32(k * 8);
    }
    return word ^ int32(static_cast<std::int32_t>(0x80808080U));
  };
  const expr::Tensor columns =
      expr::compute("columns", {out[0], out[1], fours, reach, channels},
                    [&](const std::vector<Value>& i) { return column(i[0], i[1], i[2], i[3], i[4]); });
  const IterVar four = expr::reduce_axis(fours, "four"), kx = expr::reduce_axis(width, "kx");
  const expr::Tensor sums = expr::compute("sum", out, [&](Value n, Value y, Value x, Value c) {
    return sum(bytes_dot(columns(n, y, Value(four), x * op.stride.w + Value(kx) * op.dilation.w, c),
                         w(Value(four), Value(kx), c)),
               {four, kx});
  });
  return b.take(expr::compute("out", out, [&](const std::vector<Value>& i) {
    return b.finish(op.out, at(sums, i) + base(i.back()), i.back());
  }));
}

}  // namespace vdla::graph
