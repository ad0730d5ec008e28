// SPDX-License-Identifier: Apache-2.0
// Convolutions, matrix products, normalisations.
#include <algorithm>
#include <cmath>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// Sums of `depth` products.
Piece summed(Written& n, Shape shape, const Piece& x, const Piece& w, double depth) {
  const double most = reach(x) * reach(w) * depth + 10;
  return n.out(DataType::Float32, std::move(shape), -most, most, false,
               x.typical * w.typical * std::sqrt(depth) * 0.6 + 0.1);
}

/// A bias as networks have it: int32 of the product of both scales, or floats.
Piece bias(Sketch& s, std::int64_t count) {
  if (s.quantises() && s.random().chance(0.6)) {
    const Piece q = s.constant(DataType::Int32, {count}, -200, 200);
    return s.dequantised(q);
  }
  return s.constant(DataType::Float32, {count}, -2, 2);
}

/// Kernel, stride, dilation and padding of each spatial dimension.
struct Window {
  Integers kernel, stride, dilation, pads;
  std::string automatic;
};

Window window(Sketch& s, const Shape& spatial, bool dilates) {
  Random& r = s.random();
  const std::size_t rank = spatial.size();
  Window w{Integers(rank, 1), Integers(rank, 1), Integers(rank, 1), Integers(2 * rank, 0), ""};
  for (std::size_t d = 0; d < rank; ++d) {
    w.kernel[d] = r.between(std::int64_t{1}, std::min<std::int64_t>(3, spatial[d]));
    w.stride[d] = r.chance(0.5) ? 1 : r.between(std::int64_t{1}, std::int64_t{3});
    if (dilates && r.chance(0.2) && (w.kernel[d] - 1) * 2 < spatial[d]) w.dilation[d] = 2;
    for (const std::size_t end : {d, d + rank})
      if (r.chance(0.4)) w.pads[end] = r.below(w.kernel[d]);
  }
  if (r.chance(0.25)) {
    w.automatic = r.one_of({"VALID", "SAME_UPPER", "SAME_LOWER", "NOTSET"});
    if (w.automatic.starts_with("SAME")) w.dilation.assign(rank, 1);
    if (w.automatic != "NOTSET") w.pads.assign(2 * rank, 0);
    // Padding below zero: some crop, some do not.
    for (std::size_t d = 0; d < rank; ++d)
      if (w.automatic.starts_with("SAME")) w.stride[d] = std::min(w.stride[d], w.kernel[d]);
  }
  return w;
}

void write_window(Sketch& s, Written& n, const Window& w, bool kernel) {
  const auto differs = [](const Integers& v, std::int64_t from) {
    return std::ranges::any_of(v, [&](auto e) { return e != from; });
  };
  if (kernel) n.integers("kernel_shape", w.kernel);
  if (differs(w.stride, 1) || s.random().chance(0.3)) n.integers("strides", w.stride);
  if (differs(w.dilation, 1) || s.random().chance(0.2)) n.integers("dilations", w.dilation);
  if (differs(w.pads, 0) || (w.automatic.empty() && s.random().chance(0.2))) n.integers("pads", w.pads);
  if (!w.automatic.empty()) n.text("auto_pad", w.automatic);
}

std::int64_t extent(const Window& w, const Shape& spatial, std::size_t d) {
  if (w.automatic.starts_with("SAME")) return (spatial[d] + w.stride[d] - 1) / w.stride[d];
  const std::int64_t span = (w.kernel[d] - 1) * w.dilation[d] + 1;
  return (spatial[d] + w.pads[d] + w.pads[d + spatial.size()] - span) / w.stride[d] + 1;
}

/// A value N C spatial... of the graph, or a new one.
Piece image(Sketch& s, std::int64_t most_rank = 5) {
  const Piece x = s.take({kFloat, 3, most_rank, -1e4, 1e4});
  return x;
}

