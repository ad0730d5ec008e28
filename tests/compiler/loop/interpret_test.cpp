// SPDX-License-Identifier: Apache-2.0
// The interpreter: values of every operator against plain C++, statements, and what it refuses.
#include "compiler/loop/interpret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/expr/dsl.h"
#include "support/fixed_point.h"
#include "tests/compiler/user_error.h"

namespace vdla::loop {
namespace {

using namespace vdla::expr;

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& v) {
  return std::as_writable_bytes(std::span(v));
}

/// The function out[i] = f(i, in[i]) over `in`.
template <class T, class F>
std::vector<T> map(DType dtype, std::vector<T> in, const F& f) {
  auto n = static_cast<std::int64_t>(in.size());
  BufferPtr a = make_buffer("a", dtype, {n}), b = make_buffer("b", dtype, {n});
  VarPtr i = make_var("i");
  StmtPtr body = store(b, {var_ref(i)}, f(Value(i), Value(load(a, {var_ref(i)}))).expr());
  Func func{"map", {{a, Direction::In}, {b, Direction::Out}}, make_for(i, n, body)};
  std::vector<T> out(in.size());
  Interpreter(func).run(std::vector{bytes_of(in), bytes_of(out)});
  return out;
}

TEST(Interpret, IntegersWrapInTheirType) {
  using V = Value;
  std::vector<std::int8_t> in = {-128, -7, -1, 0, 1, 7, 127};
  auto check = [&](const auto& f, const auto& plain) {
    auto out = map(DType::I8, in, [&](V, V x) { return f(x); });
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(out[i], static_cast<std::int8_t>(plain(in[i]))) << "x = " << int{in[i]};
    }
  };
  check([](V x) { return x + 100; }, [](int x) { return x + 100; });
  check([](V x) { return x * x; }, [](int x) { return x * x; });
  check([](V x) { return x / 2; }, [](int x) { return x / 2; });
  check([](V x) { return floor_div(x, 2); }, [](int x) { return x >> 1; });
  check([](V x) { return floor_mod(x, 3); }, [](int x) { return ((x % 3) + 3) % 3; });
  check([](V x) { return x >> 2; }, [](int x) { return x >> 2; });
  check([](V x) { return x << 3; }, [](int x) { return x * 8; });
  check([](V x) { return apply(Function::Abs, {x}); }, [](int x) { return std::abs(x); });
  check([](V x) { return clamp(x, -5, 5); }, [](int x) { return std::clamp(x, -5, 5); });
  check([](V x) { return select(x < 0 && x > -100, x, 1); }, [](int x) { return x < 0 && x > -100 ? x : 1; });
  check([](V x) { return cast(DType::I8, cast(DType::U8, x) >> 1); },
        [](int x) { return static_cast<std::uint8_t>(x) >> 1; });
}

TEST(Interpret, UnsignedComparisonsAndDivisionsOf64Bits) {
  std::vector<std::uint64_t> in = {0, 1, 1ull << 63, ~0ull};
  auto out = map(DType::U64, in, [](Value, Value x) { return maximum(x, 5) / 3; });
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], std::max<std::uint64_t>(in[i], 5) / 3);
}

TEST(Interpret, FixedPointIsTheSharedOne) {
  std::vector<std::int32_t> in = {INT32_MIN, -1000001, -1, 0, 1, 999, 123456789, INT32_MAX};
  auto out =
      map(DType::I32, in, [](Value, Value x) { return round_shift_right(srdh_mul(x, 1518500250), 5); });
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(out[i], vdla::round_shift_right(vdla::srdh_mul(in[i], 1518500250), 5));
  }
}

TEST(Interpret, FloatsAndConversions) {
  std::vector<float> in = {-300.7f, -2.5f, -0.5f, 0, 0.5f, 1.5f, 1e10f, NAN};
  auto out = map(DType::F32, in, [](Value, Value x) { return cast(DType::F32, cast(DType::I8, x)); });
  EXPECT_THAT(out, testing::ElementsAre(-128, -2, 0, 0, 0, 1, 127, 0));
  out = map(DType::F32, in, [](Value, Value x) { return apply(Function::RoundEven, {x}); });
  for (std::size_t i = 0; i + 1 < in.size(); ++i) EXPECT_EQ(out[i], std::nearbyint(in[i]));
  out = map(DType::F32, std::vector<float>{0.25f, 2, 3},
            [](Value, Value x) { return apply(Function::Exp, {x}) / 3.0; });
  EXPECT_FLOAT_EQ(out[1], std::exp(2.0f) / 3);
}

TEST(Interpret, SelectDoesNotEvaluateTheOtherSide) {
  BufferPtr a = make_buffer("a", DType::I32, {4}), b = make_buffer("b", DType::I32, {6});
  VarPtr i = make_var("i");
  Value inside = Value(i) >= 1 && Value(i) < 5;
  Value shifted = load(a, {Value(i) - 1});
  StmtPtr body = store(b, {var_ref(i)}, select(inside, shifted, -9));
  Func func{"pad", {{a, Direction::In}, {b, Direction::Out}}, make_for(i, 6, body)};
  std::vector<std::int32_t> in = {1, 2, 3, 4}, out(6);
  Interpreter(func).run(std::vector{bytes_of(in), bytes_of(out)});
  EXPECT_THAT(out, testing::ElementsAre(-9, 1, 2, 3, 4, -9));
}

