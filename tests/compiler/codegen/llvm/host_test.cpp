// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/code/code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "support/error.h"
#include "support/fixed_point.h"

namespace vdla::codegen {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;

/// out[i] = f(a[i], b[i]) over n elements.
template <class T>
loop::Func elementwise(const std::string& name, DType in, DType out, std::int64_t n, const T& f) {
  auto a = expr::make_buffer("a", in, {n});
  auto b = expr::make_buffer("b", in, {n});
  auto c = expr::make_buffer("c", out, {n});
  auto i = expr::make_var("i");
  const ExprPtr index = expr::var_ref(i);
  auto body = loop::store(c, {index}, f(expr::load(a, {index}), expr::load(b, {index})));
  return {name,
          {{a, loop::Direction::In}, {b, loop::Direction::In}, {c, loop::Direction::Out}},
          loop::make_for(i, n, body)};
}

std::vector<std::int32_t> interesting(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> v = {INT32_MIN, INT32_MAX, 0, 1, -1, 1 << 30, -(1 << 30), 2, -2, 3};
  while (v.size() < n) v.push_back(static_cast<std::int32_t>(random()) >> (random() % 31));
  std::shuffle(v.begin(), v.end(), random);
  v.resize(n);
  return v;
}

template <class F, class G>
void expect_int32(const std::string& name, const F& build, const G& reference, bool shift_amount = false) {
  constexpr std::size_t kCount = 4096;
  auto a = interesting(kCount, 1), b = interesting(kCount, 2);
  if (shift_amount)
    for (auto& x : b) x &= 31;
  std::vector<std::int32_t> c(kCount);
  host::Jit jit;
  void* params[] = {a.data(), b.data(), c.data()};
  jit.add(elementwise(name, DType::I32, DType::I32, kCount, build))(params);
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(c[i], reference(a[i], b[i])) << name << "(" << a[i] << ", " << b[i] << ")";
}

TEST(Host, FixedPointFunctionsAreTheReference) {
  expect_int32(
      "srdh", [](ExprPtr x, ExprPtr y) { return expr::call(expr::Function::SrdhMul, {x, y}); },
      [](std::int32_t x, std::int32_t y) { return srdh_mul(x, y); });
  expect_int32(
      "rshift", [](ExprPtr x, ExprPtr y) { return expr::call(expr::Function::RoundShiftRight, {x, y}); },
      [](std::int32_t x, std::int32_t y) { return round_shift_right(x, static_cast<unsigned>(y)); }, true);
}

TEST(Host, FloorDivisionRoundsDown) {
  for (std::int64_t divisor : {3, -3, 1, 7}) {
    auto floor_mod = [&](std::int64_t x) { return ((x % divisor) + divisor) % divisor; };
    const ExprPtr d = expr::int_imm(divisor, DType::I32);
    expect_int32(
        "div", [&](ExprPtr x, ExprPtr) { return expr::binary(BinaryOp::FloorDiv, x, d); },
        [&](std::int32_t x, std::int32_t) {
          return static_cast<std::int32_t>((std::int64_t{x} - floor_mod(x)) / divisor);
        });
    expect_int32(
        "mod", [&](ExprPtr x, ExprPtr) { return expr::binary(BinaryOp::FloorMod, x, d); },
        [&](std::int32_t x, std::int32_t) { return static_cast<std::int32_t>(floor_mod(x)); });
  }
}

TEST(Host, TheMinimumByMinusOneWraps) {
  // -1 from memory, and as a literal; scalar and in lanes.
  std::array<std::int32_t, 8> a = {INT32_MIN, INT32_MIN, INT32_MIN, 7, -7, 0, INT32_MAX, -8}, c{};
  std::array<std::int32_t, 8> b = {-1, 2, 1, -1, 3, -1, -1, -3};
  const std::map<BinaryOp, std::array<std::int32_t, 8>> by_memory = {
      {BinaryOp::Div, {INT32_MIN, -(1 << 30), INT32_MIN, -7, -2, 0, -INT32_MAX, 2}},
      {BinaryOp::Rem, {0, 0, 0, 0, -1, 0, 0, -2}},
      {BinaryOp::FloorDiv, {INT32_MIN, -(1 << 30), INT32_MIN, -7, -3, 0, -INT32_MAX, 2}},
      {BinaryOp::FloorMod, {0, 0, 0, 0, 2, 0, 0, -2}}};
  for (const auto kind : {loop::ForKind::Serial, loop::ForKind::Vectorized}) {
    for (const auto& [op, expected] : by_memory) {
      const auto as = [&](const ExprPtr& divisor) {
        auto func = elementwise("divide", DType::I32, DType::I32, 8, [&](ExprPtr x, ExprPtr y) {
          return expr::binary(op, x, divisor ? divisor : y);
        });
        const auto& n = *func.body->as<loop::For>();
        func.body = loop::make_for(n.var, n.min, n.extent, kind, n.body);
        host::Jit jit;
        void* params[] = {a.data(), b.data(), c.data()};
        jit.add(func)(params);
        return c;
      };
      EXPECT_EQ(as(nullptr), expected) << expr::name(op);
      const bool quotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
      const auto by_minus_one = as(expr::int_imm(-1, DType::I32));
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(by_minus_one[i], quotient ? wrap_sub(0, a[i]) : 0) << expr::name(op) << " of " << a[i];
    }
  }
}

TEST(Host, KnownDivisorsAndAmountsNeedNoTest) {
  const auto tests = testing::AnyOf(testing::HasSubstr("select"), testing::HasSubstr("and i32"),
                                    testing::HasSubstr("and i64"));
  for (const DType dtype : {DType::I32, DType::U32, DType::I64})
    for (const BinaryOp op : {BinaryOp::Div, BinaryOp::Rem, BinaryOp::FloorDiv, BinaryOp::FloorMod,
                              BinaryOp::Shl, BinaryOp::Shr}) {
      const auto func = elementwise("known", dtype, dtype, 8, [&](ExprPtr x, ExprPtr) {
        return expr::binary(op, x, expr::int_imm(7, dtype));
      });
      EXPECT_THAT(host::to_llvm_ir(func, native_target(), false), testing::Not(tests))
          << expr::name(op) << " of " << expr::name(dtype);
    }
}

TEST(Host, ALiteralDivisorOfZeroOnTheOtherSideChangesNothing) {
  const auto func = elementwise("guarded", DType::I32, DType::I32, 8, [](ExprPtr x, ExprPtr y) {
    const ExprPtr zero = expr::int_imm(0, DType::I32);
    return expr::select(expr::binary(BinaryOp::Gt, y, zero), expr::binary(BinaryOp::Div, x, zero), y);
  });
  std::array<std::int32_t, 8> a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {0, -1, -2, -3, -4, -5, -6, -7}, c{};
  host::Jit jit;
  void* params[] = {a.data(), b.data(), c.data()};
  jit.add(func)(params);
  EXPECT_EQ(c, b);
}

TEST(Host, IntegersWrap) {
  expect_int32("mul", [](ExprPtr x, ExprPtr y) { return expr::binary(BinaryOp::Mul, x, y); }, wrap_mul);
  expect_int32(
      "narrow",
      [](ExprPtr x, ExprPtr y) {
        return expr::cast(DType::I32, expr::cast(DType::I8, expr::binary(BinaryOp::Add, x, y)));
      },
      [](std::int32_t x, std::int32_t y) {
        return static_cast<std::int32_t>(
            static_cast<std::int8_t>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y)));
      });
}