bool convolution(Sketch& s, const char* name) {
  const Piece x = image(s);
  Random& r = s.random();
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  const Window w = window(s, spatial, true);
  const std::int64_t channels = x.shape[1];
  std::int64_t groups = 1;
  if (r.chance(0.3))
    groups = channels;
  else if (channels % 2 == 0 && r.chance(0.3))
    groups = 2;
  const std::int64_t out = groups * r.between(std::int64_t{1}, std::int64_t{3});
  Shape weights = {out, channels / groups}, shape = {x.shape[0], out};
  weights.insert(weights.end(), w.kernel.begin(), w.kernel.end());
  for (std::size_t d = 0; d < spatial.size(); ++d) shape.push_back(extent(w, spatial, d));
  if (product(shape) > 800) return false;
  const Piece k = r.chance(0.95) ? s.weights(weights, 0, 1) : s.fresh(DataType::Float32, weights, -1, 1);
  const bool biased = r.chance(0.6);
  const Piece b = biased ? bias(s, out) : Piece{};
  Written n = s.node(name);
  n.in(x).in(k);
  if (biased) n.in(b);
  write_window(s, n, w, r.chance(0.6));
  if (groups > 1 || r.chance(0.2)) n.integer("group", groups);
  summed(n, shape, x, k, static_cast<double>(product(weights) / out));
  return true;
}

bool transposed_convolution(Sketch& s, const char* name) {
  const Piece x = image(s, 4);
  Random& r = s.random();
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  Window w = window(s, spatial, true);
  const std::int64_t channels = x.shape[1], groups = r.chance(0.25) ? channels : 1;
  const std::int64_t each = r.between(std::int64_t{1}, std::int64_t{3});
  Shape weights = {channels, each}, shape = {x.shape[0], each * groups};
  weights.insert(weights.end(), w.kernel.begin(), w.kernel.end());
  Integers extra(spatial.size(), 0);
  const bool states = r.chance(0.15);
  Integers wanted;
  for (std::size_t d = 0; d < spatial.size(); ++d) {
    if (w.stride[d] > 1 && r.chance(0.3)) extra[d] = r.below(w.stride[d]);
    std::int64_t size = (spatial[d] - 1) * w.stride[d] + (w.kernel[d] - 1) * w.dilation[d] + 1 + extra[d];
    if (w.automatic.starts_with("SAME"))
      size = spatial[d] * w.stride[d];
    else
      size -= w.pads[d] + w.pads[d + spatial.size()];
    if (size < 1) return false;
    shape.push_back(size);
    wanted.push_back(size);
  }
  if (product(shape) > 800) return false;
  const Piece k = s.weights(weights, 1, 1);
  const bool biased = r.chance(0.6);
  const Piece b = biased ? bias(s, each * groups) : Piece{};
  if (states) w.pads.assign(w.pads.size(), 0), w.automatic = r.one_of({"", "SAME_UPPER", "SAME_LOWER"});
  Written n = s.node(name);
  n.in(x).in(k);
  if (biased) n.in(b);
  write_window(s, n, w, r.chance(0.6));
  if (groups > 1 || r.chance(0.2)) n.integer("group", groups);
  if (states) n.integers("output_shape", wanted);
  if (std::ranges::any_of(extra, [](auto e) { return e > 0; })) n.integers("output_padding", extra);
  summed(n, shape, x, k, static_cast<double>(product(weights) / each));
  return true;
}

bool product_of_matrices(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 1, 5, -1e4, 1e4});
  Random& r = s.random();
  const std::int64_t depth = x.shape.back(), columns = r.between(std::int64_t{1}, std::int64_t{6});
  Shape b = {depth, columns};
  if (r.chance(0.1)) b = {depth};
  // Batches: the first's, or one for all of them.
  else if (x.rank() > 2 && r.chance(0.4))
    for (std::size_t d = x.shape.size() - 2; d-- > 0 && r.chance(0.7);)
      b.insert(b.begin(), r.chance(0.3) ? 1 : x.shape[d]);
  const Piece y = r.chance(0.7) ? s.weights(b, static_cast<std::int64_t>(b.size()) - 1, 1)
                                : s.fresh(DataType::Float32, b, -2, 2);
  Shape shape;
  if (b.size() > 1 && x.rank() > 1) {
    if (!broadcast({x.shape.begin(), x.shape.end() - 2}, {b.begin(), b.end() - 2}, shape)) return false;
  } else if (x.rank() > 1) {
    shape.assign(x.shape.begin(), x.shape.end() - 2);
  } else if (b.size() > 1) {
    shape.assign(b.begin(), b.end() - 2);
  }
  if (x.rank() > 1) shape.push_back(x.shape[x.shape.size() - 2]);
  if (b.size() > 1) shape.push_back(columns);
  Written n = s.node(name);
  n.in(x).in(y);
  summed(n, shape, x, y, static_cast<double>(depth));
  return true;
}

