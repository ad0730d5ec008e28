// SPDX-License-Identifier: Apache-2.0
// Sparse constants, in all orders, blocks and widths of indices that the format has.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;
using import::tflite::FileSparsity;
using import::tflite::SparseIndexVector;

/// Dimensions of a tree: those of the shape, then those of the blocks, in one order.
struct SparseTree {
  Shape shape;
  Ints order, blocked, sizes;  ///< sizes: of blocks
  std::vector<bool> compressed;

  std::int64_t size_of(int dimension) const {
    const auto rank = static_cast<int>(shape.size());
    if (dimension >= rank) return sizes.at(static_cast<std::size_t>(dimension - rank));
    std::int64_t size = shape.at(static_cast<std::size_t>(dimension));
    for (std::size_t b = 0; b < blocked.size(); ++b)
      if (blocked[b] == dimension) size /= sizes[b];
    return size;
  }

  /// The index of an element in each level.
  Ints path(std::int64_t element) const {
    Shape at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) at[d] = element % shape[d];
    std::vector<std::int64_t> by_dimension(shape.size() + blocked.size());
    for (std::size_t b = blocked.size(); b-- > 0;) {
      std::int64_t& whole = at.at(static_cast<std::size_t>(blocked[b]));
      by_dimension[shape.size() + b] = whole % sizes[b];
      whole /= sizes[b];
    }
    std::ranges::copy(at, by_dimension.begin());
    Ints result;
    for (const int d : order)
      result.push_back(static_cast<std::int32_t>(by_dimension[static_cast<std::size_t>(d)]));
    return result;
  }
};

/// `elements` becomes those that the file has.
FileSparsity stored(const SparseTree& places, std::vector<double>& elements, SparseIndexVector kind) {
  std::set<Ints> there;  // paths to elements that are not zero, and their beginnings
  std::map<Ints, double> leaves;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    Ints path = places.path(static_cast<std::int64_t>(e));
    leaves[path] = elements[e];
    for (; elements[e] != 0 && !path.empty() && there.insert(path).second; path.pop_back()) continue;
  }
  FileSparsity result{.order = places.order, .blocked = places.blocked, .levels = {}};
  std::vector<Ints> nodes{{}};
  for (std::size_t l = 0; l < places.order.size(); ++l) {
    const auto size = static_cast<std::int32_t>(places.size_of(places.order[l]));
    FileSparsity::Level level{
        .size = size, .compressed = places.compressed[l], .segments = {0}, .kind = kind};
    std::vector<Ints> next;
    for (const Ints& node : nodes) {
      for (std::int32_t i = 0; i < size; ++i) {
        Ints child = node;
        child.push_back(i);
        if (level.compressed && !there.contains(child)) continue;
        level.indices.push_back(i);
        next.push_back(std::move(child));
      }
      level.segments.push_back(static_cast<std::int32_t>(level.indices.size()));
    }
    nodes = std::move(next);
    result.levels.push_back(std::move(level));
  }
  elements.clear();
  for (const Ints& node : nodes) elements.push_back(leaves.at(node));
  return result;
}

SparseIndexVector some_kind(Sketch& s) {
  return s.random.one_of(
      {SparseIndexVector::Int32Vector, SparseIndexVector::Uint16Vector, SparseIndexVector::Uint8Vector});
}

/// Elements of which some are not zero, one at least.
std::vector<double> some_elements(Sketch& s, DataType type, const Shape& shape) {
  std::vector<double> result(static_cast<std::size_t>(graph::element_count(shape)));
  const double density = s.random.between(0.1, 0.6);
  for (double& e : result)
    if (s.random.chance(density))
      e = type == DataType::Int8
              ? static_cast<double>(s.random.between(std::int64_t{-127}, std::int64_t{127}))
              : s.random.between(-1.0, 1.0);
  result[static_cast<std::size_t>(s.random.below(result.size()))] = 1;
  return result;
}

/// Any order of the shape's dimensions, then the blocks in theirs.
SparseTree some_places(Sketch& s, const Shape& shape) {
  SparseTree places{.shape = shape, .order = {}, .blocked = {}, .sizes = {}, .compressed = {}};
  places.order.resize(shape.size());
  std::iota(places.order.begin(), places.order.end(), 0);
  for (std::size_t i = shape.size(); i-- > 1;)
    std::swap(places.order[i], places.order[static_cast<std::size_t>(s.random.below(i + 1))]);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    places.compressed.push_back(s.random.chance(0.6));
    const auto size = s.random.between(std::int64_t{2}, std::int64_t{4});
    if (shape[d] % size != 0 || s.random.chance(0.5)) continue;
    places.blocked.push_back(static_cast<std::int32_t>(d));
    places.sizes.push_back(static_cast<std::int32_t>(size));
  }
  for (std::size_t b = 0; b < places.blocked.size(); ++b) {
    places.order.push_back(static_cast<std::int32_t>(shape.size() + b));
    places.compressed.push_back(false);
  }
  return places;
}

