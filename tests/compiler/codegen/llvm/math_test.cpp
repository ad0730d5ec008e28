// SPDX-License-Identifier: Apache-2.0
// The error bounds of emit_math.cpp, over floats of every exponent, on scalars and on vectors.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/targets/cpu/code/code.h"

namespace vdla::codegen {
namespace {

using expr::DType;

constexpr std::int64_t kCount = 1 << 16;

loop::Func function_of(expr::Function function, loop::ForKind kind, const std::string& name) {
  auto x = expr::make_buffer("x", DType::F32, {kCount / 16, 16});
  auto y = expr::make_buffer("y", DType::F32, {kCount / 16, 16});
  auto i = expr::make_var("i"), j = expr::make_var("j");
  const std::vector<expr::ExprPtr> at{expr::var_ref(i), expr::var_ref(j)};
  auto body = loop::store(y, at, expr::call(function, {expr::load(x, at)}));
  return {name,
          {{x, loop::Direction::In}, {y, loop::Direction::Out}},
          loop::make_for(i, kCount / 16, loop::make_for(j, 16, body, kind))};
}

/// Floats of all signs and exponents: every 65536th bit pattern, shifted by `offset`.
std::vector<float> all_kinds(std::uint32_t offset) {
  std::vector<float> x(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = std::bit_cast<float>((i << 16) + offset);
  return x;
}

/// In units of the last place of the exact value's float.
double ulps(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
  const float nearest = static_cast<float>(exact);
  if (std::isinf(nearest)) return got == nearest ? 0 : 1e9;
  const double unit =
      std::nextafter(std::abs(nearest), std::numeric_limits<float>::infinity()) - std::abs(nearest);
  return std::abs(static_cast<double>(got) - exact) / unit;
}

void expect_error(expr::Function function, double (*exact)(double), double bound) {
  host::Jit jit;
  int serial = 0;
  for (const loop::ForKind kind : {loop::ForKind::Serial, loop::ForKind::Vectorized}) {
    const auto compiled = jit.add(function_of(function, kind, "f" + std::to_string(serial++)));
    double worst = 0;
    for (const std::uint32_t offset : {0u, 0x1234u, 0x7fffu, 0xc0deu}) {
      auto x = all_kinds(offset);
      // The range where the value changes, densely.
      if (offset == 0xc0de) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = -110.0f + 0.0031f * static_cast<float>(i);
      } else if (offset == 0x7fff) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = -5.0f + 0.0001525f * static_cast<float>(i);
      }
      std::vector<float> y(kCount);
      void* params[] = {x.data(), y.data()};
      compiled(params);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double error = ulps(y[i], exact(x[i]));
        ASSERT_LE(error, bound) << expr::name(function) << "(" << x[i] << ") = " << y[i] << ", exactly "
                                << exact(x[i]);
        worst = std::max(worst, error);
      }
    }
    testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
  }
}

TEST(Math, ExpWithinTwoUlp) {
  expect_error(expr::Function::Exp, [](double x) { return std::exp(x); }, 2);
}
TEST(Math, LogWithinTwoUlp) {
  expect_error(expr::Function::Log, [](double x) { return std::log(x); }, 2);
}
TEST(Math, TanhWithinThreeUlp) {
  expect_error(expr::Function::Tanh, [](double x) { return std::tanh(x); }, 3);
}
TEST(Math, ErfWithinThreeUlp) {
  expect_error(expr::Function::Erf, [](double x) { return std::erf(x); }, 3);
}

TEST(Math, VectorsCallNoLibrary) {
  const auto text =
      host::to_llvm_ir(function_of(expr::Function::Tanh, loop::ForKind::Vectorized, "f"), native_target());
  EXPECT_EQ(text.find("@tanhf"), std::string::npos);
}

}  // namespace
}  // namespace vdla::codegen
