// SPDX-License-Identifier: Apache-2.0
// What has no PTX is refused. What PTX looks like is in text/, what becomes of it in assembled_test.cpp.
#include "compiler/codegen/llvm/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/expr/operators.h"
#include "compiler/loop/parse.h"
#include "compiler/passes/target.h"
#include "support/error.h"
#include "tests/compiler/user_error.h"

namespace vdla::codegen {
namespace {

using expr::Function;
using ::testing::HasSubstr;

std::string ptx_of(const std::string& text) {
  const loop::Func func = passes::lower(passes::cuda_target(), loop::parse(text), passes::Verify::Yes);
  return to_ptx(func, grid::split_launches(func));
}

std::string with_value(const std::string& value, const std::string& type) {
  return "func f(in A: " + type + "[8], out B: " + type + "[8]) { for t in 0..8 thread.x { B[t] = " + value +
         " } }";
}

/// Of libclc, in the environment while it lives.
class LibclcAt {
 public:
  explicit LibclcAt(const std::string& path) { setenv("VDLA_LIBCLC", path.c_str(), 1); }
  LibclcAt(const LibclcAt&) = delete;
  LibclcAt& operator=(const LibclcAt&) = delete;
  ~LibclcAt() { unsetenv("VDLA_LIBCLC"); }
};

TEST(Ptx, OfFunctionsWithoutCodeIsRefusedByName) {
  const auto of = with_value;
  {
    const LibclcAt nowhere("/nowhere/libclc.bc");
    EXPECT_THAT(
        user_error([&] { ptx_of(of("sin(A[t])", "f32")); }),
        HasSubstr(
            "function 'sin' of f32 in 'f' has no code for CUDA, which has exp, log, tanh and erf of f32, "
            "and others of libclc, which is not at '/nowhere/libclc.bc'; install libclc-"));
    EXPECT_THAT(user_error([&] { ptx_of(of("exp(A[t])", "f64")); }),
                HasSubstr("function 'exp' of f64 in 'f' has no"));
  }
  {
    const LibclcAt other(VDLA_SOURCE_DIR "/README.md");
    EXPECT_THAT(user_error([&] { ptx_of(of("sin(A[t])", "f32")); }), HasSubstr("README.md: is not libclc"));
  }
  // A call would have no definition to go to.
  for (const char* value : {"exp(A[t])", "log(A[t])", "tanh(A[t])", "erf(A[t])", "sqrt(A[t])", "round(A[t])"})
    EXPECT_THAT(ptx_of(of(value, "f32")), ::testing::Not(HasSubstr("call"))) << value;
}

TEST(Ptx, OtherFunctionsAreThoseOfLibclc) {
  if (!std::filesystem::exists(VDLA_LIBCLC)) GTEST_SKIP() << "no libclc at " VDLA_LIBCLC " (libclc-19)";
  constexpr Function kFunctions[] = {
#define VDLA_LISTED(name, text, arity) Function::name,
      VDLA_FUNCTIONS(VDLA_LISTED)
#undef VDLA_LISTED
  };
  for (const char* type : {"f32", "f64"})
    for (const Function function : kFunctions) {
      const std::string name(expr::name(function));
      const std::string value = name + (expr::arity(function) == 1 ? "(A[t])" : "(A[t], A[7 - t])");
      std::string ptx;
      try {
        ptx = ptx_of(with_value(value, type));
      } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("not defined for ")) << value;
        continue;
      }
      EXPECT_THAT(ptx, ::testing::Not(HasSubstr(".extern"))) << value << " of " << type;
    }
  // Once for each lane of a vector.
  EXPECT_THAT(ptx_of("func f(in A: f32[32], out B: f32[32]) { for t in 0..8 thread.x { "
                     "for v in 0..4 vectorized { B[t * 4 + v] = pow(A[t * 4 + v], 1.5f32) } } }"),
              HasSubstr("ld.global.nc.v4.f32"));
}

TEST(Ptx, RefusesGridsThatCudaDoesNotTake) {
  const auto of = [](const std::string& loops) {
    return user_error(
        [&] { ptx_of("func f(in A: i32[8], out B: i32[8]) { for " + loops + " { B[0] = A[0] } }"); });
  };
  EXPECT_THAT(
      of("b in 0..4294967297 block.x"),
      HasSubstr("kernel 'f' has a loop of 4294967297 iterations over block.x, and CUDA takes 2147483647; "
                "split its axis, or bind a longer one to block.x"));
  EXPECT_THAT(of("b in 0..65536 block.y"), HasSubstr("65536 iterations over block.y, and CUDA takes 65535;"));
  EXPECT_THAT(of("b in 0..65536 block.z"), HasSubstr("65536 iterations over block.z, and CUDA takes 65535;"));
  EXPECT_THAT(of("t in 0..65 thread.z"), HasSubstr("65 iterations over thread.z, and CUDA takes 64;"));
}

TEST(Ptx, NeedsTheWholeTable) {
  const loop::Func func = loop::parse(
      "func f(in A: f32[8], out B: f32[8]) { for t in 0..8 thread.x { for u in 0..1 unrolled { B[t] = A[t] } "
      "} }");
  try {
    to_ptx(func, grid::split_launches(func));
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("run row 'unroll' of the table of lowering first"));
  }
}

TEST(Ptx, HasNamesThatItsLanguageTakes) {
  const std::string ptx =
      ptx_of("func net.layer.1(in A.x: f32[8], out B: f32[8]) { for t in 0..8 thread.x { B[t] = A.x[t] } }");
  EXPECT_THAT(ptx, HasSubstr(".visible .entry net_layer_1("));
}

}  // namespace
}  // namespace vdla::codegen
