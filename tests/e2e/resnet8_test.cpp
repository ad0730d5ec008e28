// SPDX-License-Identifier: Apache-2.0
// MLPerf Tiny's ResNet-8 (int8 TFLite) from model file to bytes: recorded outputs, accuracy, the same bytes
// everywhere.
#include <algorithm>

#include "isa/variants/variants.h"
#include "tests/compiler/pipeline/golden.h"
#include "tests/e2e/kit.h"
#include "tools/common/model_input.h"

namespace vdla::e2e {
namespace {

const char* const kModel = "mlperf_tiny/models/pretrainedResnet_quant.tflite";
const char* const kImages = "cifar10/cifar10_test_dev1000.bin";

TEST(Resnet8, FunctionalEngineEqualsTheRecordedOutputsOfAThousandImages) {
  VDLA_NEED_DATA();
  const runtime::Module module = compile(import_data(kModel));
  const auto images = samples(module, vdla::testing::data_folder() / kImages);
  const auto golden =
      vdla::testing::csv_rows(vdla::testing::data_folder() / "cifar10/resnet8_int8_golden_dev1000.csv");
  ASSERT_EQ(images.size(), 1000u);
  ASSERT_EQ(golden.size(), 1000u);
  EngineSession machine(module, "functional");
  int correct = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Bytes output = machine.run_model(images[i].bytes);
    EXPECT_EQ(output, golden[i]) << images[i].name;
    const auto best = tools::argmax(tools::output_values(module.outputs[0], output));
    correct += static_cast<int>(best) == images[i].label;
  }
  // 87.07 % on all 10,000 images.
  EXPECT_GE(correct, 850);
  RecordProperty("correct", correct);
}

TEST(Resnet8, EveryEngineEqualsTheInterpreterOnFiveImages) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data(kModel);
  const auto images = samples(compile(graph, "cpu"), vdla::testing::data_folder() / kImages, 5);
  EXPECT_EQ(expect_same_everywhere(graph, images, present_engines()), 5 * (1 + present_engines().size()));
}

/// Which of the four arrays of the kit compiles it must not matter.
TEST(Resnet8, EveryVariantGivesTheSameBytes) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data(kModel);
  const runtime::Module for_cpu = compile(graph, "cpu");
  const auto images = samples(for_cpu, vdla::testing::data_folder() / kImages, 3);
  EngineSession cpu(for_cpu, "");
  for (const char* variant : {"tiny", "paper", "vta", "wide"}) {
    EngineSession machine(compile(graph, variant), "functional");
    for (const auto& image : images)
      EXPECT_EQ(machine.run_model(image.bytes), cpu.run_model(image.bytes)) << variant << " " << image.name;
  }
}

/// Parameters of a convolution and of its sum together leave gaps in a par of 16 entries, where they lie
/// apart: close together they have room, and the sum needs no layer of its own.
TEST(Resnet8, ASumThatFitsAParOf16EntriesOnlyWithoutGapsIsFolded) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data(kModel);
  const runtime::Module for_cpu = compile(graph, "cpu");
  const auto images = samples(for_cpu, vdla::testing::data_folder() / kImages, 2);
  EngineSession cpu(for_cpu, "");
  isa::Variant variant = isa::load_variant("tiny");
  for (const std::uint32_t depth : {16, 32}) {
    variant.geometry.par_depth = depth;
    const runtime::Module module = compile(graph, variant);
    EXPECT_EQ(std::ranges::count_if(
                  module.nodes, [](const auto& n) { return n.reason.starts_with("added on the way out"); }),
              3)
        << depth;
    EngineSession machine(module, "functional");
    for (const auto& image : images)
      EXPECT_EQ(machine.run_model(image.bytes), cpu.run_model(image.bytes)) << depth << " " << image.name;
  }
}

}  // namespace
}  // namespace vdla::e2e
