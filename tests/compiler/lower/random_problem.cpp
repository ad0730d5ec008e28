// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_problem.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string_view>

#include "compiler/expr/dsl.h"
#include "support/float16.h"
#include "tests/test_name.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

template <class T>
std::vector<T> draw(std::int64_t n, unsigned seed, int below) {
  std::mt19937 engine(seed);
  std::vector<T> data(static_cast<std::size_t>(n));
  for (T& v : data) v = static_cast<T>(static_cast<int>(engine() % static_cast<unsigned>(2 * below)) - below);
  return data;
}

Value wide(const Value& v) { return cast(DType::I32, v); }

Problem matmul(std::int64_t m, std::int64_t n, std::int64_t l) {
  Tensor a = placeholder("A", {m, l}, DType::I8), b = placeholder("B", {l, n}, DType::I8);
  IterVar k = reduce_axis(l, "k");
  Tensor c = compute("C", {m, n}, [&](Value i, Value j) { return sum(wide(a(i, k)) * wide(b(k, j)), {k}); },
                     {"i", "j"});
  Tensor d = compute("D", {m, n}, [&](Value i, Value j) { return c(i, j) * 2; }, {"i", "j"});
  auto x = draw<std::int8_t>(m * l, 1, 128), y = draw<std::int8_t>(l * n, 2, 128);
  std::vector<std::int32_t> result;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::int32_t total = 0;
      for (std::int64_t r = 0; r < l; ++r) total += x[i * l + r] * y[r * n + j];
      result.push_back(total * 2);
    }
  }
  return {"", {a, b}, {d}, {bytes_of(x), bytes_of(y)}, {bytes_of(result)}};
}

/// 3x3 convolution with padding 1 of value 5, then a maximum with 0.
Problem convolution(std::int64_t size, std::int64_t channels, std::int64_t out, std::int64_t stride) {
  std::int64_t os = (size - 1) / stride + 1;
  Tensor x = placeholder("X", {size, size, channels}, DType::I8);
  Tensor w = placeholder("W", {3, 3, channels, out}, DType::I8);
  Tensor pad = compute("pad", {size + 2, size + 2, channels},
                       [&](Value h, Value v, Value c) {
                         Value inside = h >= 1 && h < size + 1 && v >= 1 && v < size + 1;
                         return select(inside, x(h - 1, v - 1, c), 5);
                       },
                       {"h", "v", "c"});
  IterVar ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx"), c = reduce_axis(channels, "ci");
  Tensor acc = compute("conv", {os, os, out},
                       [&](Value i, Value j, Value n) {
                         return sum(wide(pad(i * stride + ky, j * stride + kx, c)) * wide(w(ky, kx, c, n)),
                                    {ky, kx, c});
                       },
                       {"y", "x", "n"});
  Tensor relu = compute("relu", {os, os, out},
                        [&](Value i, Value j, Value n) { return maximum(acc(i, j, n), 0); }, {"y", "x", "n"});
  auto xs = draw<std::int8_t>(size * size * channels, 3, 128),
       ws = draw<std::int8_t>(9 * channels * out, 4, 128);
  auto at = [&](std::int64_t i, std::int64_t j, std::int64_t ch) -> std::int32_t {
    if (i < 0 || j < 0 || i >= size || j >= size) return 5;
    return xs[(i * size + j) * channels + ch];
  };
  std::vector<std::int32_t> result;
  for (std::int64_t i = 0; i < os * os * out; ++i) {
    std::int64_t y = i / out / os, z = i / out % os, n = i % out;
    std::int32_t total = 0;
    for (std::int64_t r = 0; r < 9 * channels; ++r) {
      std::int64_t dy = r / channels / 3, dx = r / channels % 3, ch = r % channels;
      total += at(y * stride + dy - 1, z * stride + dx - 1, ch) * ws[r * out + n];
    }
    result.push_back(std::max(total, 0));
  }
  return {"", {x, w}, {relu}, {bytes_of(xs), bytes_of(ws)}, {bytes_of(result)}};
}

