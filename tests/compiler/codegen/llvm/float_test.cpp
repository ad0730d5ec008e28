// SPDX-License-Identifier: Apache-2.0
// Every operator, function and cast of every type: machine code against the interpreter, on values that
// include NaNs, infinities, subnormal numbers and the limits of the types.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/targets/cpu/code/code.h"
#include "support/error.h"
#include "support/float16.h"

namespace vdla::codegen {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;
using expr::Function;

constexpr std::int64_t kCount = 2048;

constexpr DType kTypes[] = {
#define VDLA_ROW(name, text, bits, is_signed, is_float) DType::name,
    VDLA_DTYPES(VDLA_ROW)
#undef VDLA_ROW
};
constexpr BinaryOp kBinaryOps[] = {
#define VDLA_ROW(name, text, infix) BinaryOp::name,
    VDLA_BINARY_OPS(VDLA_ROW)
#undef VDLA_ROW
};
constexpr Function kFunctions[] = {
#define VDLA_ROW(name, text, arity) Function::name,
    VDLA_FUNCTIONS(VDLA_ROW)
#undef VDLA_ROW
};

using Bytes = std::vector<std::byte>;

double float_at(DType dtype, const Bytes& data, std::int64_t i) {
  const std::byte* p = data.data() + i * expr::bytes(dtype);
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, p, sizeof value);
    return value;
  };
  if (dtype == DType::F64) return as(0.0);
  if (dtype == DType::F32) return as(0.0F);
  const auto bits = as(std::uint16_t{0});
  return dtype == DType::F16 ? half_value(bits) : bfloat_value(bits);
}

/// Random bit patterns; floats of moderate size half of the time, where the functions are interesting.
Bytes values(DType dtype, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<std::size_t>(expr::bytes(dtype));
  Bytes data(static_cast<std::size_t>(kCount) * size);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
    std::uint64_t bits = random() >> (expr::is_float(dtype) ? 0 : random() % 64);
    if (dtype == DType::Bool) bits &= 1;
    if (expr::is_float(dtype) && random() % 2) {
      const double x =
          std::ldexp(static_cast<double>(random() % 2048) - 1024, -static_cast<int>(random() % 12));
      if (dtype == DType::F64) bits = std::bit_cast<std::uint64_t>(x);
      if (dtype == DType::F32) bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
      if (dtype == DType::F16) bits = half_bits(static_cast<float>(x));
      if (dtype == DType::BF16) bits = bfloat_bits(static_cast<float>(x));
    }
    std::memcpy(data.data() + i * size, &bits, size);
  }
  return data;
}

class BothWays {
 public:
  /// out[i] = f(a[i], b[i]) on both; results may be `ulps` apart.
  template <class F>
  void expect_equal(DType in, DType out, const Bytes& x, const Bytes& y, const F& f, double ulps = 0) {
    auto a = expr::make_buffer("a", in, {kCount}), b = expr::make_buffer("b", in, {kCount});
    auto c = expr::make_buffer("c", out, {kCount});
    auto i = expr::make_var("i");
    const ExprPtr index = expr::var_ref(i);
    const ExprPtr value = f(expr::load(a, {index}), expr::load(b, {index}));
    const loop::Func func{"f" + std::to_string(count_++),
                          {{a, loop::Direction::In}, {b, loop::Direction::In}, {c, loop::Direction::Out}},
                          loop::make_for(i, kCount, loop::store(c, {index}, value))};
    Bytes p = x, q = y, wanted(static_cast<std::size_t>(kCount * expr::bytes(out)));
    Bytes got = wanted;
    const std::span<std::byte> arguments[] = {p, q, wanted};
    loop::Interpreter(func).run(arguments);
    void* params[] = {p.data(), q.data(), got.data()};
    host::Jit jit;
    jit.add(func)(params);
    for (std::int64_t n = 0; n < kCount; ++n) {
      ASSERT_TRUE(same(out, wanted, got, n, ulps))
          << describe(in, x, y, n) << " gives " << describe(out, wanted, got, n);
    }
  }

