// SPDX-License-Identifier: Apache-2.0
// What ptxas makes of kernels: private arrays are in registers, and the inner loop of a product is products.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "compiler/codegen/llvm/ptx.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/targets/gpu/templates/grid_kernel.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/compiler/codegen/llvm/ptx/sass.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/compiler/lower/random_grid.h"
#include "tests/compiler/targets/gpu/layers.h"
#include "tests/tools/run_command.h"

namespace vdla::codegen {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAllInRegisters = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";

class Assembled : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(VDLA_PTXAS).empty())
      GTEST_SKIP() << "ptxas is not here: install NVIDIA's CUDA toolkit and build again";
  }

  /// What ptxas reports, and with it cubin().
  std::string assemble(const loop::Func& func) {
    const loop::Func lowered = passes::lower(passes::cuda_target(), func, passes::Verify::Yes);
    std::ofstream(folder_.path() / "f.ptx") << to_ptx(lowered, grid::split_launches(lowered));
    const auto result = testing::run_program(
        VDLA_PTXAS, fmt::format("-v -arch=sm_80 '{0}/f.ptx' -o '{0}/f.cubin'", folder_.path().string()));
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }

  std::vector<char> cubin() const {
    std::ifstream file(folder_.path() / "f.cubin", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// A function by the default knobs of its template.
  pipeline::GridKernel expect_in_registers(const graph::Graph& network,
                                           const std::vector<graph::NodeId>& group,
                                           std::string_view machine) {
    pipeline::GridKernel kernel =
        pipeline::grid_kernel(network, group, pipeline::gpu::profile_named(machine));
    SCOPED_TRACE(std::string(kernel.by.name) + " of " + network.node(group.back()).name);
    const std::string report = assemble(kernel.kernel.func);
    EXPECT_THAT(report, HasSubstr(kAllInRegisters));
    EXPECT_THAT(report, Not(ContainsRegex("[1-9][0-9]* bytes (stack|spill)")));
    return kernel;
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "assembled kernels"};
};

TEST_F(Assembled, SumsOfTilesAreInRegisters) {
  EXPECT_THAT(assemble(grid::sgemm(1024, 128)), HasSubstr(kAllInRegisters));
  EXPECT_THAT(assemble(grid::convolution(64, 56, 64)), HasSubstr(kAllInRegisters));
}

TEST_F(Assembled, InnerLoopOfAProductIsProducts) {
  assemble(grid::sgemm(1024, 128));
  const std::vector<char> code = cubin();
  const Sass sass = sass_of(code, "sgemm");
  double best = 0;
  for (const Sass::Loop& loop : sass.loops)
    if (loop.last - loop.first > 32) best = std::max(best, fused_share(sass, loop));
  EXPECT_GE(best, 0.75);
}

TEST_F(Assembled, EveryKindOfStatementIsTaken) {
  const char* texts[] = {
      // Masked lanes, gathers and scatters.
      R"(func lanes(in A: f32[61], in B: i32[64], out C: f32[128]) { for b in 0..4 block.x { for t in 0..4 thread.x {
        for v in 0..4 vectorized {
          if b * 16 + t * 4 + v < 61 { C[b * 32 + t * 8 + v * 2] = A[b * 16 + t * 4 + v] }
          C[b * 32 + t * 8 + v * 2 + 1] = f32(B[b * 16 + v * 4 + t]) } } } })",
      // Types, and functions of each.
      R"(func types(in A: f16[64], in B: i8[64], in C: f64[64], out D: f16[64], out E: i8[64], out F: f64[64],
        out G: i64[64]) { for b in 0..2 block.x { for t in 0..32 thread.x {
        D[b * 32 + t] = A[b * 32 + t] * A[b * 32 + t] + f16(B[b * 32 + t])
        E[b * 32 + t] = i8(clz(i32(B[b * 32 + t]))) + popcount(B[b * 32 + t])
        F[b * 32 + t] = sqrt(C[b * 32 + t]) + round_even(C[b * 32 + t])
        G[b * 32 + t] = floor_div(i64(B[b * 32 + t]), 3) + b } } })",
      R"(func functions(in A: f32[64], out B: f32[64]) { for b in 0..2 block.x { for t in 0..32 thread.x {
        B[b * 32 + t] = exp(A[b * 32 + t]) + log(A[b * 32 + t]) + tanh(A[b * 32 + t]) + erf(A[b * 32 + t])
          + floor(A[b * 32 + t]) + ceil(A[b * 32 + t]) + trunc(A[b * 32 + t]) + round(A[b * 32 + t]) } } })",
  };
  for (const char* text : texts)
    EXPECT_THAT(assemble(loop::parse(text)), HasSubstr("Compiling entry function"));
}

TEST_F(Assembled, FunctionsOfLibclcAreInRegisters) {
  if (!std::filesystem::exists(VDLA_LIBCLC)) GTEST_SKIP() << "no libclc at " VDLA_LIBCLC " (libclc-19)";
  for (const char* value :
       {"sin(A[t])", "tan(A[t])", "acosh(A[t])", "pow(A[t], A[7 - t])", "fmod(A[t], A[7 - t])"})
    for (const std::string type : {"f32", "f64"}) {
      SCOPED_TRACE(value + (" of " + type));
      const std::string report =
          assemble(loop::parse("func f(in A: " + type + "[8], out B: " + type +
                               "[8]) { for t in 0..8 thread.x { B[t] = " + value + " } }"));
      EXPECT_THAT(report, HasSubstr(kAllInRegisters));
    }
}

