// SPDX-License-Identifier: Apache-2.0
// Networks and images that people have through README's commands, without a flag for values: what model files
// say about pixels is used.
#include <onnx/onnx_pb.h>

#include <fstream>
#include <sstream>

#include "tests/tools/image_commands.h"

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;

TEST_F(ImageCommands, QuantizeStoresWhatItCalibratedWith) {
  VDLA_NEED_DATA();
  const std::string int8 = path("q.onnx"), images = data("cifar10/cifar10_train_calib1000.bin");
  const std::string flags = " --normalise scale=0.00392157,mean=0.485:0.456:0.406,std=0.229:0.224:0.225";
  std::string model;
  for (const auto& file : std::filesystem::recursive_directory_iterator(data("cifar10/models")))
    if (file.path().extension() == ".onnx" && (model.empty() || file.path().string() < model))
      model = file.path().string();
  ASSERT_NE(model, "");
  ok("quantize " + model + " --calibration " + images + " --limit 40 -o " + int8 + flags);
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(read_text(int8)));
  ASSERT_EQ(proto.metadata_props_size(), 1);
  EXPECT_EQ(proto.metadata_props(0).key(), "vdla.normalise");
  const std::string module = compile(int8);
  const std::string test = " --limit 100 --inputs " + data("cifar10/cifar10_test_dev1000.bin");
  const auto result = json("eval " + module + test);
  EXPECT_FALSE(result.contains("notes"));
  EXPECT_GE(result["correct"].get<int>(), 85);
  const Outcome raw = ok("eval " + module + test + " --normalise scale=1");
  EXPECT_THAT(raw.err, HasSubstr("cut off: 0..255 come in"));
  EXPECT_THAT(raw.err, HasSubstr("mean=0.485:0.456:0.406"));
  // Calibrated with bare pixels it says so at once, before anything is wrong.
  const Outcome bare = ok("quantize " + model + " --calibration " + images + " --limit 4 -o " + int8);
  EXPECT_THAT(bare.err, HasSubstr("which real numbers input"));
}

TEST_F(ImageCommands, VisualWakeWordsTellsThePersonWithoutAFlag) {
  VDLA_NEED_DATA();
  const std::string module = compile(data("mlperf_tiny/models/vww_96_int8.tflite"));
  const std::string input = " --resize 96x96 --input " + data("mlperf_tiny/samples_tvm/vww_sample_");
  EXPECT_EQ(json("run " + module + input + "person.jpg")["outputs"][0]["top"][0]["class"], 1);
  EXPECT_EQ(json("run " + module + input + "not_person.jpg")["outputs"][0]["top"][0]["class"], 0);
}

struct Network {
  const char* name;
  const char* model;
  std::size_t column;  ///< of tests/e2e/imagenet_classes.csv
};
void PrintTo(const Network& n, std::ostream* out) { *out << n.name; }

class Mobilenets : public ImageCommands, public ::testing::WithParamInterface<Network> {
 protected:
  /// What README's command is.
  std::string images(const std::string& folder) const {
    return " --resize 256 --crop 224 --inputs " + folder;
  }
  std::string labels() const {
    std::ifstream recorded(VDLA_SOURCE_DIR "/tests/e2e/imagenet_classes.csv");
    std::string csv;
    for (std::string line; std::getline(recorded, line);) {
      if (line.starts_with("#") || line.starts_with("image,")) continue;
      std::istringstream cells(line);
      std::string name, label;
      std::getline(cells, name, ',');
      for (std::size_t i = 0; i < GetParam().column; ++i) std::getline(cells, label, ',');
      csv += name + "," + label + "\n";
    }
    write_file(path("labels.csv"), csv);
    return " --labels " + path("labels.csv");
  }
};

TEST_P(Mobilenets, GiveTheRecordedClassesThroughReadmesCommand) {
  VDLA_NEED_DATA();
  const std::string module = compile(data("imagenet/models/") + GetParam().model, "");
  const auto kept = json("explain " + module);
  EXPECT_EQ(kept["preprocessing"], "--normalise scale=1,mean=127.5,std=127.5");  // of TFLite's metadata
  const auto all = json("eval " + module + images(data("imagenet/images")) + labels());
  EXPECT_EQ(all["count"], 60);
  EXPECT_EQ(all["correct"], 60);
  EXPECT_FALSE(all.contains("notes"));
  const auto one = json("run " + module + " --resize 256 --crop 224 --input " +
                        data("imagenet/images/n01806143_peacock.JPEG"));
  EXPECT_EQ(one["outputs"][0]["top"][0]["class"], 85);
  if (kept.contains("class_names"))  // with libzip
    EXPECT_THAT(one["outputs"][0]["top"][0]["name"].get<std::string>(), HasSubstr("peacock"));
}

TEST_P(Mobilenets, GiveTheRecordedClassOfAnImageOnRtl) {
  VDLA_NEED_DATA();
  if (!json("info")["engines"]["rtl"].get<bool>()) GTEST_SKIP() << "this kit has no RTL engine";
  const std::string module = compile(data("imagenet/models/") + GetParam().model, "");
  const auto one = json("run " + module + " --engine rtl --resize 256 --crop 224 --input " +
                        data("imagenet/images/n01806143_peacock.JPEG"));
  EXPECT_EQ(one["outputs"][0]["top"][0]["class"], 85);
}

INSTANTIATE_TEST_SUITE_P(ImageNet, Mobilenets,
                         ::testing::Values(Network{"v1", "mobilenet_v1_0.25_224_quant.tflite", 1},
                                           Network{"v2", "mobilenet_v2_1.0_224_quant.tflite", 2}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vdla::tools