TEST(Host, SelectDoesNotTouchTheOtherSide) {
  // c[i] = i >= 4 ? a[i - 4] : -7: a branch, since a[-4] must not be read.
  auto a = expr::make_buffer("a", DType::I8, {4});
  auto c = expr::make_buffer("c", DType::I8, {8});
  auto i = expr::make_var("i");
  const ExprPtr index = expr::var_ref(i);
  const ExprPtr shifted = expr::binary(BinaryOp::Sub, index, expr::int_imm(4));
  auto value = expr::select(expr::binary(BinaryOp::Ge, index, expr::int_imm(4)), expr::load(a, {shifted}),
                            expr::int_imm(-7, DType::I8));
  const loop::Func func{"pad",
                        {{a, loop::Direction::In}, {c, loop::Direction::Out}},
                        loop::make_for(i, 8, loop::store(c, {index}, value))};
  std::vector<std::int8_t> in = {1, 2, 3, 4}, out(8);
  void* params[] = {in.data(), out.data()};
  host::Jit jit;
  jit.add(func)(params);
  EXPECT_THAT(out, testing::ElementsAre(-7, -7, -7, -7, 1, 2, 3, 4));
  EXPECT_THAT(host::to_llvm_ir(func, native_target(), false), testing::HasSubstr("phi i8"));
}

