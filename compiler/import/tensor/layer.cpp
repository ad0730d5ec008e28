// SPDX-License-Identifier: Apache-2.0
// Convolutions, pooling, matrix products, normalisations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/graph/shape.h"
#include "compiler/import/tensor/node_window.h"
#include "compiler/import/tensor/normalization.h"

namespace vdla::import::tensor {

std::string automatic_padding(const Node& c) {
  return c.word("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
}

Integers kernel_of(const Node& c, const Shape& w) {
  const Integers extents(w.begin() + 2, w.end());
  const Integers stated = c.integers("kernel_shape", extents);
  c.require(stated == extents, "has kernel_shape " + graph::to_string(stated) + " and weights " +
                                   graph::to_string(w) + ", needs the extents of the weights, " +
                                   graph::to_string(extents));
  return extents;
}

WindowAttributes stated_window_of(const Node& c, const Integers& kernel, std::size_t rank,
                                  const std::string& what) {
  const auto each = [&](const char* attribute) {
    return c.positive_of_window(attribute, c.integers(attribute, Integers(rank, 1)), rank);
  };
  WindowAttributes a{
      c.positive_of_window(what, kernel, rank), each("strides"), each("dilations"), {}, {}, {}};
  const Integers pads = c.pads(rank);
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  a.before = {pads.begin(), half};
  a.after = a.stated_after = {half, pads.end()};
  return a;
}

WindowAttributes window_of(const Node& c, const Shape& spatial, const Integers& kernel) {
  const std::size_t rank = spatial.size();
  WindowAttributes a = stated_window_of(c, kernel, rank);
  const std::string automatic = automatic_padding(c);
  for (std::size_t d = 0; d < rank; ++d) {
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      std::tie(a.before[d], a.after[d]) =
          graph::same_padding(spatial[d], kernel[d], a.stride[d], a.dilation[d]);
      if (automatic == "SAME_LOWER") std::swap(a.before[d], a.after[d]);
    } else if (automatic == "VALID") {
      a.before[d] = a.after[d] = 0;
    }
    a.stated_after[d] = a.after[d];
    if (c.integer("ceil_mode", 0) != 0) {
      // As PyTorch and newer ONNX do it: a window that would begin in the padding behind is dropped.
      const std::int64_t span = (kernel[d] - 1) * a.dilation[d] + 1, real = spatial[d] + a.before[d];
      std::int64_t last = std::max<std::int64_t>(0, real + a.after[d] - span + a.stride[d] - 1) /
                          a.stride[d] * a.stride[d];  // it is where the last window begins
      if (last >= real) last -= a.stride[d];
      a.after[d] = std::max<std::int64_t>(0, last + span - real);
    }
  }
  return a;
}

WindowAttributes transposed_window_of(const Node& c, const Shape& x, const Shape& w) {
  const Shape spatial(x.begin() + 2, x.end());
  const std::size_t rank = spatial.size();
  const std::int64_t groups = c.positive("group");
  const Integers kernel = c.positive_of_window("a kernel of shape", kernel_of(c, w), rank);
  const Integers stride = c.positive_of_window("strides", c.integers("strides", Integers(rank, 1)), rank);
  const Integers dilation =
      c.positive_of_window("dilations", c.integers("dilations", Integers(rank, 1)), rank);
  const std::string automatic = automatic_padding(c);
  Integers pads = automatic == "VALID" ? Integers(2 * rank, 0) : c.pads(rank);
  Integers extra = c.of_window("output_padding", c.integers("output_padding", Integers(rank, 0)), rank);
  c.require(w[0] == x[1] && w[0] % groups == 0, "has weights " + graph::to_string(w) + " and " +
                                                    std::to_string(groups) + " groups that do not fit " +
                                                    std::to_string(x[1]) + " input channels");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  Integers wanted = c.integers("output_shape", Integers{});
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);  // older: with N and C
  if (!wanted.empty()) wanted = c.positive("output_shape", wanted, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (!same && wanted.empty()) continue;
    const std::int64_t full = (spatial[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1 + extra[d];
    const std::int64_t size = wanted.empty() ? spatial[d] * stride[d] : wanted[d];
    const std::int64_t total = full - size;  // negative: grows
    if (total < 0) extra[d] -= total;
    const std::int64_t cut = std::max<std::int64_t>(0, total);
    const std::int64_t front = automatic == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
    pads[d] = front;
    pads[d + rank] = cut - front;
  }
  WindowAttributes a{kernel, stride, dilation, {}, {}, {}};
  for (std::size_t d = 0; d < rank; ++d) {
    a.before.push_back(pads[d]);
    a.after.push_back(pads[d + rank] - extra[d]);
  }
  return a;
}

namespace {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;

Shape spatial_of(const Node& c, const Value& x) {
  c.require(x.rank() >= 3, "needs data N C and spatial dimensions, has " + graph::to_string(x.shape));
  return {x.shape.begin() + 2, x.shape.end()};
}

/// A value of one element for each channel, as it broadcasts over `data` N C spatial... Data of one dimension
/// has one channel.
Value per_channel(const Node& c, const Value& v, const Value& data) {
  Shape shape(data.rank(), 1);
  if (data.rank() > 1) shape[1] = data.shape[1];
  c.require(v.count() == graph::element_count(shape),
            "has " + std::to_string(v.count()) + " elements for the channels of " +
                graph::to_string(data.shape) + ", needs " + std::to_string(graph::element_count(shape)));
  return c.reshape(v, shape);
}

Value with_bias(const Node& c, const Value& y, int input) {
  return c.has(input) ? c.binary(BinaryOp::Add, y, per_channel(c, c.in(input), y)) : y;
}

void conv(const Node& c) { c.set(convolution(c)); }

/// The convolution of the input with zeros between its elements by the flipped kernel.
void conv_transpose(const Node& c) {
  const Value &x = c.in(0), &w = c.ranked(1, 3);
  spatial_of(c, x);
  const WindowAttributes a = transposed_window_of(c, x.shape, w.shape);
  c.set(with_bias(c, convolve_transposed(c, x, w, a, c.positive("group")), 2));
}

/// Columns as the image whose windows they are: a transposed convolution in which each tap of a kernel has a
/// channel of its own.
void columns_to_image(const Node& c) {
  const Value& x = c.ranked(0, 3);
  const Integers image = c.integers(1, "image_shape"), block = c.integers(2, "block_shape");
  const std::size_t rank = image.size();
  WindowAttributes a = stated_window_of(c, block, rank, "block_shape");
  const std::int64_t taps =
      std::accumulate(a.kernel.begin(), a.kernel.end(), std::int64_t{1}, std::multiplies<>());
  const Integers extents = c.positive_of_window("image_shape", image, rank);
  std::int64_t windows = 1;
  Shape apart = {x.shape.at(0), x.rank() == 3 ? x.shape[1] : 0};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t span = (a.kernel[d] - 1) * a.dilation[d] + 1;
    const std::int64_t places = (extents[d] + a.before[d] + a.after[d] - span) / a.stride[d] + 1;
    apart.push_back(places);
    windows *= places;
    a.after[d] = (places - 1) * a.stride[d] + span - a.before[d] - extents[d];
  }
  c.require(x.rank() == 3 && x.shape[1] % taps == 0 && x.shape[2] == windows,
            "has columns of " + graph::to_string(x.shape) + ", needs N, channels times " +
                std::to_string(taps) + " taps, " + std::to_string(windows) + " windows");
  const std::int64_t channels = x.shape[1] / taps;
  Shape weights = {x.shape[1], 1};
  weights.insert(weights.end(), a.kernel.begin(), a.kernel.end());
  c.require_constant({x.shape[1], taps});
  Integers own;
  for (std::int64_t i = 0; i < x.shape[1]; ++i)
    for (std::int64_t k = 0; k < taps; ++k) own.push_back(i % taps == k);
  c.set(convolve_transposed(c, c.reshape(x, apart), make_constant(x.type, weights, own), a, channels));
}

/// Index, in the whole input, of each window's first largest element.
Value places_of_largest(const Node& c, const Value& x, const WindowAttributes& a, const Shape& out) {
  const std::size_t rank = a.kernel.size();
  const bool columns = c.integer("storage_order") != 0;
  // The windows side by side in a last dimension, and there the first largest.
  Shape apart = out;
  apart.insert(apart.end(), a.kernel.begin(), a.kernel.end());
  graph::View view{apart, {}, graph::Outside::Fill, expr::identity(Reducer::Max, graph::dtype_of(x.type))};
  for (std::size_t d = 0; d < x.rank(); ++d) {
    graph::Source source{0, Integers(apart.size(), 0), 1};
    source.step[d] = d < 2 ? 1 : a.stride[d - 2];
    if (d >= 2) {
      source.offset = -a.before[d - 2];
      source.step[x.rank() + d - 2] = a.dilation[d - 2];
    }
    view.source.push_back(std::move(source));
  }
  Shape flat = out;
  flat.push_back(std::accumulate(a.kernel.begin(), a.kernel.end(), std::int64_t{1}, std::multiplies<>()));
  const Value windows = c.reshape(c.emit(std::move(view), {x}), flat);
  graph::Locate op;
  op.axis = static_cast<int>(x.rank());
  const Value tap = c.emit(op, {windows});
  // From the tap to the element's number in the input.
  std::vector<Value> inputs = {tap};
  for (std::size_t d = 0; d < x.rank(); ++d) inputs.push_back(c.iota(DataType::Int64, x.rank(), d, out[d]));
  return c.map("Places", inputs, [&](const auto& v) {
    std::vector<expr::Value> place = {v[1], v[2]};
    expr::Value rest = v[0];
    for (std::size_t d = rank; d-- > 0;) {
      const expr::Value k = d == 0 ? rest : floor_mod(rest, a.kernel[d]);
      rest = floor_div(rest, a.kernel[d]);
      place.insert(place.begin() + 2, v[d + 3] * a.stride[d] + k * a.dilation[d] - a.before[d]);
    }
    expr::Value number = place[0] * x.shape[1] + place[1];
    for (std::size_t d = 0; d < rank; ++d) {
      const std::size_t from = columns ? rank - 1 - d : d;
      number = number * x.shape[from + 2] + place[from + 2];
    }
    return number;
  });
}

void max_pool(const Node& c) {
  const Value& x = c.in(0);
  const WindowAttributes a = window_of(c, spatial_of(c, x), c.integers("kernel_shape", Integers{}));
  const Value y = pooled(c, x, Reducer::Max, a);
  c.set(0, y);
  if (c.wants(1)) c.set(1, places_of_largest(c, x, a, y.shape));
}

void average_pool(const Node& c) {
  const Value& x = c.in(0);
  const WindowAttributes a = window_of(c, spatial_of(c, x), c.integers("kernel_shape", Integers{}));
  c.set(average_pooled(c, x, a, c.integer("count_include_pad", 0) != 0));
}

void lp_pool(const Node& c) {
  const Value& x = c.in(0);
  const double p = c.opset() < 2 ? c.real("p") : static_cast<double>(c.integer("p"));
  const WindowAttributes a = window_of(c, spatial_of(c, x), c.integers("kernel_shape", Integers{}));
  const auto power = [&](const Value& v, double e) {
    return c.map("Power", {v}, [&](const auto& s) {
      return expr::Value(expr::call(
          Function::Pow, {expr::call(Function::Abs, {s[0].expr()}), expr::float_imm(e, s[0].dtype())}));
    });
  };
  c.set(power(pooled(c, power(x, p), Reducer::Sum, a), 1 / p));
}

Integers spatial_axes(const Value& x) {
  Integers axes(x.rank() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

void global_average(const Node& c) {
  spatial_of(c, c.in(0));
  c.set(mean_over(c, c.in(0), spatial_axes(c.in(0))));
}
void global_max(const Node& c) {
  spatial_of(c, c.in(0));
  c.set(c.fold(Reducer::Max, c.in(0), spatial_axes(c.in(0)), true));
}

/// The largest element of each window back at its place, zeros elsewhere.
void max_unpool(const Node& c) {
  const Value &x = c.in(0), &places = c.in(1);
  const Shape spatial = spatial_of(c, x);
  const std::size_t rank = spatial.size();
  const Integers kernel = c.positive_of_window("kernel_shape", c.integers("kernel_shape", Integers{}), rank);
  const Integers stride = c.positive_of_window("strides", c.integers("strides", Integers(rank, 1)), rank);
  const Integers pads = c.pads(rank);
  Shape natural = {x.shape[0], x.shape[1]};
  for (std::size_t d = 0; d < spatial.size(); ++d)
    natural.push_back((spatial[d] - 1) * stride[d] + kernel[d] - pads[d] - pads[d + rank]);
  natural = c.positive("pads that leave an output of", natural, x.rank());
  const Shape out = c.has(2) ? c.positive("output_shape", c.integers(2, "output_shape"), x.rank()) : natural;
  const std::int64_t count = graph::element_count(natural);
  const Value zeros = c.broadcast(c.scalar(x.type, 0), {count});
  const Value flat = c.emit(graph::ScatterElements{0, graph::ScatterMode::Replace},
                            {zeros, c.reshape(places, {x.count()}), c.reshape(x, {x.count()})});
  const Value y = c.reshape(flat, natural);
  Integers after(out.size(), 0);
  for (std::size_t d = 0; d < out.size(); ++d) after[d] = out[d] - natural[d];
  c.set(c.pad(y, Integers(out.size(), 0), after, 0));
}

void matmul(const Node& c) {
  const Value &a = c.in(0), &b = c.in(1);
  c.require(a.rank() > 0 && b.rank() > 0, "needs at least one dimension of each input");
  const Value left = a.rank() == 1 ? c.reshape(a, {1, a.count()}) : a;
  const Value right = b.rank() == 1 ? c.reshape(b, {b.count(), 1}) : b;
  const Value y = c.matmul(left, right);
  Shape shape = y.shape;
  if (b.rank() == 1) shape.pop_back();
  if (a.rank() == 1) shape.erase(shape.end() - (b.rank() == 1 ? 1 : 2));
  c.set(c.reshape(y, shape));
}

void gemm(const Node& c) { c.set(general_product(c)); }

/// Before operator set 7 a test is what an attribute asks for; up to 13 further outputs make a training.
bool trains(const Node& c) {
  if (c.opset() >= 14) return c.integer("training_mode") != 0;
  if (c.opset() < 7 && c.integer("is_test") == 0) return true;
  for (int i = 1; i < c.outputs(); ++i)
    if (c.wants(i)) return true;
  return false;
}

void batch_normalization(const Node& c) {
  if (trains(c)) throw OutOfScope(c.where() + "is out of scope: it trains", "training");
  c.require(c.integer("spatial", 1) == 1, "normalises each element, needs spatial = 1");
  const Value& x = c.in(0);
  const auto channel = [&](int i) { return per_channel(c, c.cast(c.in(i), x.type), x); };
  const Value scale = channel(1), bias = channel(2), mean = channel(3), variance = channel(4);
  const double epsilon = c.real("epsilon");
  if (!scale.constant() || !bias.constant() || !mean.constant() || !variance.constant())
    return c.set(0, normalised(c, c.op(), x, mean, variance, &scale, &bias, epsilon));
  // x * factor + rest, both known.
  const Value factor = c.map("Factor", {scale, variance}, [&](const auto& v) {
    const expr::Value e = expr::float_imm(epsilon, v[1].dtype());
    return v[0] / expr::Value(expr::call(Function::Sqrt, {(v[1] + e).expr()}));
  });
  const Value rest = c.map("Rest", {bias, mean, factor}, [](const auto& v) { return v[0] - v[1] * v[2]; });
  c.set(0, c.map(c.op(), {x, factor, rest}, [](const auto& v) { return v[0] * v[1] + v[2]; }));
}

void instance_normalization(const Node& c) {
  const Value& x = c.in(0);
  spatial_of(c, x);
  const auto [mean, variance] = moments(c, x, spatial_axes(x));
  const Value scale = per_channel(c, c.in(1), x), bias = per_channel(c, c.in(2), x);
  c.set(normalised(c, c.op(), x, mean, variance, &scale, &bias, c.real("epsilon")));
}

/// The first stage, up to the quotient, is computed in float32 (float64 stays), the second in the type of x.
void layer_normalization(const Node& c) {
  c.require(c.integer("stash_type") == 1, "has a stash_type other than 1 (float)");
  const DataType type = c.in(0).type;
  const bool wide = type == wide_type(type);
  const Value x = c.cast(c.in(0), wide_type(type));
  const Integers axes = axes_from(c.axis(c.integer("axis"), x.rank()), x.rank());
  const auto [mean, variance] = moments(c, x, axes);
  const Value scale = c.in(1);
  const Value bias = c.has(2) ? c.in(2) : Value{};
  const double epsilon = c.real("epsilon");
  if (wide) {
    c.set(0, normalised(c, c.op(), x, mean, variance, &scale, c.has(2) ? &bias : nullptr, epsilon));
  } else {
    const Value y = c.cast(normalised(c, c.op(), x, mean, variance, nullptr, nullptr, epsilon), type);
    const Value scaled = c.binary(BinaryOp::Mul, y, scale);
    c.set(0, c.has(2) ? c.binary(BinaryOp::Add, scaled, bias) : scaled);
  }
  if (c.wants(1)) c.set(1, c.cast(mean, DataType::Float32));
  if (c.wants(2)) c.set(2, c.cast(inverse_deviation(c, variance, epsilon), DataType::Float32));
}

/// The quotient is computed in float32 (float64 stays), and multiplied in the type of the scale.
void rms_normalization(const Node& c) {
  c.require(c.integer("stash_type") == 1, "has a stash_type other than 1 (float)");
  const Value& scale = c.in(1);
  const Value x = c.cast(c.float_in(0), wide_type(c.in(0).type));
  const Integers axes = axes_from(c.axis(c.integer("axis"), x.rank()), x.rank());
  c.require_broadcasts(1, x.shape);
  const Value y = divided_by_root(c, x, mean_square(c, x, axes), c.real("epsilon"));
  c.set(c.binary(BinaryOp::Mul, c.cast(y, scale.type), c.float_in(1)));
}

/// x [N, C, ...] as [N, groups, elements], normalised along the last dimension. Scale and bias have one
/// element for each group in operator set 18, one for each channel from 21 on.
void group_normalization(const Node& c) {
  const Value& x = c.float_in(0);
  c.require(x.rank() >= 2, "needs data N C and more dimensions, has " + graph::to_string(x.shape));
  c.require(c.integer("stash_type", 1) == 1, "has a stash_type other than 1 (float)");
  const std::int64_t groups = c.positive("num_groups"), channels = x.shape[1];
  c.require(channels % groups == 0, "has " + std::to_string(channels) + " channels and num_groups " +
                                        std::to_string(groups) + ", needs groups of one size");
  const std::int64_t parameters = c.opset() < 21 ? groups : channels;
  for (const int i : {1, 2})
    c.require(c.in(i).shape == Shape{parameters},
              std::string("has a ") + (i == 1 ? "scale" : "bias") + " of " + graph::to_string(c.in(i).shape) +
                  ", needs " + std::to_string(parameters) + " elements, one for each " +
                  (c.opset() < 21 ? "group" : "channel"));
  const std::int64_t of_channel = graph::element_count(Shape(x.shape.begin() + 2, x.shape.end()));
  const std::int64_t of_group = channels / groups * of_channel;
  const Value wide = c.cast(c.reshape(x, {x.shape[0], groups, of_group}), wide_type(x.type));
  const auto [mean, variance] = moments(c, wide, {2});
  const Value y =
      c.cast(normalised(c, c.op(), wide, mean, variance, nullptr, nullptr, c.real("epsilon")), x.type);
  const Value apart = c.reshape(y, {x.shape[0], parameters, c.opset() < 21 ? of_group : of_channel});
  const Value scaled =
      c.map("Scale", {apart, c.reshape(c.in(1), {parameters, 1}), c.reshape(c.in(2), {parameters, 1})},
            [](const auto& v) { return v[0] * v[1] + v[2]; });
  c.set(c.reshape(scaled, x.shape));
}

/// x / (k + alpha / size * sum of squares of neighbouring channels)^beta.
void local_response(const Node& c) {
  const Value& x = c.ranked(0, 2);
  const std::int64_t size = c.positive_of_window("size", Integers{c.integer("size")}, 1)[0];
  const double alpha = c.real("alpha"), beta = c.real("beta"), k = c.real("bias");
  const Value square = c.map("Square", {x}, [](const auto& v) { return v[0] * v[0]; });
  Integers ones(x.rank() - 1, 1), kernel = ones, before(x.rank() - 1, 0), after = before;
  kernel[0] = size;
  before[0] = (size - 1) / 2;
  after[0] = size - 1 - before[0];
  const Value total = c.emit(graph::ReduceWindow{Reducer::Sum, kernel, ones, ones, before, after}, {square});
  c.set(c.map("LRN", {x, total}, [&](const auto& v) {
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    const expr::Value base = number(k) + number(alpha / static_cast<double>(size)) * v[1];
    return v[0] / expr::Value(expr::call(Function::Pow, {base.expr(), number(beta).expr()}));
  }));
}

/// Products and sums over the letters of an equation, as a broadcast product and a fold; a product of two
/// inputs over one shared letter set is a batched matrix product.
void einsum(const Node& c) {
  std::string equation = c.text("equation");
  std::erase(equation, ' ');
  const auto arrow = equation.find("->");
  std::string left = equation.substr(0, arrow),
              right = arrow == std::string::npos ? "" : equation.substr(arrow + 2);
  std::vector<std::string> terms(1);
  for (char letter : left) letter == ',' ? terms.emplace_back() : terms.back() += std::string(1, letter);
  c.require(static_cast<int>(terms.size()) == c.inputs(), "has an equation of another number of inputs");
  constexpr int kMostInputs = 64;  // most inputs of one product
  c.require(c.inputs() <= kMostInputs,
            "has " + std::to_string(c.inputs()) + " inputs, needs at most " + std::to_string(kMostInputs));
  // Dimensions behind "..." get letters of their own, counted from the last.
  std::size_t open = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto dots = terms[i].find("...");
    if (dots == std::string::npos) continue;
    const std::size_t count =
        c.ranked(static_cast<int>(i), terms[i].size() - 3).rank() - (terms[i].size() - 3);
    std::string letters;
    for (std::size_t k = count; k-- > 0;) letters += static_cast<char>('0' + k);
    terms[i].replace(dots, 3, letters);
    open = std::max(open, count);
  }
  std::string free;
  for (std::size_t k = open; k-- > 0;) free += static_cast<char>('0' + k);
  if (const auto dots = right.find("..."); dots != std::string::npos) right.replace(dots, 3, free);
  std::string all;
  for (const std::string& t : terms) all += t;
  if (arrow == std::string::npos) {
    right = free;
    std::string letters = all;
    std::sort(letters.begin(), letters.end());
    for (char l : letters)
      if (!std::isdigit(static_cast<unsigned char>(l)) && std::count(all.begin(), all.end(), l) == 1)
        right += l;
  }
  for (char l : right)
    c.require(std::count(right.begin(), right.end(), l) == 1 && all.find(l) != std::string::npos,
              "has output '" + right + "', needs letters of its inputs, each once");
  std::string order = right;
  for (char l : all)
    if (order.find(l) == std::string::npos) order += l;
  // Each input as a view whose dimensions are those of `order`.
  std::map<char, std::int64_t> extent;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Value& x = c.in(static_cast<int>(i));
    c.require(terms[i].size() == x.rank(), "has term '" + terms[i] + "' for " + graph::to_string(x.shape));
    for (std::size_t d = 0; d < x.rank(); ++d) {
      auto& e = extent[terms[i][d]];
      e = std::max(e, x.shape[d]);
    }
  }
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Value& x = c.in(static_cast<int>(i));
    graph::View view;
    for (char l : order) view.shape.push_back(terms[i].find(l) == std::string::npos ? 1 : extent[l]);
    for (std::size_t d = 0; d < x.rank(); ++d) {
      graph::Source source{0, Integers(order.size(), 0), 1};
      if (x.shape[d] != 1) source.step[order.find(terms[i][d])] = 1;
      view.source.push_back(std::move(source));
    }
    inputs.push_back(c.emit(std::move(view), {x}));
  }
  const Value product = c.map("Product", inputs, [](const auto& v) {
    expr::Value y = v[0];
    for (std::size_t i = 1; i < v.size(); ++i) y = y * v[i];
    return y;
  });
  Integers summed;
  for (std::size_t d = right.size(); d < order.size(); ++d) summed.push_back(static_cast<std::int64_t>(d));
  c.set(c.fold(Reducer::Sum, product, summed, false));
}

constexpr Operator kLayerOperators[] = {
    {"AveragePool", average_pool},
    {"BatchNormalization", batch_normalization},
    {"Col2Im", columns_to_image},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"Einsum", einsum},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_average},
    {"GlobalMaxPool", global_max},
    {"GroupNormalization", group_normalization},
    {"InstanceNormalization", instance_normalization},
    {"LRN", local_response},
    {"LayerNormalization", layer_normalization},
    {"LpPool", lp_pool},
    {"MatMul", matmul},
    {"MaxPool", max_pool},
    {"MaxUnpool", max_unpool},
    {"RMSNormalization", rms_normalization},
};

}  // namespace

