// SPDX-License-Identifier: Apache-2.0
// Quantisation of drawn values, and the whole graph.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// Places from another order of the dimensions, where a constant is written in that.
std::vector<std::int64_t> reversed(std::size_t rank) {
  std::vector<std::int64_t> perm(rank);
  for (std::size_t d = 0; d < rank; ++d) perm[d] = static_cast<std::int64_t>(rank - 1 - d);
  return perm;
}

}  // namespace

Piece Sketch::scale_of(const Shape& shape, double largest) {
  std::vector<double> scales;
  for (std::int64_t i = 0; i < product(shape); ++i)
    scales.push_back(static_cast<float>(std::max(largest, 1e-3) * random_.between(0.4, 1.2) / 127));
  return constant_of(DataType::Float32, shape, scales);
}

Piece Sketch::quantised(const Piece& x, DataType type) {
  // Scales by channel exist since version 13; activations seldom have them.
  const bool channels = opset_ >= 13 && x.rank() > 1 && random_.chance(0.04);
  const std::int64_t axis = channels ? random_.below(x.rank()) : 0;
  const Shape per = channels              ? Shape{x.shape[static_cast<std::size_t>(axis)]}
                    : random_.chance(0.9) ? Shape{}
                                          : Shape{1};
  const auto [low, high] = limits(type);
  const bool positive = x.low >= 0;
  double zero = type == DataType::UInt8 ? 128 : 0;
  if (positive) zero = low;
  if (random_.chance(0.3)) zero = static_cast<double>(random_.between(std::int64_t(low), std::int64_t(high)));
  const bool stated = type != DataType::UInt8 || random_.chance(0.8);
  if (!stated) zero = 0;
  const double steps = std::max(positive ? 0 : zero - low, high - zero);
  const Piece scale = scale_of(per, x.typical * 127 / std::max(steps, 1.0));
  const std::vector<double> zeros(static_cast<std::size_t>(product(per)), zero);
  const Piece point = constant_of(type, per, zeros);
  Written n = node("QuantizeLinear");
  n.in(x).in(scale);
  if (stated) n.in(point);
  if (channels && (axis != 1 || random_.chance(0.5))) n.integer("axis", axis);
  Piece q = n.out(type, x.shape, low, high);
  Piece by = scale;
  by.low = static_cast<double>(channels ? axis : -1);
  scales_[q.name] = {by, point};
  return q;
}

Piece Sketch::dequantised(const Piece& x) {
  const auto [low, high] = limits(x.type);
  const auto known = scales_.find(x.name);
  const bool own = known != scales_.end() && random_.chance(0.93);
  const std::int64_t axis = own ? static_cast<std::int64_t>(known->second.first.low) : -1;
  const Piece scale = own ? known->second.first : scale_of({}, random_.between(0.5, 4.0));
  const bool wide = x.type == DataType::Int32;  // which has no zero point
  Piece zero = own ? known->second.second
                   : constant_of(x.type, {}, {wide ? 0.0 : std::round(random_.between(low, high))});
  const bool stated = !wide && (zero.low != 0 || zero.high != 0 || random_.chance(0.6));
  Written n = node("DequantizeLinear");
  n.in(x).in(scale);
  if (stated) n.in(zero);
  if (axis >= 0 && (axis != 1 || random_.chance(0.5))) n.integer("axis", axis);
  const double step = own ? scale.typical : scale.high;
  const double reach = step * (wide ? std::max(std::fabs(x.low), std::fabs(x.high)) : high - low);
  return n.out(DataType::Float32, x.shape, -reach, reach, true, wide ? reach : step * (high - low) / 2);
}

Piece Sketch::passed(const Piece& x) {
  const Piece q = quantised(x, random_.one_of(kBytes));
  if (opset_ < 12 || !random_.chance(0.04)) return dequantised(q);
  // Fewer levels than the type has, by a Clip of the integers.
  const auto bound = [&](double low, double high) {
    return constant_of(q.type, {}, {std::floor(random_.between(low, high))});
  };
  const auto [low, high] = limits(q.type);
  const double middle = (low + high) / 2;
  const Piece least = bound(low, middle), most = bound(middle, high);
  Written n = node("Clip");
  n.in(q).in(least).in(most);
  const Piece clipped = n.out(q.type, q.shape, least.low, most.high, true);
  scales_[clipped.name] = scales_.at(q.name);
  return dequantised(clipped);
}

