// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/integers16.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/fixed_elements.h"
#include "compiler/graph/requant.h"
#include "compiler/import/tensor/integer_sums.h"

namespace vdla::import::tensor {

using expr::DType;
using expr::Function;
using expr::Reducer;
using graph::Multiplier;

namespace {

Scalar int32(std::int64_t v) { return {expr::number(v, DType::I32)}; }
Scalar int64(std::int64_t v) { return {expr::number(v, DType::I64)}; }
Scalar widened(const Scalar& x) { return cast(DType::I32, x); }

/// The part of a multiplier that the reference takes for sums of int64.
std::int64_t in_15_bits(const Multiplier& m) {
  return m.value < 0x7FFF0000 ? (std::int64_t{m.value} + (1 << 15)) >> 16 : 0x7FFF;
}

}  // namespace

Scalar multiplied(const Multiplier& m, const Scalar& x) {
  const Scalar wide = m.left() > 0 ? x << m.left() : x;
  return round_shift_right(srdh_mul(wide, int32(m.value)), int32(m.right()));
}

Scalar limited(const Scalar& x, const Ends& ends) {
  return cast(DType::I16, clamp(x, int32(ends.first), int32(ends.second)));
}

Layer16 layer16(const Composer& c, const Value& weights, std::size_t outputs, std::optional<Value> bias,
                bool narrow, DataType type, std::int32_t zero_point) {
  Layer16 layer{weights, std::move(bias), narrow};
  const Value zero = c.scalar(DataType::Int32, 0), data = make_constant(type, {}, Integers{0});
  const std::int64_t sum =
      largest_sum(c, weights.count() / weights.shape[outputs], data, c.scalar(DataType::Int32, zero_point),
                  weights, zero, {static_cast<std::int64_t>(outputs)});
  layer.most = sum;
  if (layer.bias)
    for (const std::int64_t b : integers_of(*layer.bias))
      layer.most = std::max(layer.most, sum + std::min(std::abs(std::max(b, -INT64_MAX)), INT64_MAX / 2));
  layer.weights = c.cast(weights, narrow || sum <= INT32_MAX ? DataType::Int32 : DataType::Int64);
  return layer;
}

Value steps16(const Composer& c, const Layer16& layer, const Value& sums, std::size_t axis,
              const std::vector<Multiplier>& multipliers, const Result16& result) {
  const DataType type = layer.narrow ? DataType::Int32 : DataType::Int64;
  const auto along_axis = [&](std::int64_t count) {
    Shape shape(count == 1 ? 0 : sums.rank(), 1);
    if (count != 1) shape[axis] = count;
    return shape;
  };
  const auto numbers = [&](const auto& of) {
    Integers values;
    for (const Multiplier& m : multipliers) values.push_back(of(m));
    return make_constant(type, along_axis(static_cast<std::int64_t>(values.size())), values);
  };
  const Value bias =
      layer.bias ? c.reshape(c.cast(*layer.bias, type), along_axis(layer.bias->count())) : c.scalar(type, 0);
  if (!layer.narrow)
    return c.map(
        result.name, {sums, bias, numbers(in_15_bits), numbers([](const auto& m) { return 15 - m.shift; })},
        [&](const auto& v) {
          const Scalar product = (cast(DType::I64, v[0]) + v[1]) * v[2];
          return limited(cast(DType::I32, (product + (int64(1) << (v[3] - 1))) >> v[3]), result.ends);
        },
        result.quantization);
  return c.map(
      result.name,
      {sums, bias, numbers([](const auto& m) { return m.value; }),
       numbers([](const auto& m) { return m.left(); }), numbers([](const auto& m) { return m.right(); })},
      [&](const auto& v) {
        return limited(round_shift_right(srdh_mul((v[0] + v[1]) << v[3], v[2]), v[4]), result.ends);
      },
      result.quantization);
}

Value largest16(const Composer& c, const Value& x, const WindowAttributes& a, const Result16& result) {
  Value most = c.emit(graph::ReduceWindow{Reducer::Max, a.kernel, a.stride, a.dilation, a.before, a.after},
                      {x}, result.quantization);
  if (result.ends == kEnds16) return most;
  return c.map(
      "Clamp", {most}, [&](const auto& v) { return limited(widened(v[0]), result.ends); },
      result.quantization);
}

Value average16(const Composer& c, const Value& x, const WindowAttributes& a, const Result16& result) {
  const Value wide = c.cast(x, DataType::Int32), sums = pooled(c, wide, Reducer::Sum, a);
  return c.map(
      result.name, {sums, window_counts(c, wide, sums.shape, a, false)},
      [&](const auto& v) {
        const Scalar half = v[1] / 2;
        return limited(select(v[0] > 0, v[0] + half, v[0] - half) / v[1], result.ends);
      },
      result.quantization);
}

Body sum_of_two16(const SumMultipliers& m, bool subtracts, const Ends& ends) {
  return [=](const auto& v) {
    constexpr int kLeftShift = 15;
    const Scalar a = multiplied(m.a, widened(v[0]) << kLeftShift);
    const Scalar b = multiplied(m.b, widened(v[1]) << kLeftShift);
    return limited(multiplied(m.sum, subtracts ? a - b : a + b), ends);
  };
}

Body product_of_two16(const Multiplier& m, const Ends& ends) {
  return [=](const auto& v) { return limited(multiplied(m, widened(v[0]) * widened(v[1])), ends); };
}

// Tables. A function between two entries is the line between them.

namespace {

struct Table16 {
  Value entries, rises;  ///< differences of each entry and the next one
};
Table16 table_of(const Integers& entries) {
  const Integers first(entries.begin(), entries.end() - 1);
  Integers rises;
  for (std::size_t i = 0; i + 1 < entries.size(); ++i)
    rises.push_back(static_cast<std::int16_t>(entries[i + 1] - entries[i]));  // wraps there, too
  const auto count = static_cast<std::int64_t>(rises.size());
  return {make_constant(DataType::Int32, {count}, first), make_constant(DataType::Int32, {count}, rises)};
}

/// Maps an element, and the entry and the rise at its place, by `body`.
template <class Place>
Value looked_up(const Composer& c, const Table16& table, const Value& x, const Place& place, const Body& body,
                const Result16& result) {
  const Value places = c.map("Place", {x}, [&](const auto& v) { return place(v[0]); });
  return c.map(result.name, {x, c.gather(table.entries, places, 0), c.gather(table.rises, places, 0)}, body,
               result.quantization);
}

/// sigmoid(i / 24) in 16 bits: half of the error that a line has in its middle is taken off each entry.
Integers sigmoid_entries() {
  constexpr int kEntries = 256;
  const auto at = [](double i) { return 65536 / (1 + std::exp(-i / 24)); };
  Integers entries;
  for (int i = 0; i < kEntries; ++i) {
    const double error = (at(i) + at(i + 1)) / 2 - at(i + 0.5);
    entries.push_back(std::lround(at(i) - error / 2));
  }
  entries.back() = UINT16_MAX;
  return entries;
}

/// Entries lie 2^bits steps apart; from the last one on the line is at `most`. `rounded` makes the result of
/// the line, and of whether the element is positive.
template <class F>
Value of_sigmoid(const Composer& c, const Value& x, const TableScale& s, int bits, std::int32_t most,
                 const F& rounded, const Result16& result) {
  const Table16 table = table_of(sigmoid_entries());
  constexpr int kLast = 255;
  const auto steps = [&](const Scalar& v) {
    const Scalar product = widened(v) * int32(s.multiplier);
    return s.shift == 0 ? product : Scalar((product + int32(1 << (s.shift - 1))) >> int32(s.shift));
  };
  const auto magnitude = [&](const Scalar& v) { return call(Function::Abs, steps(v)); };
  return looked_up(
      c, table, x, [&](const Scalar& v) { return minimum(magnitude(v) >> bits, int32(kLast - 1)); },
      [&](const auto& v) {
        const Scalar from = magnitude(v[0]);
        const Scalar between = (v[1] << bits) + (from & int32((1 << bits) - 1)) * v[2];
        const Scalar line = select((from >> bits) >= kLast, int32(most), between);
        return limited(rounded(line, steps(v[0]) >= 0), result.ends);
      },
      result);
}

/// Table of a function of int16, whose 512 lines are 128 steps long, in float32 as the reference fills it.
template <class F>
Table16 table_of_function(float in_scale, std::int32_t in_zero, float out_scale, const F& f) {
  constexpr int kLines = 512;
  const float first = in_scale * static_cast<float>(INT16_MIN - in_zero);
  const float last = in_scale * static_cast<float>(INT16_MAX - in_zero);
  const float step = (last - first) / kLines, half = step / 2;
  const float inverse = 65536.0F / (out_scale * float{INT16_MAX} - out_scale * float{INT16_MIN});
  const auto inside = [](float x) {
    return static_cast<std::int64_t>(std::clamp(x, float{INT16_MIN}, float{INT16_MAX}));
  };
  Integers entries;
  for (int i = 0; i < kLines; ++i) {
    const float at = first + static_cast<float>(i) * step;
    const float sample = std::round(f(at) * inverse), middle = std::round(f(at + half) * inverse);
    const float next = f(first + static_cast<float>(i + 1) * step);
    const float error = std::round((next * inverse + sample) / 2) - middle;
    entries.push_back(inside(sample - std::round(error / 2)));
  }
  entries.push_back(inside(std::round(f(last) * inverse)));
  return table_of(entries);
}

/// The function at int32 elements that are limited to int16.
Value at_table(const Composer& c, const std::string& name, const Table16& table, const Value& x) {
  const auto inside = [](const Scalar& v) { return clamp(v, int32(INT16_MIN), int32(INT16_MAX)); };
  return looked_up(
      c, table, x, [&](const Scalar& v) { return (inside(v) >> 7) + 256; },
      [&](const auto& v) { return v[1] + ((v[2] * (inside(v[0]) & int32(127)) + 64) >> 7); }, {name, {}, {}});
}

/// Leading zeros of positive int32 elements.
Scalar leading_zeros(const Scalar& x) {
  Scalar zeros = int32(31);
  for (int bit = 1; bit < 31; ++bit) zeros = zeros - select(x >= (1 << bit), int32(1), int32(0));
  return zeros;
}

}  // namespace

Value sigmoid16(const Composer& c, const Value& x, const TableScale& s, const Result16& result) {
  const auto rounded = [](const Scalar& line, const Scalar& positive) {
    constexpr int kOne = 1 << 25, kHalf = 1 << 9;
    return select(positive, line + kHalf, int32(kOne + kHalf - 1) - line) >> 10;
  };
  return of_sigmoid(c, x, s, 9, INT16_MAX << 10, rounded, result);
}

/// tanh(x) = 2 sigmoid(2x) - 1.
Value tanh16(const Composer& c, const Value& x, const TableScale& s, const Result16& result) {
  const auto rounded = [](const Scalar& line, const Scalar& positive) {
    constexpr int kOne = 1 << 23, kHalf = 1 << 7;
    return select(positive, line - (kOne - kHalf), int32(kOne + kHalf - 1) - line) >> 8;
  };
  return of_sigmoid(c, x, s, 8, UINT16_MAX << 8, rounded, result);
}

Value function16(const Composer& c, const Value& x, float in_scale, float out_scale,
                 const std::function<float(float)>& f, const Result16& result) {
  const Value line =
      at_table(c, "Line", table_of_function(in_scale, 0, out_scale, f), c.cast(x, DataType::Int32));
  return c.map(
      result.name, {line}, [](const auto& v) { return cast(DType::I16, v[0]); }, result.quantization);
}

/// exp of the distances to the largest element, by the inverse of their sum, both from tables.
Value softmax16(const Composer& c, const Value& x, const Multiplier& m, const Result16& result) {
  constexpr float kRange = 65535, kFarthest = 10, kUnit = 2.0F / kRange;  // exp(-10) counts nothing
  const Table16 exponentials =
      table_of_function(kFarthest / kRange, INT16_MAX, kUnit, [](float v) { return std::exp(v); });
  const Table16 inverses =
      table_of_function(1 / kRange, INT16_MIN, kUnit, [](float v) { return 1.0F / (1.0F + v); });
  const Integers last = {static_cast<std::int64_t>(x.rank()) - 1};
  const Value largest = c.fold(Reducer::Max, c.cast(x, DataType::Int32), last, true);
  const Value distances = c.map("Distance", {x, largest}, [&](const auto& v) {
    return multiplied(m, widened(v[0]) - v[1]) + INT16_MAX;
  });
  const Value powers = at_table(c, "Exp", exponentials, distances);
  const Value total = c.fold(Reducer::Sum, powers, last, true);
  // The sum is 1 + a number of 16 bits in [0, 1), shifted.
  const Value zeros = c.map("Zeros", {total}, [](const auto& v) { return leading_zeros(v[0]); });
  const Value rest = c.map("Rest", {total, zeros}, [](const auto& v) {
    const Scalar shifted = cast(DType::I64, v[0]) << cast(DType::I64, v[1] - 1);
    return cast(DType::I32, (shifted + (1 << 13)) >> 14) - ((1 << 15) + (1 << 16));
  });
  return c.map(
      result.name, {powers, at_table(c, "Inverse", inverses, rest), zeros},
      [](const auto& v) {
        const Scalar right = int32(31) - v[2];
        return limited((v[0] * v[1] + (int32(1) << (right - 1))) >> right, {0, INT16_MAX});
      },
      result.quantization);
}

/// Exponentials are Q0.31, their sum is Q12.19.
Value softmax16_of_int8(const Composer& c, const Value& x, const graph::Softmax& parameters,
                        const Result16& result) {
  constexpr int kSumBits = 12, kFarthest = 255;
  const auto exponentials = graph::softmax_exponentials(parameters);
  const Value table =
      make_constant(DataType::Int32, {kFarthest + 1}, Integers(exponentials.begin(), exponentials.end()));
  const Integers last = {static_cast<std::int64_t>(x.rank()) - 1};
  const Value largest = c.fold(Reducer::Max, c.cast(x, DataType::Int32), last, true);
  const Value places = c.map("Place", {x, largest},
                             [](const auto& v) { return widened(v[0]) - v[1] + std::int64_t{kFarthest}; });
  const Value powers = c.gather(table, places, 0);
  const Value terms =
      c.map("Term", {powers}, [](const auto& v) { return round_shift_right(v[0], int32(kSumBits)); });
  const Value total = c.fold(Reducer::Sum, terms, last, true);
  const Value zeros = c.map("Zeros", {total}, [](const auto& v) { return leading_zeros(v[0]); });
  const Value inverse = c.map("Inverse", {total, zeros}, [](const auto& v) {
    return graph::reciprocal_of_one_plus((v[0] << v[1]) - int32(INT32_MIN));
  });
  return c.map(
      result.name, {powers, inverse, zeros},
      [&](const auto& v) {
        const Scalar right = int32(kSumBits + 31 - 16) - v[2];
        return limited(round_shift_right(srdh_mul(v[1], v[0]), right) + std::int64_t{INT16_MIN}, kEnds16);
      },
      result.quantization);
}

}  // namespace vdla::import::tensor