Value convolution(const Node& c) {
  const Value &x = c.in(0), &w = c.ranked(1, 3);
  const Shape spatial = spatial_of(c, x);
  const WindowAttributes a = window_of(c, spatial, kernel_of(c, w.shape));
  return with_bias(c, convolve(c, x, w, a, c.integer("group")), 2);
}

Value general_product(const Node& c) {
  const double alpha = c.real("alpha"), beta = c.real("beta");
  const Value y = c.matmul(c.in(0), c.in(1), c.integer("transA") != 0, c.integer("transB") != 0);
  const bool adds = c.has(2) && beta != 0;
  if (alpha == 1 && !adds) return y;
  std::vector<Value> inputs = {y};
  if (adds) inputs.push_back(c.in(2));
  const auto scaled = [](const expr::Value& v, double by) {
    if (by == 1) return v;
    return expr::is_float(v.dtype()) ? v * expr::Value(expr::float_imm(by, v.dtype()))
                                     : v * static_cast<std::int64_t>(by);
  };
  return c.map("Gemm", inputs, [&](const auto& v) {
    return adds ? scaled(v[0], alpha) + scaled(v[1], beta) : scaled(v[0], alpha);
  });
}

std::span<const Operator> layer_operators() { return kLayerOperators; }

}  // namespace vdla::import::tensor