Piece Sketch::weights(const Shape& shape, std::int64_t axis, double reach) {
  if (!quantises_ || shape.empty() || random_.chance(0.15))
    return constant(DataType::Float32, shape, -reach, reach);
  if (random_.chance(0.06))  // as training tools write it: floats, quantised in the file's nodes
    return dequantised(quantised(constant(DataType::Float32, shape, -reach, reach), DataType::Int8));
  const DataType type = random_.chance(0.85) ? DataType::Int8 : DataType::UInt8;
  const auto [low, high] = limits(type);
  const bool channels = opset_ >= 13 && random_.chance(0.5);
  // Sometimes written in another order or as parts, and brought into this one behind the DequantizeLinear.
  const bool turned = random_.chance(0.1), joined = !turned && shape[0] > 1 && random_.chance(0.08);
  const bool flat = !turned && !joined && random_.chance(0.06);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto part = [&](Shape extents, std::int64_t along) {
    const Shape per = channels ? Shape{extents[static_cast<std::size_t>(along)]} : Shape{};
    const Piece q = constant_of(type, extents, elements(type, extents, low, high));
    const Piece scale = scale_of(per, reach);
    const double zero = type == DataType::UInt8 ? 128 : random_.chance(0.9) ? 0 : 3;
    const Piece point =
        constant_of(type, per, std::vector<double>(static_cast<std::size_t>(product(per)), zero));
    Written n = node("DequantizeLinear");
    n.in(q).in(scale);
    if (zero != 0 || random_.chance(0.6)) n.in(point);
    if (channels && (along != 1 || random_.chance(0.5))) n.integer("axis", written_axis(along, rank));
    const double most = scale.high * (std::fabs(zero) + 128);
    return n.out(DataType::Float32, extents, -most, most, true, reach);
  };
  if (joined) {
    Shape first = shape, second = shape;
    first[0] = 1, second[0] -= 1;
    const Piece a = part(first, axis), b = part(second, axis);
    Written n = node("Concat");
    n.in(a).in(b).integer("axis", 0);
    return n.out(DataType::Float32, shape, std::min(a.low, b.low), std::max(a.high, b.high), true, reach);
  }
  if (flat) {  // by row, where channels have scales of their own
    const Piece written = part({shape[0], product(shape) / shape[0]}, axis == 0 ? 0 : 1),
                to = integers(shape);
    Written n = node("Reshape");
    n.in(written).in(to);
    return n.out(DataType::Float32, shape, written.low, written.high, true, reach);
  }
  if (!turned) return part(shape, axis);
  const Piece written = part(Shape(shape.rbegin(), shape.rend()), rank - 1 - axis);
  Written n = node("Transpose");
  n.in(written);
  if (random_.chance(0.5)) n.integers("perm", reversed(shape.size()));
  return n.out(DataType::Float32, shape, written.low, written.high, true, reach);
}

Drawn Sketch::finish() {
  onnx::GraphProto& g = *drawn_.model.mutable_graph();
  std::set<std::string> read, written;
  for (const auto& n : g.node()) {
    read.insert(n.input().begin(), n.input().end());
    if (n.op_type() != "Constant") written.insert(n.output().begin(), n.output().end());
  }
  for (const Piece& piece : pieces_) {
    if (!written.contains(piece.name) || (read.contains(piece.name) && !random_.chance(0.12))) continue;
    onnx::ValueInfoProto& info = *g.add_output();
    info.set_name(piece.name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx_code(piece.type));
    if (random_.chance(0.4)) continue;
    type.mutable_shape();
    for (const std::int64_t d : piece.shape) type.mutable_shape()->add_dim()->set_dim_value(d);
  }
  return std::move(drawn_);
}

namespace {

struct Family {
  double weight, quantised_weight;
  std::vector<Operator> operators;
};

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {2, 3, common_operators()},        {4, 2, elementwise_operators()},  {3, 2, reduction_operators()},
      {4, 4, movement_operators()},      {1.5, 0.5, index_operators()},    {0.8, 0.3, known_operators()},
      {3, 5, layer_operators()},         {2, 2, window_operators()},       {1, 1, quantised_operators()},
      {0.4, 0.1, recurrent_operators()}, {0.4, 0.1, sampling_operators()}, {0.2, 0.1, loop_operators()}};
  return all;
}

const Family& drawn_family(Sketch& sketch) {
  const auto weight = [&](const Family& f) { return sketch.quantises() ? f.quantised_weight : f.weight; };
  double total = 0;
  for (const Family& f : families()) total += weight(f);
  double place = sketch.random().between(0.0, total);
  for (const Family& f : families())
    if ((place -= weight(f)) <= 0) return f;
  return families().front();
}

bool add_operator(Sketch& sketch) {
  const Operator& o = sketch.random().one_of(drawn_family(sketch).operators);
  return sketch.opset() >= o.first && sketch.opset() <= o.last && o.draw(sketch, o.name);
}

}  // namespace

void Sketch::pass_on(std::size_t since) {
  if (!quantises_) return;
  const std::vector<Piece> made(pieces_.begin() + static_cast<std::ptrdiff_t>(since), pieces_.end());
  std::set<std::string> inputs, read;
  for (const auto& info : drawn_.model.graph().input()) inputs.insert(info.name());
  for (const auto& n : drawn_.model.graph().node()) read.insert(n.input().begin(), n.input().end());
  for (const Piece& piece : made) {
    if (piece.type != DataType::Float32 || piece.constant || inputs.contains(piece.name) ||
        read.contains(piece.name) || random_.chance(0.2))
      continue;
    // Tools give a value that is quantised one reader.
    if (random_.chance(0.8)) std::erase_if(pieces_, [&](const Piece& p) { return p.name == piece.name; });
    passed(piece);
  }
}

Drawn draw(std::uint64_t seed) {
  Sketch sketch(seed);
  const std::int64_t wanted = sketch.random().between(std::int64_t{1}, std::int64_t{8});
  std::int64_t have = 0;
  for (int tries = 0; have < wanted && tries < 300; ++tries) {
    const std::size_t since = sketch.pieces();
    if (!add_operator(sketch)) continue;
    ++have;
    sketch.pass_on(since);
  }
  return sketch.finish();
}

}  // namespace vdla::random_graphs