bool gemm(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 2, 2, -1e4, 1e4});
  Random& r = s.random();
  const bool turns_a = r.chance(0.25), turns_b = r.chance(0.5);
  const std::int64_t rows = x.shape[turns_a ? 1 : 0], depth = x.shape[turns_a ? 0 : 1];
  const std::int64_t columns = r.between(std::int64_t{1}, std::int64_t{6});
  const Shape b = turns_b ? Shape{columns, depth} : Shape{depth, columns};
  const Piece y = r.chance(0.85) ? s.weights(b, turns_b ? 0 : 1, 1) : s.fresh(DataType::Float32, b, -2, 2);
  const bool adds = s.opset() < 11 || r.chance(0.7);
  Piece c;
  if (adds) {
    Piece to{"", DataType::Float32, {rows, columns}};
    if (r.chance(0.6))
      c = bias(s, columns);
    else
      c = s.mate(to, DataType::Float32, -4, 4, false);
    Shape wide;
    if (!broadcast(to.shape, c.shape, wide) || wide != to.shape) return false;
  }
  Written n = s.node(name);
  n.in(x).in(y);
  if (adds) n.in(c);
  const double alpha = r.chance(0.6) ? 1 : n.some("alpha", 1, r.between(-2.0, 2.0));
  if (r.chance(0.3)) n.some("beta", 1, r.one_of({0.0, 0.5, -1.5}));
  if (turns_a || r.chance(0.2)) n.integer("transA", turns_a);
  if (turns_b || r.chance(0.2)) n.integer("transB", turns_b);
  Piece scaled = y;
  scaled.typical *= std::max(0.2, std::fabs(alpha)), scaled.low *= 3, scaled.high *= 3;
  summed(n, {rows, columns}, x, scaled, static_cast<double>(depth));
  return true;
}

bool batch_normalization(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 2, 5, -1e4, 1e4});
  const Shape per = {x.shape[1]};
  const auto number = [&](double low, double high) { return s.constant(DataType::Float32, per, low, high); };
  const Piece scale = number(0.3, 2), b = number(-1, 1), mean = number(-1, 1), variance = number(0.2, 2);
  Written n = s.node(name);
  n.in(x).in(scale).in(b).in(mean).in(variance);
  n.some("epsilon", 1e-5, 1e-3);
  if (s.random().chance(0.2)) n.real("momentum", 0.8);
  const double most = (reach(x) + 1) * 5 + 1;
  n.out(x.type, x.shape, -most, most, false, x.typical * 1.5 + 0.5);
  return true;
}

bool instance_normalization(Sketch& s, const char* name) {
  const Piece x = image(s);
  if (product(Shape(x.shape.begin() + 2, x.shape.end())) < 3) return false;  // a variance of zero
  const Piece scale = s.constant(DataType::Float32, {x.shape[1]}, 0.3, 2),
              b = s.constant(DataType::Float32, {x.shape[1]}, -1, 1);
  Written n = s.node(name);
  n.in(x).in(scale).in(b);
  n.some("epsilon", 1e-5, 1e-3);
  n.out(x.type, x.shape, -50, 50, false, 3);
  return true;
}