 private:
  static bool same(DType dtype, const Bytes& x, const Bytes& y, std::int64_t n, double ulps) {
    const auto size = static_cast<std::size_t>(expr::bytes(dtype));
    if (std::memcmp(x.data() + n * static_cast<std::int64_t>(size),
                    y.data() + n * static_cast<std::int64_t>(size), size) == 0)
      return true;
    if (!expr::is_float(dtype)) return false;
    const double v = float_at(dtype, x, n), w = float_at(dtype, y, n);
    if (std::isnan(v) && std::isnan(w)) return true;
    const double step = dtype == DType::F64   ? 0x1p-52
                        : dtype == DType::F32 ? 0x1p-23
                        : dtype == DType::F16 ? 0x1p-10
                                              : 0x1p-7;
    return ulps > 0 && std::fabs(v - w) <= ulps * step * std::fabs(v);
  }

  static std::string describe(DType dtype, const Bytes& x, const Bytes& y, std::int64_t n) {
    std::string text;
    for (const Bytes* data : {&x, &y}) {
      if (expr::is_float(dtype)) text += std::to_string(float_at(dtype, *data, n)) + " ";
      std::uint64_t bits = 0;
      std::memcpy(&bits, data->data() + n * expr::bytes(dtype), static_cast<std::size_t>(expr::bytes(dtype)));
      text += "(bits " + std::to_string(bits) + ") ";
    }
    return text;
  }

  int count_ = 0;
};

TEST(AllTypes, BinaryOperatorsAreTheInterpreters) {
  BothWays both;
  for (DType dtype : kTypes) {
    const Bytes x = values(dtype, 1), y = values(dtype, 2);
    for (BinaryOp op : kBinaryOps) {
      SCOPED_TRACE(std::string(expr::name(op)) + " of " + std::string(expr::name(dtype)));
      try {
        (void)expr::binary(op, expr::number(1, dtype), expr::number(1, dtype));
      } catch (const UserError&) {
        continue;  // not defined for the type
      }
      both.expect_equal(dtype, expr::is_comparison(op) ? DType::Bool : dtype, x, y,
                        [&](const ExprPtr& a, const ExprPtr& b) { return expr::binary(op, a, b); });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

bool is_exact(Function function) {
  switch (function) {
    case Function::Abs:
    case Function::Sqrt:
    case Function::Floor:
    case Function::Ceil:
    case Function::Trunc:
    case Function::Round:
    case Function::RoundEven:
    case Function::RoundTf32:
    case Function::SrdhMul:
    case Function::RoundShiftRight:
    case Function::BytesDot:
    case Function::Clz:
    case Function::Popcount:
    case Function::Fmod:
      return true;
    default:
      return false;
  }
}

TEST(AllTypes, FunctionsAreTheInterpreters) {
  BothWays both;
  for (DType dtype : kTypes) {
    const Bytes x = values(dtype, 3), y = values(dtype, 4);
    for (Function function : kFunctions) {
      SCOPED_TRACE(std::string(expr::name(function)) + " of " + std::string(expr::name(dtype)));
      try {
        (void)expr::call(function, std::vector<ExprPtr>(static_cast<std::size_t>(expr::arity(function)),
                                                        expr::number(1, dtype)));
      } catch (const UserError&) {
        continue;
      }
      auto apply = [&](const ExprPtr& a, const ExprPtr& b) {
        if (expr::arity(function) == 1) return expr::call(function, {a});
        return expr::call(function, {a, b});
      };
      both.expect_equal(dtype, dtype, x, y, apply, is_exact(function) ? 0 : 4);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(AllTypes, CastsAreTheInterpreters) {
  BothWays both;
  for (DType from : kTypes) {
    const Bytes x = values(from, 5);
    for (DType to : kTypes) {
      SCOPED_TRACE(std::string(expr::name(from)) + " to " + std::string(expr::name(to)));
      both.expect_equal(from, to, x, x, [&](const ExprPtr& a, const ExprPtr&) { return expr::cast(to, a); });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace vdla::codegen