/// Largest value of each row and where it stands first.
Problem argmax(std::int64_t rows, std::int64_t columns) {
  Tensor x = placeholder("X", {rows, columns}, DType::I32);
  IterVar k = reduce_axis(columns, "k");
  CombinerPtr combine =
      combiner("argmax", {int_imm(INT32_MIN, DType::I32), int_imm(INT64_MAX)},
               [](const std::vector<Value>& a, const std::vector<Value>& b) {
                 Value first = a[0] > b[0] || (a[0] == b[0] && a[1] < b[1]);
                 return std::vector<Value>{select(first, a[0], b[0]), select(first, a[1], b[1])};
               });
  std::vector<Tensor> both = compute_together({"value", "index"}, {rows}, [&](const std::vector<Value>& i) {
    return reduce(combine, {x(i[0], k), k}, {k});
  });
  auto xs = draw<std::int32_t>(rows * columns, 5, 6);  // few values: most rows have equal maxima
  std::vector<std::int32_t> value;
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < rows; ++i) {
    auto row = xs.begin() + i * columns;
    auto best = std::max_element(row, row + columns);
    value.push_back(*best);
    index.push_back(best - row);
  }
  return {"", {x}, both, {bytes_of(xs)}, {bytes_of(value), bytes_of(index)}};
}

/// Sum and difference of two inputs, computed together from a common part.
Problem together(std::int64_t m, std::int64_t n) {
  Tensor a = placeholder("A", {m, n}, DType::I32), b = placeholder("B", {n}, DType::I32);
  Tensor scaled = compute("scaled", {m, n}, [&](Value i, Value j) { return a(i, j) * 3; }, {"i", "j"});
  std::vector<Tensor> both =
      compute_together({"sum", "difference"}, {m, n}, [&](const std::vector<Value>& i) {
        return std::vector<Value>{scaled(i[0], i[1]) + b(i[1]),
                                  cast(DType::I16, scaled(i[0], i[1]) - b(i[1]))};
      });
  auto x = draw<std::int32_t>(m * n, 6, 1000), y = draw<std::int32_t>(n, 7, 1000);
  std::vector<std::int32_t> sum;
  std::vector<std::int16_t> difference;
  for (std::int64_t i = 0; i < m * n; ++i) {
    sum.push_back(x[i] * 3 + y[i % n]);
    difference.push_back(static_cast<std::int16_t>(x[i] * 3 - y[i % n]));
  }
  return {"", {a, b}, both, {bytes_of(x), bytes_of(y)}, {bytes_of(sum), bytes_of(difference)}};
}

/// state[t, i] = sum(U[i, k] * state[t - 1, k]) + X[t, i], then doubled.
Problem recurrence(std::int64_t steps, std::int64_t n) {
  Tensor x = placeholder("X", {steps, n}, DType::I32), u = placeholder("U", {n, n}, DType::I32);
  Tensor state = placeholder("S", {steps, n}, DType::I32);
  Tensor init = compute("init", {1, n}, [&](Value t, Value i) { return x(t, i); }, {"t", "i"});
  IterVar k = reduce_axis(n, "k");
  Tensor product = compute("product", {steps, n},
                           [&](Value t, Value i) { return sum(u(i, k) * state(t - 1, k), {k}); }, {"t", "i"});
  Tensor update =
      compute("update", {steps, n}, [&](Value t, Value i) { return product(t, i) + x(t, i); }, {"t", "i"});
  Tensor r = scan({"R"}, {state}, {init}, {update})[0];
  Tensor twice = compute("twice", {steps, n}, [&](Value t, Value i) { return r(t, i) * 2; }, {"t", "i"});
  auto xs = draw<std::int32_t>(steps * n, 8, 50), us = draw<std::int32_t>(n * n, 9, 4);
  std::vector<std::int32_t> all(xs.begin(), xs.begin() + n), result;
  for (std::int64_t t = 1; t < steps; ++t) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::int32_t total = xs[t * n + i];
      for (std::int64_t m = 0; m < n; ++m) total += us[i * n + m] * all[(t - 1) * n + m];
      all.push_back(total);
    }
  }
  for (std::int32_t v : all) result.push_back(2 * v);
  return {"", {x, u}, {twice}, {bytes_of(xs), bytes_of(us)}, {bytes_of(result)}, 30};
}

