// SPDX-License-Identifier: Apache-2.0
// Operators whose value is known without a run, or known in part: shapes, ranges, triangles.
#include <algorithm>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

bool shape_of(Sketch& s, const char* name) {
  const Piece x = s.take({kAny});
  if (x.constant || x.rank() == 0) return false;
  std::int64_t begin = 0, end = x.rank();
  Written n = s.node(name);
  n.in(x);
  if (s.opset() >= 15 && x.rank() > 0 && s.random().chance(0.6)) {
    begin = s.random().below(x.rank());
    end = s.random().between(begin + 1, x.rank());
    n.integer("start", s.random().chance(0.5) ? begin : begin - x.rank());
    if (end < x.rank() || s.random().chance(0.5))
      n.integer("end", end < x.rank() && s.random().chance(0.5) ? end - x.rank() : end);
  }
  n.out(DataType::Int64, {end - begin}, 0, 1000, true, 5);
  return true;
}

bool size_of(Sketch& s, const char* name) {
  const Piece x = s.take({kAny});
  s.node(name).in(x).out(DataType::Int64, {}, 0, 1000, true, 10);
  return true;
}

bool constant_of_shape(Sketch& s, const char* name) {
  const Shape shape = s.shape(0, 4);
  const Piece list = s.integers(shape);
  Written n = s.node(name);
  n.in(list);
  if (s.random().chance(0.4)) return n.out(DataType::Float32, shape, 0, 0, true), true;
  const DataType type = s.random().one_of(kAny);
  auto& t = *n.attribute("value", onnx::AttributeProto::TENSOR).mutable_t();
  const import::Array one = array_of(type, {1}, {1});
  t.set_data_type(onnx_code(type));
  t.add_dims(1);
  t.set_raw_data(one.data->data(), one.data->size());
  n.out(type, shape, 1, 1, true);
  return true;
}

bool eye_like(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 2, 2});
  Written n = s.node(name);
  n.in(x);
  DataType type = x.type;
  if (s.random().chance(0.5)) {
    type = s.random().one_of(kNumbers);
    n.integer("dtype", onnx_code(type));
  }
  n.some("k", 0, s.random().between(std::int64_t{-2}, std::int64_t{2}));
  n.out(type, x.shape, 0, 1, true);
  return true;
}

bool range(Sketch& s, const char* name) {
  const DataType type = s.random().one_of(kNumbers);
  const std::int64_t count = s.random().between(std::int64_t{1}, std::int64_t{12});
  const std::int64_t step = s.random().one_of({-3, -1, 1, 2}),
                     start = s.random().between(std::int64_t{-5}, std::int64_t{5});
  const auto number = [&](double v) { return s.constant_of(type, {}, {v}); };
  const double by = type == DataType::Float32 ? static_cast<double>(step) / 4 : static_cast<double>(step);
  const Piece a = number(double(start)), b = number(double(start) + by * double(count)), c = number(by);
  s.node(name).in(a).in(b).in(c).out(type, {count}, -50, 50, true);
  return true;
}

bool triangle(Sketch& s, const char* name) {
  const Piece x = s.take({kNumbers, 2, 4});
  const bool given = s.random().chance(0.6);
  const Piece k = given ? s.constant_of(DataType::Int64, {},
                                        {double(s.random().between(std::int64_t{-3}, std::int64_t{3}))})
                        : Piece{};
  Written n = s.node(name);
  n.in(x);
  if (given) n.in(k);
  n.some("upper", 1, s.random().below(2));
  n.out(x.type, x.shape, std::min(0.0, x.low), std::max(0.0, x.high), true, x.typical);
  return true;
}

}  // namespace

std::vector<Operator> known_operators() {
  return {{"ConstantOfShape", 9, kEver, constant_of_shape},
          {"EyeLike", 9, kEver, eye_like},
          {"Range", 11, kEver, range},
          {"Shape", 7, kEver, shape_of},
          {"Size", 7, kEver, size_of},
          {"Trilu", 14, kEver, triangle}};
}

}  // namespace vdla::random_graphs