TEST(Host, FloatToIntSaturates) {
  auto a = expr::make_buffer("a", DType::F32, {5});
  auto c = expr::make_buffer("c", DType::I8, {5});
  auto i = expr::make_var("i");
  const ExprPtr index = expr::var_ref(i);
  const loop::Func func{
      "sat",
      {{a, loop::Direction::In}, {c, loop::Direction::Out}},
      loop::make_for(i, 5, loop::store(c, {index}, expr::cast(DType::I8, expr::load(a, {index}))))};
  std::vector<float> in = {-1e9f, 1e9f, NAN, -3.9f, 3.9f};
  std::vector<std::int8_t> out(5);
  void* params[] = {in.data(), out.data()};
  host::Jit jit;
  jit.add(func)(params);
  EXPECT_THAT(out, testing::ElementsAre(-128, 127, 0, -3, 3));
}

/// out[i] = (3 <= i ? a[i - 3] : a[3 - i]) for i < 7: both addresses pass places outside of a.
loop::Func mirrored_func(loop::ForKind kind) {
  auto a = expr::make_buffer("a", DType::I32, {4});
  auto c = expr::make_buffer("c", DType::I32, {7});
  auto i = expr::make_var("i");
  const ExprPtr index = expr::var_ref(i), three = expr::int_imm(3);
  auto value = expr::select(expr::binary(BinaryOp::Ge, index, three),
                            expr::load(a, {expr::binary(BinaryOp::Sub, index, three)}),
                            expr::load(a, {expr::binary(BinaryOp::Sub, three, index)}));
  return {"mirror",
          {{a, loop::Direction::In}, {c, loop::Direction::Out}},
          loop::make_for(i, expr::int_imm(0), expr::int_imm(7), kind, loop::store(c, {index}, value))};
}

TEST(Host, AddressesOnTheWayMayLieOutsideOfTheBuffer) {
  const auto func = mirrored_func(loop::ForKind::Serial);
  std::array<std::int32_t, 4> a = {10, 11, 12, 13};
  std::array<std::int32_t, 7> c{};
  host::Jit jit;
  void* params[] = {a.data(), c.data()};
  jit.add(func)(params);
  EXPECT_THAT(c, testing::ElementsAre(13, 12, 11, 10, 11, 12, 13));
  // a + i, minus 3 elements: neither step may promise to stay within a.
  EXPECT_THAT(host::to_llvm_ir(func, native_target(), false),
              testing::Not(testing::ContainsRegex("inbounds i32, ptr %[0-9a-z.]+, i64 -?3")));
}

