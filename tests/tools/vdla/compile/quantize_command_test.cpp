// SPDX-License-Identifier: Apache-2.0
// vdla quantize on trained networks: the int8 network is about as often right as the float one.
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/compiler/import/data.h"
#include "tests/compiler/import/onnx_builder.h"
#include "tests/tools/cli.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

class Quantize : public Cli {
 protected:
  std::string data(const std::string& file) const { return (testing::data_folder() / file).string(); }

  /// How many of the labelled inputs are right.
  int correct(const std::string& model, const std::string& compile, const std::string& eval) const {
    const Outcome c = run("compile " + model + " -o " + path("m.vdla") + " " + compile);
    EXPECT_EQ(c.status, 0) << c.err;
    const Outcome o = run("eval " + path("m.vdla") + " --json " + eval);
    EXPECT_EQ(o.status, 0) << o.err;
    return nlohmann::json::parse(o.out).at("correct");
  }

  /// Labels of the images of ImageNet: the second part of a file's name is one of a class's names.
  std::string labels() const {
    const auto plain = [](std::string text) {
      std::erase_if(text, [](unsigned char c) { return std::isalpha(c) == 0; });
      std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
      return text;
    };
    std::ifstream names(data("imagenet/imagenet_labels.txt"));
    std::map<std::string, int> classes;
    std::string line;
    for (int i = -1; std::getline(names, line); ++i) {  // the first line is the background
      std::istringstream words(line);
      for (std::string word; std::getline(words, word, ',');) classes.emplace(plain(word), i);
    }
    std::string csv;
    for (const std::string& file : files_of(data("imagenet/images"))) {
      const std::string stem = fs::path(file).stem().string();
      csv += fmt::format("{},{}\n", stem, classes.at(plain(stem.substr(stem.find('_') + 1))));
    }
    write_file(path("labels.csv"), csv);
    return path("labels.csv");
  }

  void expect_as_good(const std::string& model, const std::string& pixels, const std::string& calibration,
                      const std::string& inputs, int allowed) const {
    const std::string out = path("int8.onnx");
    const Outcome o = run("quantize " + model + " -o " + out + " " + calibration + " " + pixels);
    ASSERT_EQ(o.status, 0) << o.err;
    const int in_float = correct(model, "--target cpu", inputs + " " + pixels);
    const int in_int8 = correct(out, "", "--engine functional " + inputs + " " + pixels);
    fmt::print("{}: {} in float, {} in int8\n", fs::path(model).filename().string(), in_float, in_int8);
    EXPECT_GT(in_float, 0);
    EXPECT_GE(in_int8, in_float - allowed);
  }
};

TEST_F(Quantize, ResNet20IsWithinAPointOfItsFloatAccuracy) {
  VDLA_NEED_DATA();
  expect_as_good(data("cifar10/models/resnet20_cifar10.onnx"),
                 "--normalise scale=0.00392157,mean=0.485:0.456:0.406,std=0.229:0.224:0.225",
                 "--limit 200 --calibration " + data("cifar10/cifar10_train_calib1000.bin"),
                 "--inputs " + data("cifar10/cifar10_test_dev1000.bin"), 10);
}

TEST_F(Quantize, MobileNetV2IsWithinThreeImages) {
  VDLA_NEED_DATA();
  expect_as_good(data("imagenet/models/mobilenet_v2_fp32_from_uint8.onnx"),
                 "--resize 256 --crop 224 --normalise "
                 "scale=0.00392157,mean=0.485:0.456:0.406,std=0.229:0.224:0.225",
                 "--limit 20 --calibration " + data("imagenet/images"),
                 "--inputs " + data("imagenet/images") + " --labels " + labels(), 3);
}

TEST_F(Quantize, SqueezeNetIsWithinThreeImages) {
  VDLA_NEED_DATA();
  expect_as_good(data("imagenet/models/SqueezeNet_fp32.onnx"),
                 "--resize 256 --crop 224 --bgr --normalise mean=104:117:123",
                 "--limit 20 --calibration " + data("imagenet/images"),
                 "--inputs " + data("imagenet/images") + " --labels " + labels(), 3);
}

TEST_F(Quantize, FloatTfliteIsWithinAPointOfItsFloatAccuracy) {
  VDLA_NEED_DATA();
  expect_as_good(data("mlperf_tiny/models/pretrainedResnet.tflite"), "--normalise scale=1",
                 "--limit 100 --calibration " + data("cifar10/cifar10_train_calib1000.bin"),
                 "--inputs " + data("cifar10/cifar10_test_dev1000.bin"), 10);
}

