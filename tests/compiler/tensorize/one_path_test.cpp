// SPDX-License-Identifier: Apache-2.0
// One path from tensor expression to instruction: layers of the device make loops by schedules alone, an
// intrinsic is one step, and nothing below the lowering knows an operator of a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "compiler/intrinsics/table.h"
#include "compiler/intrinsics/thread.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/tensorize/host_table.h"
#include "isa/spec/operations.h"
#include "support/error.h"

namespace vdla::tensorize {
namespace {

TEST(OnePath, IntrinsicsAreTheMatrixStepAndTheVectorOperations) {
  std::set<std::string> names, expected{"gemm"};
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::device_intrinsics(isa::Geometry{}))
    names.insert(intrinsic.name);
  for (const isa::NamedCode& row : isa::kVectorOps) expected.insert(std::string(row.text));
  EXPECT_EQ(names, expected);
}

TEST(OnePath, ALoweringRuleHasNoLoopNoAddressAndNoToken) {
  const std::set<std::string> allowed{"op",       "dst_buffer", "a_buffer", "b_kind",    "shift",    "half",
                                      "a_offset", "imm",        "out_zero", "clamp_min", "clamp_max"};
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::device_intrinsics(isa::Geometry{})) {
    for (const intrinsics::FieldRule& rule : intrinsic.device_rule().fields)
      EXPECT_TRUE(allowed.contains(rule.field)) << intrinsic.variant << " sets " << rule.field;
  }
}

TEST(OnePath, DeviceAndHostIntrinsicsAreApart) {
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::device_intrinsics(isa::Geometry{})) {
    EXPECT_FALSE(is_host_intrinsic(intrinsic.name));
    EXPECT_TRUE(intrinsic.output.buffer.has_value()) << intrinsic.variant;
  }
  for (const intrinsics::Intrinsic& intrinsic : host_intrinsics()) {
    EXPECT_TRUE(std::holds_alternative<intrinsics::HostRule>(intrinsic.lowering)) << intrinsic.variant;
    EXPECT_EQ(intrinsic.output.scope(), expr::kGlobalScope);
    EXPECT_THROW((void)intrinsic.device_rule(), UserError);
    EXPECT_THROW((void)intrinsic.output.device_buffer(), UserError);
  }
}

TEST(OnePath, IntrinsicsOfWarpsAreInPlacesOfTheirOwn) {
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::warp_intrinsics()) {
    EXPECT_FALSE(is_host_intrinsic(intrinsic.name));
    EXPECT_TRUE(std::holds_alternative<intrinsics::WarpRule>(intrinsic.lowering)) << intrinsic.variant;
    EXPECT_TRUE(intrinsic.output.scope().starts_with("mma.")) << intrinsic.variant;
    EXPECT_THROW((void)intrinsic.device_rule(), UserError);
  }
}

TEST(OnePath, IntrinsicsOfThreadsHaveSumsOfTheirOwn) {
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::thread_intrinsics()) {
    EXPECT_FALSE(is_host_intrinsic(intrinsic.name));
    EXPECT_TRUE(std::holds_alternative<intrinsics::ThreadRule>(intrinsic.lowering)) << intrinsic.variant;
    EXPECT_EQ(intrinsic.output.scope(), "local") << intrinsic.variant;
    EXPECT_THROW((void)intrinsic.device_rule(), UserError);
  }
}

/// Calls `f(path below the folder, line number, code of the line)`; how many files there are.
template <class F>
int for_each_line(const std::string& folder, const F& f) {
  int files = 0;
  const std::filesystem::path root = std::filesystem::path(VDLA_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".h") continue;
    ++files;
    std::ifstream in(entry.path());
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
      f(std::filesystem::relative(entry.path(), root).string(), number, line.substr(0, line.find("//")));
  }
  return files;
}

TEST(OnePath, LoopsOfADeviceLayerComeFromItsSchedule) {
  // Which file may do it, and why.
  const std::map<std::string, std::string> lowers{{"scheduled.cpp", "the one way from a schedule to loops"}};
  const std::map<std::string, std::string> rewrites{
      {"storage.cpp", "a parameter becomes a view; no loop changes"}};
  const std::regex loop_ir(
      R"(loop::(rewrite|visit|map_expressions|make_for|allocate|store|seq|if_then_else|tensorize)\()");
  const std::regex lowering(R"(lower::lower(_unsimplified)?\()");
  const int files = for_each_line(
      "compiler/targets/vdla/templates", [&](const std::string& file, int number, const std::string& code) {
        const std::string place = file + ":" + std::to_string(number) + ": " + code;
        EXPECT_TRUE(lowers.contains(file) || !std::regex_search(code, lowering)) << place;
        EXPECT_TRUE(rewrites.contains(file) || !std::regex_search(code, loop_ir)) << place;
      });
  EXPECT_GT(files, 40);
}

/// Rows of the tables of lowering write loops out and match intrinsics; code generators know neither.
TEST(OnePath, CodeGenerationUnrollsNoLoopAndMatchesNoIntrinsic) {
  const std::regex rows(R"(compiler/(passes|tensorize)/|tensorize::|passes::|match_any)");
  const std::regex kinds(R"(ForKind::(Unrolled|VThread))");
  // Texts may have the word: LLVM's metadata, and messages whose remedy is the schedule's `unroll`.
  const std::regex texts(R"("([^"\\]|\\.)*")"), word("unroll", std::regex::icase);
  int files = 0;
  for (const char* folder : {"compiler/codegen/llvm", "compiler/codegen/opencl", "compiler/codegen/vdla"}) {
    files += for_each_line(folder, [&](const std::string& file, int number, const std::string& code) {
      const std::string place = std::string(folder) + "/" + file + ":" + std::to_string(number) + ": " + code;
      EXPECT_FALSE(std::regex_search(code, rows)) << place;
      EXPECT_FALSE(std::regex_search(code, kinds)) << place;
      EXPECT_FALSE(std::regex_search(std::regex_replace(code, texts, ""), word)) << place;
    });
  }
  EXPECT_GT(files, 60);
}

TEST(OnePath, NoOperatorIsNamedBelowTheLowering) {
  const std::regex operators(
      "conv[0-9_]|conv2d|depthwise|pool|fully_connected|softmax|matmul|requant|resnet|mobilenet",
      std::regex::icase);
  int files = 0;
  for (const char* folder : {"compiler/tensorize", "compiler/codegen/vdla", "compiler/lower",
                             "compiler/schedule", "compiler/loop"}) {
    files += for_each_line(folder, [&](const std::string& file, int number, const std::string& code) {
      EXPECT_FALSE(std::regex_search(code, operators))
          << folder << "/" << file << ":" << number << ": " << code;
    });
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace vdla::tensorize
