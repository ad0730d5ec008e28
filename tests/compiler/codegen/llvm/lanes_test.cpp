// SPDX-License-Identifier: Apache-2.0
// Vectorized and unrolled loops: every form of access against the interpreter, and which loops stay scalar.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/targets/cpu/code/code.h"

namespace vdla::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Runs the function on both, on random bytes, and compares all memory.
void expect_same(const std::string& text) {
  const loop::Func func = loop::parse(text);
  std::mt19937 random(7);
  std::vector<std::vector<std::byte>> memory;
  for (const loop::Param& p : func.params) {
    memory.emplace_back(
        static_cast<std::size_t>(expr::storage_size(*p.buffer) * expr::bytes(p.buffer->dtype)));
    const bool is_bool = p.buffer->dtype == expr::DType::Bool;
    for (std::size_t i = 0; i < memory.back().size(); ++i) {
      // Small floats and small integers.
      memory.back()[i] = std::byte(is_bool                               ? random() & 1
                                   : p.buffer->dtype == expr::DType::F32 ? 0x3f
                                                                         : random());
    }
  }
  auto copy = memory;
  std::vector<std::span<std::byte>> spans(copy.begin(), copy.end());
  loop::Interpreter(func).run(spans);
  std::vector<void*> pointers;
  for (auto& bytes : memory) pointers.push_back(bytes.data());
  host::Jit jit;
  jit.add(func)(pointers.data());
  for (std::size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(memory[i], copy[i]) << func.params[i].buffer->name << text;
}

std::string first_ir(const std::string& text) {
  return host::to_llvm_ir(loop::parse(text), native_target(), false);
}

struct Form {
  const char* name;
  const char* text;
  bool vector;  ///< becomes vector code
};

constexpr Form kForms[] = {
    {"beside each other", R"(func f(in a: i32[64], out c: i32[64]) {
  for i in 0..4 { for j in 0..16 vectorized { c[i * 16 + j] = a[i * 16 + j] * 3i32 + i32(j) } } })",
     true},
    // Its iterations were to be handed to threads, with vectors that they cannot carry.
    {"around a parallel loop", R"(func f(in a: i32[64], out c: i32[64]) {
  for j in 0..16 vectorized { for i in 0..4 parallel {
    c[i * 16 + j] = select(i > 0, a[i * 16 + j - 16] / 3i32, a[j]) + i32(j) } } })",
     true},
    {"more than the lanes", R"(func f(in a: i32[384], out c: i32[384]) {
  for j in 0..384 vectorized { c[j] = a[j] + i32(j) } })",
     true},
    {"one for all lanes", R"(func f(in a: i32[4], out c: i32[64]) {
  for i in 0..4 { for j in 0..16 vectorized { c[i * 16 + j] = a[i] } } })",
     true},
    {"with gaps", R"(func f(in a: i32[64], inout c: i32[64]) {
  for j in 0..16 vectorized { c[j * 4 + 1] = a[j * 3] } })",
     true},
    {"backwards", R"(func f(in a: i32[16], out c: i32[16]) {
  for j in 0..16 vectorized { c[15 - j] = a[j] } })",
     true},
    {"through a division", R"(func f(in a: i32[16], out c: i32[16]) {
  for j in 0..16 vectorized { c[j] = a[floor_div(j, 4) * 2 + floor_mod(j, 3)] } })",
     true},
    {"through a table", R"(func f(in a: u8[16], in t: i32[256], out c: i32[16]) {
  for j in 0..16 vectorized { c[j] = t[i64(a[j])] } })",
     true},
    {"under a condition", R"(func f(in a: i32[10], inout c: i32[16]) {
  for j in 0..16 vectorized { if j < 10 { c[j] = a[j] } else { c[j] = -1i32 } } })",
     true},
    {"a border", R"(func f(in a: i8[10], out c: i8[16]) {
  for j in 0..16 vectorized { c[j] = select(j >= 3 & j < 13, a[j - 3], -7i8) } })",
     true},
    {"a border of all", R"(func f(in a: i8[3], out c: i8[64]) {
  for i in 0..4 { for j in 0..16 vectorized { c[i * 16 + j] = select(i + j >= 17, a[i - 1], -7i8) } } })",
     true},
    {"a guarded divisor", R"(func f(in a: i32[16], out c: i32[16]) {
  for j in 0..16 vectorized { c[j] = select(j != 5, a[j] / i32(j - 5), 0i32) } })",
     true},
    {"bools", R"(func f(in a: i8[16], in b: bool[16], out c: bool[16]) {
  for j in 0..16 vectorized { c[j] = b[j] ^ a[j] < 3i8 } })",
     true},
    {"fixed point", R"(func f(in a: i32[16], out c: i8[16]) {
  for j in 0..16 vectorized { c[j] = i8(min(max(round_shift_right(srdh_mul(a[j], 1234567i32), 5i32), -128i32), 127i32)) } })",
     true},
    {"a sum in each lane", R"(func f(in a: i32[8, 16], out c: i32[16]) {
  for j in 0..16 vectorized { c[j] = 0i32
    for k in 0..8 { c[j] = c[j] + a[k, j] } } })",
     true},
    {"unrolled sums", R"(func f(in a: i32[8, 4, 16], out c: i32[4, 16]) {
  alloc t: i32[4, 16]
  for i in 0..4 unrolled { for j in 0..16 vectorized { t[i, j] = 0i32 } }
  for k in 0..8 { for i in 0..4 unrolled { for j in 0..16 vectorized { t[i, j] = t[i, j] + a[k, i, j] } } }
  for i in 0..4 unrolled { for j in 0..16 vectorized { c[i, j] = t[i, j] } } })",
     true},
    {"narrow floats",
     R"(func f(in a: f16[16], in b: bf16[16], out c: bf16[16], out d: f16[16], out e: f32[16]) {
  for j in 0..16 vectorized {
    c[j] = b[j] * 3bf16 + bf16(a[j])
    d[j] = a[j] * a[j]
    e[j] = f32(f64(a[j]) * f64(b[j])) } })",
     true},
    {"a recurrence", R"(func f(inout c: i32[17]) {
  for j in 0..16 vectorized { c[j + 1] = c[j] + 1i32 } })",
     false},
    {"a running total", R"(func f(in a: i32[16], out c: i32[1]) {
  c[0] = 0i32
  for j in 0..16 vectorized { c[0] = c[0] + a[j] } })",
     false},
    {"overlapping windows", R"(func f(in a: i32[16], inout c: i32[20]) {
  for j in 0..16 vectorized { for k in 0..4 { c[j + k] = a[j] + i32(k) } } })",
     false},
    {"memory of its own", R"(func f(in a: i32[16], out c: i32[16]) {
  for j in 0..16 vectorized { alloc t: i32[1]
    t[0] = a[j]
    c[j] = t[0] } })",
     false},
    {"an odd number", R"(func f(in a: i32[7], out c: i32[7]) {
  for j in 0..7 vectorized { c[j] = a[j] } })",
     false},
};

TEST(Lanes, EveryFormGivesWhatTheInterpreterGives) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    expect_same(form.text);
  }
}

TEST(Lanes, DependentIterationsStayScalar) {
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    EXPECT_EQ(first_ir(form.text).find(" x ") != std::string::npos, form.vector) << first_ir(form.text);
  }
}

TEST(Lanes, SumsOfUnrolledLoopsStayInRegisters) {
  // 4 x 16 sums over k: no load or store of them inside the loop.
  const std::string text =
      host::to_llvm_ir(loop::parse(R"(func f(in a: f32[64], in b: f32[64, 16], out c: f32[4, 16]) {
  alloc t: f32[4, 16]
  for i in 0..4 unrolled { for j in 0..16 vectorized { t[i, j] = 0f32 } }
  for k in 0..64 { for i in 0..4 unrolled { for j in 0..16 vectorized { t[i, j] = t[i, j] + a[k] * b[k, j] } } }
  for i in 0..4 unrolled { for j in 0..16 vectorized { c[i, j] = t[i, j] } } })"),
                       native_target());
  EXPECT_THAT(text, Not(HasSubstr("alloca")));
}

}  // namespace
}  // namespace vdla::codegen