/// Half floats: rounded after every operation, whatever the schedule.
Problem halves(std::int64_t m, std::int64_t n) {
  Tensor a = placeholder("A", {m, n}, DType::F16), b = placeholder("B", {m, n}, DType::F16);
  Tensor product =
      compute("product", {m, n}, [&](Value i, Value j) { return a(i, j) * b(i, j); }, {"i", "j"});
  Tensor result = compute("result", {m, n}, [&](Value i, Value j) { return product(i, j) + a(i, n - 1 - j); },
                          {"i", "j"});
  std::mt19937 engine(10);
  std::vector<std::uint16_t> x, y, expected;
  for (std::int64_t i = 0; i < m * n; ++i) {
    x.push_back(half_bits(static_cast<float>(engine() % 4096) / 512 - 4));
    y.push_back(half_bits(static_cast<float>(engine() % 4096) / 512 - 4));
  }
  for (std::int64_t i = 0; i < m * n; ++i) {
    float rounded = half_value(half_bits(half_value(x[i]) * half_value(y[i])));
    expected.push_back(half_bits(rounded + half_value(x[i / n * n + n - 1 - i % n])));
  }
  return {"", {a, b}, {result}, {bytes_of(x), bytes_of(y)}, {bytes_of(expected)}};
}

/// Tensors of one shape, so that one can lie where another one lay: read at the same element, and at another.
Problem one_shape(std::int64_t m, std::int64_t n) {
  Tensor a = placeholder("A", {m, n}, DType::I32);
  const auto elements = [&](const char* name, const std::function<Value(Value, Value)>& body) {
    return compute(name, {m, n}, body, {"i", "j"});
  };
  Tensor p = elements("P", [&](Value i, Value j) { return a(i, j) * 3; });
  Tensor q = elements("Q", [&](Value i, Value j) { return p(i, j) + 1; });
  Tensor r = elements("R", [&](Value i, Value j) { return q(i, j) * 2 - q(i, n - 1 - j); });
  Tensor result = elements("result", [&](Value i, Value j) { return r(i, j) + 5; });
  auto x = draw<std::int32_t>(m * n, 11, 100);
  std::vector<std::int32_t> expected;
  for (std::int64_t i = 0; i < m * n; ++i) {
    const auto q_at = [&](std::int64_t at) { return x[static_cast<std::size_t>(at)] * 3 + 1; };
    expected.push_back(q_at(i) * 2 - q_at(i / n * n + n - 1 - i % n) + 5);
  }
  return {"", {a}, {result}, {bytes_of(x)}, {bytes_of(expected)}, 20};
}

struct Row {
  std::string_view name;
  Problem (*make)();
};
constexpr Row kRows[] = {
    {"matmul 7x12x10", [] { return matmul(7, 12, 10); }},
    {"matmul 8x16x8", [] { return matmul(8, 16, 8); }},
    {"convolution with stride 1", [] { return convolution(7, 3, 5, 1); }},
    {"convolution with stride 2", [] { return convolution(8, 4, 4, 2); }},
    {"argmax", [] { return argmax(5, 12); }},
    {"two results", [] { return together(6, 10); }},
    {"recurrence", [] { return recurrence(6, 5); }},
    {"half floats", [] { return halves(7, 9); }},
    {"tensors of one shape", [] { return one_shape(6, 9); }},
};

}  // namespace

Problem random_problem(std::size_t index) {
  Problem problem = kRows[index].make();
  problem.name = kRows[index].name;
  return problem;
}

std::vector<Problem> random_problems() {
  std::vector<Problem> all;
  for (std::size_t i = 0; i < std::size(kRows); ++i) all.push_back(random_problem(i));
  return all;
}

std::vector<std::string> random_problem_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.push_back(test_name(row.name));
  return names;
}

}  // namespace vdla::lower