/// A product; `is_transposed`: its terms are last in both operands.
pipeline::GridKernel product(graph::DataType type, std::int64_t n, bool is_transposed,
                             std::string_view knobs) {
  graph::Graph graph;
  const auto input = [&](const char* name) {
    const graph::TensorId id = graph.add_tensor({name, type, {n, n}, {}, {}});
    graph.add_input(id);
    return id;
  };
  const graph::TensorId a = input("a"), b = input("b");
  graph.add_output(graph.add_node("product", graph::MatMul{false, is_transposed}, {a, b}));
  graph = pipeline::run_passes(graph);
  const bool rounds = type == graph::DataType::Float32 && is_transposed;
  return pipeline::grid_kernel_with(graph, pipeline::functions_of(graph)[0],
                                    pipeline::gpu::profile_named(rounds ? "server-tf32" : "server"), knobs);
}

/// 64 sums of each of 256 threads, by which two blocks are on a processor at once, and 128 of each.
TEST_F(Assembled, TilesOfAProductAreProducts) {
  for (const auto& [knobs, least] :
       {std::pair("channel_threads=16 channel_each=4 channel_virtuals=2 row_threads=1 row_each=1 "
                  "column_threads=16 column_each=4 column_virtuals=2 step=8 fetch=both pad=no vector=4 "
                  "stages=2 parts=1",
                  0.88),
        std::pair("channel_threads=16 channel_each=4 channel_virtuals=4 row_threads=1 row_each=1 "
                  "column_threads=8 column_each=4 column_virtuals=2 step=8 fetch=both pad=no vector=4 "
                  "stages=2 parts=1",
                  0.9),
        // What is fetched waits in registers.
        std::pair("channel_threads=16 channel_each=4 channel_virtuals=2 row_threads=1 row_each=1 "
                  "column_threads=16 column_each=4 column_virtuals=2 step=8 fetch=both pad=no vector=4 "
                  "stages=held parts=1",
                  0.88)}) {
    SCOPED_TRACE(knobs);
    EXPECT_THAT(assemble(product(graph::DataType::Float32, 2048, false, knobs).kernel.func),
                HasSubstr(kAllInRegisters));
    const std::vector<char> code = cubin();
    const Sass sass = sass_of(code, "k_product");
    double best = 0;
    for (const Sass::Loop& loop : sass.loops) best = std::max(best, fused_share(sass, loop));
    EXPECT_GE(best, least);
  }
}

/// 64 sums of a lane, and 128: of the loop over the terms, which stays one, so many instructions multiply.
TEST_F(Assembled, ProductsByTensorCoresAreMultiplications) {
  for (const graph::DataType type :
       {graph::DataType::Float16, graph::DataType::BFloat16, graph::DataType::Int8, graph::DataType::Float32})
    for (const char* knobs :
         {"warp_rows=32 warp_columns=64 warps_down=4 warps_across=2 steps=2 stages=2 pad=yes",
          "warp_rows=64 warp_columns=64 warps_down=2 warps_across=2 steps=2 stages=2 pad=yes"}) {
      SCOPED_TRACE(knobs);
      EXPECT_THAT(assemble(product(type, 2048, true, knobs).kernel.func), HasSubstr(kAllInRegisters));
      const std::vector<char> code = cubin();
      const Sass sass = sass_of(code, "k_product");
      double best = 0;
      for (const Sass::Loop& loop : sass.loops) best = std::max(best, matrix_share(sass, loop));
      // Half as many terms of 32 bits are in what a fragment has, and each is rounded.
      const bool has_wide_tiles = std::string_view(knobs).starts_with("warp_rows=64");
      const double least = has_wide_tiles ? 0.48 : 0.38;
      EXPECT_GE(best, type == graph::DataType::Float32 ? least / 2 - 0.01 : least);
    }
}

/// int8 layers by dp4a: their sums are in registers.
TEST_F(Assembled, WordsOfBytesAreTakenTogether) {
  const graph::Graph network = pipeline::run_passes(pipeline::gpu::words(3));
  for (const char* machine : {"server", "desktop"})
    for (const auto& group : pipeline::functions_of(network)) {
      expect_in_registers(network, group, machine);
    }
}

/// Each template with its default knobs, of layers that have one.
TEST_F(Assembled, KernelsOfTemplatesAreInRegisters) {
  std::map<std::string_view, int> taken;
  for (const auto& [layers, machine] : {std::pair(pipeline::gpu::layers(3), "desktop"),
                                        std::pair(pipeline::gpu::odd_convolutions(3), "server-winograd")}) {
    const graph::Graph network = pipeline::run_passes(layers);
    for (const auto& group : pipeline::functions_of(network)) {
      const pipeline::GridKernel kernel = expect_in_registers(network, group, machine);
      ++taken[kernel.by.name];
    }
  }
  EXPECT_GE(taken["tiles"], 2);
  EXPECT_EQ(taken["winograd"], 2);
}

/// VDLA_RANDOM_SCHEDULES draws more.
TEST_F(Assembled, DrawnKernelsAreTaken) {
  const std::vector<lower::Problem> problems = lower::random_problems();
  const int wanted = lower::candidates_to_draw(4) * static_cast<int>(problems.size());
  int taken = 0;
  for (int seed = 0; seed < wanted; ++seed) {
    const lower::Problem& problem = problems[static_cast<std::size_t>(seed) % problems.size()];
    const lower::Candidate candidate =
        lower::draw_grid_candidate(problem, 50000000 + static_cast<unsigned>(seed));
    try {
      lower::failure_of(problem, candidate, [&](const loop::Func& func, const auto&) {
        EXPECT_THAT(assemble(func), HasSubstr("Compiling entry function")) << loop::to_string(func);
        ++taken;
      });
    } catch (const UserError&) {
      // No schedule, or none for a grid.
    }
  }
  EXPECT_GE(taken, wanted / 4);
}

}  // namespace
}  // namespace vdla::codegen