TEST_F(Quantize, TfliteOfFloatsIsOnTheDeviceAndKeepsItsNames) {
  VDLA_NEED_DATA();
  const std::string model = data("mlperf_tiny/models/pretrainedResnet.tflite");
  const std::string command = "quantize " + model + " -o " + path("q.onnx") +
                              " --normalise scale=1 --limit 20 --calibration " +
                              data("cifar10/cifar10_train_calib1000.bin");
  const Outcome o = run(command + " --report --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const auto told = nlohmann::json::parse(o.out);
  const auto& report = told.at("report");
  EXPECT_GT(report.at("snr_db"), 20);
  EXPECT_EQ(report.at("macs_on_device"), report.at("macs"));
  EXPECT_EQ(told.at("left_in_float").size(), 0u) << told.at("left_in_float");
  const Outcome tensors = run("explain " + model + " --target cpu --tensors");
  for (const auto& layer : report.at("layers"))
    EXPECT_THAT(tensors.out, ::testing::HasSubstr(layer.at("tensor").get<std::string>()));
  const Outcome mixed = run(command + " --keep-float 1 --json");
  ASSERT_EQ(mixed.status, 0) << mixed.err;
  EXPECT_EQ(nlohmann::json::parse(mixed.out).at("report").at("in_float").size(), 1u);
  expect_error(command + " --shape x=1x4", {"gives input 'x' a shape", "needs an ONNX model"});
  expect_error(command + " --bind x=1", {"binds input 'x'", "needs an ONNX model"});
}

NpyArray floats(const std::vector<std::int64_t>& shape) {
  NpyArray array{"<f4", shape, {}};
  std::vector<float> values(static_cast<std::size_t>(array.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
  const auto* at = reinterpret_cast<const std::byte*>(values.data());
  array.bytes.assign(at, at + values.size() * sizeof(float));
  return array;
}

TEST_F(Quantize, WeightsOfFloat16AreThoseOfLayers) {
  VDLA_NEED_DATA();
  write_npy(path("x.npy"), floats({1, 128, 128, 3}));
  const Outcome o = run("quantize " + data("public_models/face_det_front_f16.tflite") + " -o " +
                        path("q.onnx") + " --json --calibration " + path("x.npy"));
  ASSERT_EQ(o.status, 0) << o.err;
  const auto told = nlohmann::json::parse(o.out);
  EXPECT_EQ(told.at("weights").size(), 37u);
  EXPECT_EQ(told.at("left_in_float").size(), 0u) << told.at("left_in_float");
  const Outcome compiled = run("compile " + path("q.onnx") + " -o " + path("m.vdla"));
  EXPECT_EQ(compiled.status, 0) << compiled.err;
}

/// A network of a 1x4 and a 4x4, from whose product it takes the numbers at two places.
std::string gathered_product() {
  testing::OnnxModel m;
  m.input("a", {1, 4});
  m.input("b", {4, 4});
  m.input("places", {2}, onnx::TensorProto::INT64);
  m.node("MatMul", {"a", "b"}, "product");
  testing::OnnxModel::integer(m.node("Gather", {"product", "places"}, "y"), "axis", 1);
  m.output("y");
  const auto bytes = m.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_F(Quantize, ANetworkOfSeveralInputsTakesAFileForEach) {
  write_file(path("net.onnx"), gathered_product());
  write_npy(path("a.npy"), floats({3, 4}));
  write_npy(path("b.npy"), floats({12, 4}));
  write_npy(path("few.npy"), floats({4, 4}));
  write_npy(path("places.npy"), {"<i8", {6}, std::vector<std::byte>(48)});
  const std::string command = "quantize " + path("net.onnx") + " -o " + path("q.onnx") + " --calibration ";
  const std::string a = "a=" + path("a.npy"), b = " --calibration b=" + path("b.npy"),
                    places = " --calibration places=" + path("places.npy");
  const Outcome o = run(command + a + b + places);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(run("compile " + path("q.onnx") + " -o " + path("m.vdla")).status, 0);
  expect_error(command + a + b, {"input 'places' has no samples", "--calibration places=FILE"});
  expect_error(command + path("a.npy"), {"names no input", "'a' and 'b' and 'places'"});
  expect_error(command + a + " --calibration " + a, {"input 'a' has two files"});
  expect_error(command + a + " --calibration b=" + path("few.npy") + places,
               {"few.npy", "has 1 samples of input 'b', input 'a' has 3"});
  expect_error(command + a + b + " --calibration places=" + path("a.npy"), {"a.npy", "input 'places' needs"});
}

TEST_F(Quantize, AnInputThatIsBoundIsAConstantOfWhatIsWritten) {
  write_file(path("net.onnx"), gathered_product());
  write_npy(path("a.npy"), floats({3, 4}));
  write_npy(path("b.npy"), floats({12, 4}));
  const std::string command = "quantize " + path("net.onnx") + " -o " + path("q.onnx") +
                              " --calibration a=" + path("a.npy") + " --calibration b=" + path("b.npy");
  const Outcome o = run(command + " --bind places=2,0");
  ASSERT_EQ(o.status, 0) << o.err;
  const Outcome explained = run("explain " + path("q.onnx") + " --json");
  ASSERT_EQ(explained.status, 0) << explained.err;
  EXPECT_EQ(nlohmann::json::parse(explained.out).at("inputs").size(), 2u);
  expect_error(command + " --bind places=2", {"input 'places' is bound to 1 elements, needs 2"});
  expect_error(command + " --bind nowhere=2", {"nowhere"});
}

TEST_F(Quantize, AReportSaysWhatQuantisingCosts) {
  write_file(path("net.onnx"), gathered_product());
  write_npy(path("a.npy"), floats({3, 4}));
  write_npy(path("b.npy"), floats({12, 4}));
  write_npy(path("places.npy"), {"<i8", {6}, std::vector<std::byte>(48)});
  const std::string command = "quantize " + path("net.onnx") + " -o " + path("q.onnx") +
                              " --calibration a=" + path("a.npy") + " --calibration b=" + path("b.npy") +
                              " --calibration places=" + path("places.npy");
  const Outcome table = run(command + " --report");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, ::testing::AllOf(::testing::HasSubstr("layers, the costliest first"),
                                          ::testing::HasSubstr("whole network: "),
                                          ::testing::HasSubstr("3 of 3 samples have the same largest output"),
                                          ::testing::HasSubstr("of 16 multiply-accumulates on the device")));
  const Outcome o = run(command + " --json --report " + path("report.json"));
  EXPECT_EQ(o.status, 0) << o.err;
  const auto report = nlohmann::json::parse(read_text(path("report.json")));
  EXPECT_EQ(report, nlohmann::json::parse(o.out).at("report"));
  EXPECT_GT(report.at("snr_db"), 25);
  EXPECT_EQ(report.at("agreeing"), 3);
  EXPECT_EQ(report.at("layers").size(), 1u);
  expect_error(command + " --keep-float auto --budget-db 150", {"1 layers", "150.0 dB", "--budget-db"});
  expect_error(command + " --keep-float 1", {"has 1 layers with an integer form"});
  expect_error(command + " --budget-db 30", {"--budget-db is for --keep-float auto"});
  expect_error(command + " --keep-float most", {"needs a number of layers, or auto, got 'most'"}, 2);
  expect_error(command + " --report report.txt", {"report.txt", ".json"}, 2);
}

TEST_F(Quantize, AFloatNetworkSaysOnceWhatBringsItToTheDevice) {
  write_file(path("net.onnx"), gathered_product());
  const std::string command = "compile " + path("net.onnx") + " -o " + path("m.vdla");
  const Outcome o = run(command);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err,
              ::testing::AllOf(::testing::StartsWith("vdla: note: nothing is on the device"),
                               ::testing::HasSubstr("vdla quantize " + path("net.onnx") + " --calibration")));
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
  EXPECT_EQ(run(command + " --target cpu").err, "");
  EXPECT_EQ(run("compile " + example("digits.onnx") + " -o " + path("m.vdla")).err, "");
}

TEST_F(Quantize, ExtentsThatAModelLeavesFreeAreGiven) {
  testing::OnnxModel m;
  m.input("x", {1, 3, 4});
  m.proto()
      .mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("length");
  m.constant("w", onnx::TensorProto::FLOAT, {4, 4}, {1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 2, 1, 0, 1, 0, 1});
  m.node("MatMul", {"x", "w"}, "y");
  m.output("y");
  const auto bytes = m.bytes();
  write_file(path("net.onnx"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  write_npy(path("x.npy"), floats({2, 3, 4}));
  const std::string command =
      "quantize " + path("net.onnx") + " -o " + path("q.onnx") + " --calibration " + path("x.npy");
  expect_error(command, {"input 'x' has no fixed extent in dimension 1", "--shape"});
  expect_error(command + " --shape x=1x3x5", {"'x'", "5"});
  const Outcome o = run(command + " --shape x=1x3x4");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(run("compile " + path("q.onnx") + " -o " + path("m.vdla")).status, 0);
}

TEST_F(Quantize, LayersThatStayInFloatCompileBesideTheOthers) {
  VDLA_NEED_DATA();
  const std::string pixels = " --normalise scale=0.00392157,mean=0.485:0.456:0.406,std=0.229:0.224:0.225";
  const std::string command = "quantize " + data("cifar10/models/resnet20_cifar10_bnfolded.onnx") +
                              " --limit 20 --calibration " + data("cifar10/cifar10_train_calib1000.bin") +
                              pixels + " -o " + path("q.onnx");
  const Outcome o = run(command + " --keep-float 2 --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const auto report = nlohmann::json::parse(o.out).at("report");
  EXPECT_EQ(report.at("in_float").size(), 2u);
  EXPECT_LT(report.at("macs_on_device"), report.at("macs"));
  EXPECT_GT(correct(path("q.onnx"), "", "--limit 50 --inputs " + data("cifar10/cifar10_test_dev1000.bin")),
            40);
}

TEST_F(Quantize, WhatIsNoFloatNetworkIsRefused) {
  expect_error("quantize " + example("digits.onnx") + " --calibration " + example("images.npy") + " -o " +
                   path("q.onnx"),
               {"digits.onnx", "quantised already", "needs a float one"});
  EXPECT_FALSE(fs::exists(path("q.onnx")));
  expect_error("quantize " + path("none.onnx") + " --calibration x -o " + path("q.onnx"), {"none.onnx"});
}

}  // namespace
}  // namespace vdla::tools
