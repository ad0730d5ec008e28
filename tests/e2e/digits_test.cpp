// SPDX-License-Identifier: Apache-2.0
// The embedded digit network (ONNX QDQ), which every clone has: the same bytes everywhere, and accuracy.
#include "compiler/import/import.h"
#include "tests/e2e/kit.h"
#include "tools/common/model_input.h"
#include "tools/data/tables.h"

namespace vdla::e2e {
namespace {

const std::filesystem::path kDigits = std::filesystem::path(VDLA_SOURCE_DIR) / "examples/digits";

class Digits : public ::testing::TestWithParam<std::string> {};

TEST_P(Digits, AllImagesAreAsOnTheCpuAndNearlyAllRight) {
  VDLA_NEED_ENGINE(GetParam());
  const graph::Graph graph = import::import_model(kDigits / "digits.onnx");
  const runtime::Module for_cpu = compile(graph, "cpu");
  const auto images = samples(for_cpu, kDigits / "images.npy");
  ASSERT_EQ(images.size(), 48u);
  const auto labels = tools::read_labels((kDigits / "labels.csv").string());
  ASSERT_EQ(labels.size(), images.size());
  for (const char* variant : {"paper", "tiny"}) {
    EngineSession cpu(for_cpu, ""), machine(compile(graph, variant), GetParam());
    int correct = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const Bytes output = machine.run_model(images[i].bytes);
      EXPECT_EQ(output, cpu.run_model(images[i].bytes)) << images[i].name << " for " << variant;
      correct += static_cast<int>(tools::argmax(tools::output_values(for_cpu.outputs[0], output))) ==
                 labels[i].value;
    }
    EXPECT_GE(correct, 45) << variant;
  }
}

TEST(DigitNetwork, TheInterpreterAgrees) {
  const graph::Graph graph = import::import_model(kDigits / "digits.onnx");
  const auto images = samples(compile(graph, "cpu"), kDigits / "images.npy", 8);
  EXPECT_GT(expect_same_everywhere(graph, images, {"functional"}), 0u);
}

INSTANTIATE_TEST_SUITE_P(On, Digits, ::testing::ValuesIn(engines()), case_name);

}  // namespace
}  // namespace vdla::e2e
