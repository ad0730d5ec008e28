// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, and what is normalised by them.
#include <algorithm>
#include <cmath>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// The shape without the axes, or with extents of 1 there.
Shape reduced(const Shape& shape, const Integers& axes, bool keep) {
  Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool gone = std::ranges::find(axes, static_cast<std::int64_t>(d)) != axes.end();
    if (!gone || keep) result.push_back(gone ? 1 : shape[d]);
  }
  return result;
}

Integers all_of(std::int64_t rank) {
  Integers result;
  for (std::int64_t d = 0; d < rank; ++d) result.push_back(d);
  return result;
}

struct Range {
  double low, high, typical;
};

Range range_of(std::string_view op, const Piece& x, double count) {
  const double most = std::max(std::fabs(x.low), std::fabs(x.high)), t = x.typical, root = std::sqrt(count);
  if (op == "ReduceMax" || op == "ReduceMin" || op == "ReduceMean") return {x.low, x.high, t};
  if (op == "ReduceSum") return {std::min(0.0, x.low * count), std::max(0.0, x.high * count), t * root};
  if (op == "ReduceProd") return {-std::pow(most, count), std::pow(most, count), std::pow(t, count)};
  if (op == "ReduceL1") return {0, most * count, t * count / 2};
  if (op == "ReduceL2") return {0, most * root, t * root / 2};
  if (op == "ReduceSumSquare") return {0, most * most * count, t * t * count / 3};
  return {std::min(x.low, 0.0) - 10, most + std::log(count) + 10, most + std::log(count)};
}

bool reduce(Sketch& s, const char* name) {
  const std::string_view op = name;
  Random& r = s.random();
  const bool logarithm = op == "ReduceLogSum";
  const bool floats = op == "ReduceLogSum" || op == "ReduceLogSumExp" || op == "ReduceL2";
  const double most = op == "ReduceProd" ? 4 : 1e4;
  static const Types kMeans = {DataType::Float32, DataType::Float32, DataType::Int32};
  const Types& types = floats ? kFloat : op == "ReduceMean" ? kMeans : kNumbers;
  const Piece x = s.take({types, 0, 5, logarithm ? 0.01 : -most, most});
  const bool as_input = op == "ReduceSum" ? s.opset() >= 13 : s.opset() >= 18;
  Integers axes = s.some_axes(x.rank(), 1), written;
  const bool given = x.rank() > 0 && r.chance(0.75);
  for (const std::int64_t a : axes) written.push_back(s.written_axis(a, x.rank()));
  const bool empty = as_input && !given && r.chance(0.3);
  const Piece list = given || empty ? s.integers(given ? written : Integers{}) : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (given && !as_input) n.integers("axes", written);
  if (as_input && (given || empty)) n.in(list);
  // ONNX defines the others without axes only since 1.18.
  const bool plain =
      op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin" || op == "ReduceMean" || op == "ReduceProd";
  const bool noop = as_input && n.some("noop_with_empty_axes", 0, plain || given ? r.below(2) : 0) != 0;
  if (!given) axes = noop ? Integers{} : all_of(x.rank());
  const bool keep = n.some("keepdims", 1, r.below(2)) != 0;
  double count = 1;
  for (const std::int64_t a : axes) count *= static_cast<double>(x.shape[static_cast<std::size_t>(a)]);
  Range range = range_of(op, x, count);
  if (range.low < -1e9 || range.high > 1e9) range = {-1e15, 1e15, 1e6};
  const bool whole = x.type != DataType::Float32, extreme = op == "ReduceMax" || op == "ReduceMin";
  n.out(x.type, axes.empty() && noop ? x.shape : reduced(x.shape, axes, keep), range.low, range.high,
        whole || extreme, range.typical);
  return true;
}

bool locate(Sketch& s, const char* name) {
  static const Types kTypes = {DataType::Float32, DataType::Float32, DataType::Int32};
  const Piece x = s.take({s.opset() >= 13 ? kTypes : kFloat, 1, 5, -1e9, 1e9, true});
  Written n = s.node(name);
  n.in(x);
  std::int64_t written = 0, axis = s.axis(x.rank(), written);
  if (n.some("axis", 0, written) == 0) axis = 0;
  const bool keep = n.some("keepdims", 1, s.random().below(2)) != 0;
  if (s.opset() >= 12) n.some("select_last_index", 0, s.random().below(2));
  n.out(DataType::Int64, reduced(x.shape, {axis}, keep), 0,
        static_cast<double>(x.shape[static_cast<std::size_t>(axis)] - 1), true);
  return true;
}

bool softmax(Sketch& s, const char* name) {
  const std::string_view op = name;
  const Piece x = s.take({kFloat, s.opset() < 13 ? 2 : 1, 5, -1e3, 1e3, op == "Hardmax"});
  Written n = s.node(name);
  n.in(x);
  std::int64_t written = 0;
  s.axis(x.rank(), written);
  n.some("axis", 0, written);
  const bool logarithm = op == "LogSoftmax";
  n.out(x.type, x.shape, logarithm ? -2100 : 0, logarithm ? 0 : 1, op == "Hardmax", logarithm ? 4 : 0.8);
  return true;
}

bool cumulate(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 1, 5, -1e4, 1e4});
  std::int64_t written = 0;
  const std::int64_t axis = s.axis(x.rank(), written);
  const DataType type = s.random().one_of({DataType::Int32, DataType::Int64});
  const Piece place =
      s.constant_of(type, s.random().chance(0.7) ? Shape{} : Shape{1}, {static_cast<double>(written)});
  Written n = s.node(name);
  n.in(x).in(place);
  n.some("exclusive", 0, s.random().below(2));
  n.some("reverse", 0, s.random().below(2));
  const auto count = static_cast<double>(x.shape[static_cast<std::size_t>(axis)]);
  n.out(x.type, x.shape, std::min(0.0, x.low * count), std::max(0.0, x.high * count),
        x.type != DataType::Float32);
  return true;
}

}  // namespace

std::vector<Operator> reduction_operators() {
  return {{"ArgMax", 7, kEver, locate},          {"ArgMin", 7, kEver, locate},
          {"CumSum", 11, kEver, cumulate},       {"Hardmax", 7, kEver, softmax},
          {"LogSoftmax", 7, kEver, softmax},     {"ReduceL1", 7, kEver, reduce},
          {"ReduceL2", 7, kEver, reduce},        {"ReduceLogSum", 7, kEver, reduce},
          {"ReduceLogSumExp", 7, kEver, reduce}, {"ReduceMax", 7, kEver, reduce},
          {"ReduceMean", 7, kEver, reduce},      {"ReduceMean", 7, kEver, reduce},
          {"ReduceMin", 7, kEver, reduce},       {"ReduceProd", 7, kEver, reduce},
          {"ReduceSum", 7, kEver, reduce},       {"ReduceSum", 7, kEver, reduce},
          {"ReduceSumSquare", 7, kEver, reduce}, {"Softmax", 7, kEver, softmax},
          {"Softmax", 7, kEver, softmax},        {"Softmax", 7, kEver, softmax}};
}

}  // namespace vdla::random_graphs