bool layer_normalization(Sketch& s, const char* name) {
  // Drawn elements lie apart: of near ones ONNX Runtime computes the variance with few digits.
  const Piece x = s.fresh(DataType::Float32, s.shape(1, 4), -4, 4);
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  const bool stated = s.random().chance(0.6);
  if (!stated) axis = x.rank() - 1;
  const Shape tail(x.shape.begin() + axis, x.shape.end());
  if (product(tail) < 4) return false;
  const Piece scale = s.constant(DataType::Float32, tail, 0.3, 2);
  const bool biased = s.random().chance(0.7);
  const Piece b = biased ? s.constant(DataType::Float32, tail, -1, 1) : Piece{};
  Written n = s.node(name);
  n.in(x).in(scale);
  if (biased) n.in(b);
  if (stated) n.integer("axis", written);
  n.some("epsilon", 1e-5, 1e-3);
  n.out(x.type, x.shape, -50, 50, false, 3);
  if (!s.random().chance(0.2)) return true;
  Shape kept = x.shape;
  std::fill(kept.begin() + axis, kept.end(), 1);
  n.out(x.type, kept, x.low, x.high, false);
  if (s.random().chance(0.6)) n.out(x.type, kept, 0, 400, false);
  return true;
}

bool local_response(Sketch& s, const char* name) {
  const Piece x = s.take({kFloat, 4, 4, -100, 100});
  Random& r = s.random();
  Written n = s.node(name);
  n.in(x).integer("size", r.one_of({1, 3, 3, 5}));
  n.some("alpha", 1e-4, r.between(0.001, 0.2));
  n.some("beta", 0.75, r.between(0.3, 1.2));
  n.some("bias", 1, r.between(0.5, 2.0));
  const double most = reach(x) * 3;
  n.out(x.type, x.shape, -most, most, false);
  return true;
}

/// Letters of two inputs and of the output.
bool einsum(Sketch& s, const char* name) {
  struct Equation {
    const char *text, *a, *b, *y;
  };
  constexpr Equation kEquations[] = {{"ij,jk->ik", "ij", "jk", "ik"},
                                     {"bij,bjk->bik", "bij", "bjk", "bik"},
                                     {"ij,ij->", "ij", "ij", ""},
                                     {"i,j->ij", "i", "j", "ij"},
                                     {"bhid,bhjd->bhij", "bhid", "bhjd", "bhij"},
                                     {"ij,kj", "ij", "kj", "ik"},
                                     {"ij->ji", "ij", "", "ji"},
                                     {"ijk->k", "ijk", "", "k"},
                                     {"abc,cd->abd", "abc", "cd", "abd"},
                                     {"ba", "ba", "", "ab"},
                                     {"ij, jk -> ki", "ij", "jk", "ki"}};
  const Equation& e = kEquations[s.random().below(std::size(kEquations))];
  std::map<char, std::int64_t> extents;
  for (const char* letters : {e.a, e.b})
    for (const char* l = letters; *l != 0; ++l)
      extents.try_emplace(*l, s.random().between(std::int64_t{1}, std::int64_t{4}));
  const auto shape = [&](std::string_view letters) {
    Shape result;
    for (const char l : letters) result.push_back(extents.at(l));
    return result;
  };
  const Piece x = s.fresh(DataType::Float32, shape(e.a), -2, 2);
  const bool two = *e.b != 0;
  const Piece y = two ? s.fresh(DataType::Float32, shape(e.b), -2, 2) : x;
  Written n = s.node(name);
  n.in(x);
  if (two) n.in(y);
  n.text("equation", e.text);
  summed(n, shape(e.y), x, y, 64);
  return true;
}

}  // namespace

std::vector<Operator> layer_operators() {
  return {{"BatchNormalization", 7, kEver, batch_normalization},
          {"Conv", 1, kEver, convolution},
          {"Conv", 1, kEver, convolution},
          {"Conv", 1, kEver, convolution},
          {"Conv", 1, kEver, convolution},
          {"ConvTranspose", 1, kEver, transposed_convolution},
          {"Einsum", 12, kEver, einsum},
          {"Gemm", 7, kEver, gemm},
          {"Gemm", 7, kEver, gemm},
          {"InstanceNormalization", 6, kEver, instance_normalization},
          {"LRN", 1, kEver, local_response},
          {"LayerNormalization", 17, kEver, layer_normalization},
          {"MatMul", 1, kEver, product_of_matrices},
          {"MatMul", 1, kEver, product_of_matrices},
          {"MatMul", 1, kEver, product_of_matrices}};
}

}  // namespace vdla::random_graphs