TEST(Host, CopiesOfAnUnrolledAllocationShareItsMemory) {
  auto c = expr::make_buffer("c", DType::I32, {4});
  auto t = expr::make_buffer("t", DType::I32, {1});
  auto i = expr::make_var("i");
  const ExprPtr index = expr::var_ref(i), zero = expr::int_imm(0);
  auto body = loop::allocate(t, loop::seq({loop::store(t, {zero}, expr::cast(DType::I32, index)),
                                           loop::store(c, {index}, expr::load(t, {zero}))}));
  const loop::Func func{"copies",
                        {{c, loop::Direction::Out}},
                        loop::make_for(i, expr::int_imm(0), expr::int_imm(4), loop::ForKind::Unrolled, body)};
  const std::string text = host::to_llvm_ir(func, native_target(), false);
  const std::size_t first = text.find("alloca");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("alloca", first + 1), std::string::npos) << text;
  std::array<std::int32_t, 4> out{};
  host::Jit jit;
  void* params[] = {out.data()};
  jit.add(func)(params);
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 3));
}

TEST(Host, ThreadsDoNotShareAnAllocationThatACopyOutsideOfTheirLoopHas) {
  // As partition-loops leaves a parallel loop: its first iteration alone, then the others.
  auto c = expr::make_buffer("c", DType::I32, {4});
  auto t = expr::make_buffer("t", DType::I32, {1});
  auto i = expr::make_var("i");
  const ExprPtr zero = expr::int_imm(0);
  const auto body = [&](const ExprPtr& index) {
    return loop::allocate(t, loop::seq({loop::store(t, {zero}, expr::cast(DType::I32, index)),
                                        loop::store(c, {index}, expr::load(t, {zero}))}));
  };
  const loop::Func func{
      "threads",
      {{c, loop::Direction::Out}},
      loop::seq({body(zero), loop::make_for(i, expr::int_imm(1), expr::int_imm(3), loop::ForKind::Parallel,
                                            body(expr::var_ref(i)))})};
  const std::string text = host::to_llvm_ir(func, native_target(), false);
  EXPECT_THAT(text, testing::HasSubstr("%t = alloca"));
  EXPECT_THAT(text, testing::Not(testing::ContainsRegex("threads.body.i\\([^)]*%t[,)]"))) << text;
}

TEST(Host, HalfFloatsRoundBetweenAProductAndASum) {
  const auto func = elementwise("round", DType::F16, DType::F16, 8, [](ExprPtr x, ExprPtr y) {
    return expr::binary(BinaryOp::Add, expr::binary(BinaryOp::Mul, x, y), y);
  });
  EXPECT_THAT(host::to_llvm_ir(func, {"x86_64-unknown-linux-gnu", "sapphirerapids", ""}),
              testing::AllOf(testing::HasSubstr("fmul"), testing::Not(testing::HasSubstr("contract"))));
}

TEST(Host, ObjectsForOtherMachines) {
  const auto func = elementwise("add", DType::I32, DType::I32, 16,
                                [](ExprPtr x, ExprPtr y) { return expr::binary(BinaryOp::Add, x, y); });
  struct Target {
    const char* triple;
    const char* cpu;
    int elf_machine;
  };
  for (const Target& m : {Target{"x86_64-unknown-linux-gnu", "x86-64-v3", 62},
                          Target{"aarch64-unknown-linux-gnu", "cortex-a53", 183},
                          Target{"armv7-unknown-linux-gnueabihf", "cortex-a9", 40}}) {
    const auto object = host::to_object({&func, 1}, {m.triple, m.cpu, ""});
    ASSERT_GT(object.size(), 64u);
    EXPECT_EQ(static_cast<int>(object[18]), m.elf_machine) << m.triple;
  }
}

TEST(Host, UnknownTargetAndIntrinsicAreNamed) {
  const auto func = elementwise("add", DType::I32, DType::I32, 16, [](ExprPtr x, ExprPtr) { return x; });
  EXPECT_THROW(host::to_object({&func, 1}, {"nosuch-machine", "", ""}), UserError);
  loop::Func call{"f", {}, loop::intrinsic_call({"gemm", {}, {}, {}, nullptr})};
  try {
    host::to_llvm_ir(call, native_target());
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("gemm"));
  }
}

}  // namespace
}  // namespace vdla::codegen
