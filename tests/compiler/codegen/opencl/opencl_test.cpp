// SPDX-License-Identifier: Apache-2.0
// Kernels of schedules: the files of text/ are what the schedules give, the table of lowering leaves their
// meaning, and what has no text is refused. What the text looks like is in text/.
#include "compiler/codegen/opencl/opencl.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/target.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/compiler/passes/every_row.h"
#include "tests/compiler/user_error.h"
#include "tests/tools/run_command.h"

namespace vdla::codegen {
namespace {

using ::testing::HasSubstr;

/// Of a file of text/, without the lines for FileCheck.
std::string function_in(const std::string& name) {
  std::ifstream file(fmt::format("{}/tests/compiler/codegen/opencl/text/{}.loop", VDLA_SOURCE_DIR, name));
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("#")) text += line + "\n";
  return text;
}

TEST(OpenClText, OfTheSchedulesIsWhatTheyGive) {
  EXPECT_EQ(function_in("sgemm"), loop::to_string(grid::sgemm(1024, 128)));
  EXPECT_EQ(function_in("conv"), loop::to_string(grid::convolution(8, 56, 64)));
}

/// Memory of the parameters after a run, each element a small number before it.
std::vector<std::vector<std::byte>> run(const loop::Func& func) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::span<std::byte>> spans;
  for (const loop::Param& p : func.params) {
    std::vector<float> values(static_cast<std::size_t>(expr::storage_size(*p.buffer)));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((i * 7 + memory.size()) % 5) - 2;
    const auto bytes = std::as_bytes(std::span(values));
    memory.emplace_back(bytes.begin(), bytes.end());
  }
  for (auto& bytes : memory) spans.emplace_back(bytes);
  loop::Interpreter(func).run(spans);
  return memory;
}

TEST(TableForOpenCl, LeavesTheMeaningInOrder) {
  for (const loop::Func& func : {grid::sgemm(32, 16), grid::convolution(4, 28, 64)}) {
    const loop::Func lowered = passes::lower(passes::opencl_target(), func, passes::Verify::Yes);
    EXPECT_EQ(run(lowered), run(func)) << func.name;
    // What went through comes out as it was.
    EXPECT_EQ(loop::to_string(passes::lower(passes::opencl_target(), lowered, passes::Verify::Yes)),
              loop::to_string(lowered));
  }
}

std::string kernels_of(const loop::Func& func) { return to_opencl(func, grid::split_launches(func)); }

/// Names went with addresses of loops that were made to be printed and then freed: a later loop got an
/// earlier one's name where it got its memory, and a module was other bytes at each compile.
TEST(OpenClText, NamesDoNotDependOnWhereMemoryLies) {
  const loop::Func func = loop::parse(R"(func f(in A: i8[12], in W: i8[12], out B: i32[1]) {
  for b in 0..1 block.x {
    for x in 0..1 thread.x {
      alloc s: i32[1] @local
      s[0] = 0i32
      intrinsic dp4a(out s[0] {}, in A[0] {4:1}, in W[0] {4:1})
      intrinsic dp4a(out s[0] {}, in A[4] {4:1}, in W[4] {4:1})
      intrinsic dp4a(out s[0] {}, in A[8] {4:1}, in W[8] {4:1})
      B[0] = s[0]
    }
  }
})");
  const std::string text = kernels_of(func);
  std::size_t loops = 0;
  for (std::size_t at = 0; (at = text.find("for (int k = 0; k < 4; ++k) {", at)) != std::string::npos; ++at)
    ++loops;
  EXPECT_EQ(loops, 3u) << text;
}

/// Texts of text/, what its functions are lowered from, and one with every row of the table.
TEST(OpenClText, IsOpenClToACompiler) {
  if (testing::run_program(VDLA_CLANG, "--version").status != 0)
    GTEST_SKIP() << "needs " VDLA_CLANG " (Debian package of that name)";
  std::vector<loop::Func> funcs{grid::sgemm(64, 16), grid::convolution(4, 28, 64),
                                loop::parse(passes::kEveryRowOfGrid)};
  for (const char* name : {"launches", "numbers"}) funcs.push_back(loop::parse(function_in(name)));
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "kernels");
  std::string files;
  for (const loop::Func& func : funcs) {
    const std::filesystem::path file = folder.path() / (std::to_string(files.size()) + ".cl");
    std::ofstream(file) << kernels_of(passes::lower(passes::opencl_target(), func));
    files += " " + file.string();
  }
  for (const char* standard : {"CL1.2", "CL3.0"}) {
    const auto read = testing::run_program(
        VDLA_CLANG, fmt::format("-x cl -cl-std={} --target=spir64 -Wall -Wextra -Wpedantic "
                                "-Werror -Wno-unused-parameter -fsyntax-only{}",
                                standard, files));
    EXPECT_EQ(read.status, 0) << standard << "\n" << read.output;
  }
}

TEST(OpenClText, NeedsTheWholeTable) {
  const loop::Func func = loop::parse(passes::kEveryRowOfGrid);
  const std::string whole = kernels_of(passes::lower(passes::opencl_target(), func));
  unsigned refused = 0;
  for (const passes::Pass& pass : passes::opencl_target().rows) {
    const std::string_view row = pass.name;
    SCOPED_TRACE(row);
    const loop::Func without_it = passes::lower(passes::without(row, passes::opencl_target()), func);
    if (!form::find_breach(form::grid_rules(), without_it)) {
      EXPECT_NE(kernels_of(without_it), whole);
      continue;
    }
    ++refused;
    try {
      kernels_of(without_it);
      ADD_FAILURE() << "accepted";
    } catch (const InternalError& e) {
      EXPECT_THAT(e.what(), HasSubstr("run row '" + std::string(row) + "' of the table of lowering first"));
    }
  }
  EXPECT_EQ(refused, 6u);
}

TEST(OpenClText, OfTypesThatItHasNotIsRefused) {
  const loop::Func func =
      loop::parse("func f(in A: f16[8], out B: f16[8]) { for t in 0..8 thread.x { B[t] = A[t] } }");
  EXPECT_THAT(user_error([&] { to_opencl(func, grid::split_launches(func)); }),
              HasSubstr("OpenCL C of type f16 is not made yet: kernels take f32 and f64; cast to f32"));
}

}  // namespace
}  // namespace vdla::codegen