TEST(Interpret, DivisionsAndShiftsHaveAValueForAllOperands) {
  BufferPtr a = make_buffer("a", DType::I32, {4}), b = make_buffer("b", DType::I32, {4});
  BufferPtr out = make_buffer("out", DType::I32, {4});
  VarPtr i = make_var("i");
  std::vector<std::int32_t> x = {7, -7, INT32_MIN, INT32_MIN}, y(4), result(4);
  const auto of = [&](BinaryOp op, std::vector<std::int32_t> right) {
    y = std::move(right);
    const StmtPtr body = make_for(
        i, 4, store(out, {var_ref(i)}, expr::binary(op, load(a, {var_ref(i)}), load(b, {var_ref(i)}))));
    Interpreter(Func{"f", {{a, Direction::In}, {b, Direction::In}, {out, Direction::Out}}, body})
        .run(std::vector{bytes_of(x), bytes_of(y), bytes_of(result)});
    return result;
  };
  using testing::ElementsAre;
  EXPECT_THAT(of(BinaryOp::Div, {0, 0, 0, -1}), ElementsAre(0, 0, 0, INT32_MIN));
  EXPECT_THAT(of(BinaryOp::FloorDiv, {0, 0, 0, -1}), ElementsAre(0, 0, 0, INT32_MIN));
  EXPECT_THAT(of(BinaryOp::Rem, {0, 0, 0, -1}), ElementsAre(7, -7, INT32_MIN, 0));
  EXPECT_THAT(of(BinaryOp::FloorMod, {0, 0, 0, -1}), ElementsAre(7, -7, INT32_MIN, 0));
  EXPECT_THAT(of(BinaryOp::Shl, {32, 33, -31, INT32_MIN}), ElementsAre(7, -14, 0, INT32_MIN));
  EXPECT_THAT(of(BinaryOp::Shr, {32, 33, -1, -31}), ElementsAre(7, -4, -1, -(1 << 30)));
}

TEST(Interpret, RefusesWhatHasNoMeaning) {
  BufferPtr a = make_buffer("a", DType::I32, {2, 3});
  VarPtr i = make_var("i");
  std::vector<std::int32_t> memory(6);
  auto run = [&](const StmtPtr& body) {
    Interpreter(Func{"f", {{a, Direction::InOut}}, body}).run(std::vector{bytes_of(memory)});
  };
  // Inside the storage, but outside of its dimension.
  StmtPtr outside = make_for(i, 4, store(a, {int_imm(0), var_ref(i)}, int_imm(1, DType::I32)));
  EXPECT_EQ(user_error([&] { run(outside); }),
            "function 'f': index 3 in dimension 1 of buffer 'a' is outside of [0, 3)");
  EXPECT_EQ(user_error([&] { run(intrinsic_call({"gemm", {}, {}, {}, nullptr})); }),
            "intrinsic 'gemm' has no implementation here");
  std::vector<std::int32_t> small(5);
  EXPECT_EQ(user_error([&] {
              Interpreter(Func{"f", {{a, Direction::In}}, nop()}).run(std::vector{bytes_of(small)});
            }),
            "argument 'a' of function 'f' needs 24 bytes, got 20");
}

TEST(Interpret, IntrinsicSeesOriginsAttributesAndReset) {
  BufferPtr a = make_buffer("a", DType::I8, {4, 3}), b = make_buffer("b", DType::I32, {4});
  VarPtr i = make_var("i");
  IntrinsicCall call{"rowsum",
                     {{b, {var_ref(i)}, {}, {}}},
                     {{a, {var_ref(i), int_imm(0)}, {3}, {1}}},
                     {{"offset", Value(i) * 10}},
                     Value(i) != 2};
  Func func{"f", {{a, Direction::In}, {b, Direction::InOut}}, make_for(i, 4, intrinsic_call(call))};
  auto handler = [](const IntrinsicExecution& e) {
    std::int64_t total = e.reset ? 0 : e.outputs[0].load(0);
    for (std::int64_t k = 0; k < e.inputs[0].region->extents[0]; ++k) total += e.inputs[0].load(k);
    e.outputs[0].store(0, total + e.attributes[0]);
  };
  std::vector<std::int8_t> in = {1, 2, 3, -1, -2, -3, 100, 100, 100, 0, 0, 1};
  std::vector<std::int32_t> out = {1000, 1000, 1000, 1000};
  Interpreter(func, handler).run(std::vector{bytes_of(in), bytes_of(out)});
  EXPECT_THAT(out, testing::ElementsAre(6, 4, 1320, 31));
}

}  // namespace
}  // namespace vdla::loop