/// DENSIFY, whose output an input is added to: a network has inputs.
void densify(Sketch& s, int code) {
  Shape shape(static_cast<std::size_t>(s.random.between(std::int64_t{1}, std::int64_t{4})));
  for (auto& extent : shape)
    extent = s.random.between(std::int64_t{1}, std::int64_t{shape.size() > 2 ? 4 : 12});
  std::vector<double> elements = some_elements(s, kFloat, shape);
  FileSparsity places = stored(some_places(s, shape), elements, some_kind(s));
  const int x = s.input(kFloat, shape), weights = s.sparse(kFloat, shape, elements, std::move(places));
  const int dense = s.inner(shape);
  s.output(kFloat, shape);
  s.step({code, BuiltinOptions::NONE, 0, {weights}, {dense}});
  s.finish(0, BuiltinOptions::AddOptions, import::tflite::CreateAddOptions(s.file.builder()), {x, dense});
}

/// Weights of a layer by DENSIFY, of floats or 8-bit integers.
void densified_weights(Sketch& s, int code) {
  const std::int64_t batch = s.random.between(std::int64_t{1}, std::int64_t{3}),
                     width = s.random.between(std::int64_t{1}, std::int64_t{12}),
                     units = s.random.between(std::int64_t{1}, std::int64_t{12});
  const bool hybrid = s.random.chance(0.4);
  const DataType type = hybrid ? DataType::Int8 : kFloat;
  std::vector<double> elements = some_elements(s, type, {units, width});
  FileSparsity places = stored(some_places(s, {units, width}), elements, some_kind(s));
  const int x = s.input(kFloat, {batch, width});
  if (hybrid) s.quantise(false, static_cast<float>(s.random.between(0.001, 0.02)), 0);
  const int weights = s.sparse(type, {units, width}, elements, std::move(places));
  const int dense = s.inner(type, {units, width}), bias = s.drawn_constant({units}, -1, 1);
  s.output(kFloat, {batch, units});
  s.drawn.slack = 1e-6;  // sums may cancel
  s.step({code, BuiltinOptions::NONE, 0, {weights}, {dense}});
  s.finish(9, BuiltinOptions::FullyConnectedOptions,
           import::tflite::CreateFullyConnectedOptions(s.file.builder(), activation(s)), {x, dense, bias});
}

/// The layer itself reads sparse weights: TensorFlow Lite takes them by element and in blocks of 1x4.
void sparse_dense(Sketch& s, int code) {
  const std::int64_t batch = s.random.between(std::int64_t{1}, std::int64_t{3}),
                     blocks = s.random.between(std::int64_t{1}, std::int64_t{4}),
                     units = s.random.between(std::int64_t{1}, std::int64_t{12});
  const bool in_blocks = s.random.chance(0.5);
  const Shape shape{units, in_blocks ? 4 * blocks : blocks};
  std::vector<double> elements = some_elements(s, kFloat, shape);
  SparseTree places{.shape = shape, .order = {0, 1}, .blocked = {}, .sizes = {}, .compressed = {false, true}};
  if (in_blocks) places = {shape, {0, 1, 2}, {1}, {4}, {false, true, false}};
  FileSparsity sparsity = stored(places, elements, some_kind(s));
  const int x = s.input(kFloat, {batch, shape[1]});
  const int weights = s.sparse(kFloat, shape, elements, std::move(sparsity));
  const int bias = s.drawn_constant({units}, -1, 1);
  s.output(kFloat, {batch, units});
  s.drawn.slack = 1e-6;  // sums may cancel
  s.finish(code, BuiltinOptions::FullyConnectedOptions,
           import::tflite::CreateFullyConnectedOptions(s.file.builder(), activation(s)), {x, weights, bias});
}

}  // namespace

std::vector<Row> sparse_rows() {
  return {{"DENSIFY", 124, densify},
          {"DENSIFY of weights", 124, densified_weights},
          {"FULLY_CONNECTED of sparse weights", 9, sparse_dense}};
}

}  // namespace vdla::random_tflite
