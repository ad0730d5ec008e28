// SPDX-License-Identifier: Apache-2.0
// ONNX's conformance suite on machine code: no case may fail, and the number of passes may only grow.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "support/error.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/import/onnx_builder.h"
#include "tools/onnx_suite/onnx_suite.h"

namespace vdla::tools {
namespace {

void expect_passes(const std::string& folder, std::size_t least) {
  const auto results = run_onnx_suite(testing::data_folder() / "onnx_backend_v1.12.0" / folder, {});
  std::size_t passes = 0;
  for (const SuiteCase& c : results) {
    EXPECT_NE(c.verdict, Verdict::Fail) << c.name << ": " << c.message;
    passes += c.verdict == Verdict::Pass;
    if (c.verdict == Verdict::Unsupported)
      std::printf("unsupported %s: %s\n", c.name.c_str(), c.message.c_str());
  }
  EXPECT_GE(passes, least) << "of " << results.size();
  // More passes than the test asks for: raise the number, so that they stay.
  EXPECT_LE(passes, least) << "of " << results.size();
}

TEST(OnnxSuite, Node) {
  VDLA_NEED_DATA();
  expect_passes("node", 866);
}

/// A folder with one case, Relu of three numbers.
class OnnxSuiteCase : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "test_data_set_0");
    testing::OnnxModel m;
    m.input("x", {3});
    m.node("Relu", {"x"}, "y");
    m.output("y");
    write(folder_ / "model.onnx", m.bytes());
    for (const char* name : {"input_0.pb", "output_0.pb"}) {
      onnx::TensorProto t;
      t.set_data_type(onnx::TensorProto::FLOAT);
      t.add_dims(3);
      for (float v : {1, 2, 3}) t.add_float_data(v);
      const std::string text = t.SerializeAsString();
      write(folder_ / "test_data_set_0" / name, std::as_bytes(std::span(text)));
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  void expect(Verdict verdict, const std::string& message) const {
    const auto results = run_onnx_suite(folder_, {});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].verdict, verdict) << results[0].message;
    EXPECT_NE(results[0].message.find(message), std::string::npos) << results[0].message;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("vdla_suite_" + std::to_string(getpid()));
};

TEST_F(OnnxSuiteCase, Passes) { expect(Verdict::Pass, ""); }

TEST_F(OnnxSuiteCase, RunsBetweenQdqAsInt8AndUint8) {
  SuiteOptions options;
  options.interpret = options.between_qdq = true;
  const auto results = run_onnx_suite(folder_, options);
  ASSERT_EQ(results.size(), 2u);
  for (const SuiteCase& c : results) EXPECT_EQ(c.verdict, Verdict::Pass) << c.name << ": " << c.message;
  EXPECT_TRUE(results[0].name.ends_with(" (int8)")) << results[0].name;
  EXPECT_TRUE(results[1].name.ends_with(" (uint8)")) << results[1].name;
}

TEST_F(OnnxSuiteCase, BetweenQdqNamesOperatorSetsThatHaveNone) {
  testing::OnnxModel m;
  m.opset(9);
  m.input("x", {3});
  m.constant("s", onnx::TensorProto::FLOAT, {1}, {1});
  m.node("Upsample", {"x", "s"}, "y");
  m.output("y");
  write(folder_ / "model.onnx", m.bytes());
  SuiteOptions options;
  options.interpret = options.between_qdq = true;
  const auto results = run_onnx_suite(folder_, options);
  EXPECT_EQ(results.at(0).verdict, Verdict::Unsupported);
  EXPECT_NE(results[0].message.find("operator set 9 has no QuantizeLinear"), std::string::npos)
      << results[0].message;
}

TEST_F(OnnxSuiteCase, BetweenQdqAsksForFloatBorders) {
  testing::OnnxModel m;
  m.input("x", {3}, onnx::TensorProto::INT64);
  testing::OnnxModel::integer(m.node("Cast", {"x"}, "y"), "to", onnx::TensorProto::INT64);
  m.output("y");
  write(folder_ / "model.onnx", m.bytes());
  for (const char* name : {"input_0.pb", "output_0.pb"}) {
    onnx::TensorProto t;
    t.set_data_type(onnx::TensorProto::INT64);
    t.add_dims(3);
    for (int v : {1, 2, 3}) t.add_int64_data(v);
    const std::string text = t.SerializeAsString();
    write(folder_ / "test_data_set_0" / name, std::as_bytes(std::span(text)));
  }
  SuiteOptions options;
  options.interpret = options.between_qdq = true;
  const auto results = run_onnx_suite(folder_, options);
  EXPECT_EQ(results.at(0).verdict, Verdict::OutOfScope);
}

TEST_F(OnnxSuiteCase, WithoutDataFails) {
  std::filesystem::remove_all(folder_ / "test_data_set_0");
  expect(Verdict::Fail, "has no test_data_set_0");
}

TEST_F(OnnxSuiteCase, WithoutAnInputFailsAndNamesIt) {
  std::filesystem::remove(folder_ / "test_data_set_0" / "input_0.pb");
  expect(Verdict::Fail, "input_0.pb");
}

TEST_F(OnnxSuiteCase, WithATruncatedInputFailsAndNamesIt) {
  std::filesystem::resize_file(folder_ / "test_data_set_0" / "input_0.pb", 9);
  expect(Verdict::Fail, "input_0.pb");
}

TEST_F(OnnxSuiteCase, WithATruncatedModelFails) {
  std::filesystem::resize_file(folder_ / "model.onnx", 20);
  expect(Verdict::Fail, "truncated");
}

TEST_F(OnnxSuiteCase, OfNoSuchNameIsRefused) {
  SuiteOptions options;
  options.only = "nosuchcase";
  EXPECT_THROW(run_onnx_suite(folder_, options), UserError);
}

TEST(OnnxSuite, Simple) {
  VDLA_NEED_DATA();
  expect_passes("simple", 7);
}

}  // namespace
}  // namespace vdla::tools
