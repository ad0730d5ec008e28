// SPDX-License-Identifier: Apache-2.0
// Public TFLite networks as machine code, held to what TensorFlow Lite answers.
#include <gtest/gtest.h>

#include "tests/compiler/import/data.h"
#include "tests/compiler/import/random_graphs/recorded.h"
#include "tests/compiler/import/random_tflite/networks.h"
#include "tests/compiler/import/random_tflite/run.h"

namespace vdla::random_tflite {
namespace {

class TfliteNetworks : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TfliteNetworks, GiveTheRecordedAnswers) {
  VDLA_NEED_DATA();
  const std::vector<random_graphs::Recorded> all =
      random_graphs::read_recorded(VDLA_SOURCE_DIR "/tests/compiler/import/random_tflite/networks.txt");
  ASSERT_EQ(all.size(), kNetworks.size());
  const random_graphs::Recorded& r = all[GetParam()];
  const Drawn drawn = network(testing::data_folder(), GetParam());
  ASSERT_EQ(random_graphs::hash_of(drawn.model, drawn.inputs), r.hash)
      << "another network or other inputs than recorded: `random_tflite --networks --record`";
  const random_graphs::Ran ran = run_here(drawn, random_graphs::Place::MachineCode);
  ASSERT_EQ(ran.refused + ran.broken, "");
  EXPECT_EQ(compare(ran.outputs, r), "");
}

INSTANTIATE_TEST_SUITE_P(Public, TfliteNetworks, ::testing::Range(std::size_t{0}, kNetworks.size()),
                         [](const auto& info) {
                           return std::filesystem::path(kNetworks.at(info.param)).stem().string();
                         });

}  // namespace
}  // namespace vdla::random_tflite
