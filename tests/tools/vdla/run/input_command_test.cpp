// SPDX-License-Identifier: Apache-2.0
// Files that are no whole input of a network, images in its layout, and texts as other programs write them,
// through the commands.
#include <array>
#include <cstring>
#include <limits>

#include "tests/compiler/import/onnx_builder.h"
#include "tests/tools/image_commands.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;
using ::vdla::testing::OnnxModel;
using Shape = std::vector<std::int64_t>;

class Inputs : public ImageCommands {
 protected:
  /// A network of one operator without attributes.
  std::string module(const std::string& op, const Shape& shape) const {
    OnnxModel m;
    m.opset(13);
    m.input("x", shape);
    m.output("y");
    m.node(op, {"x"}, "y");
    return compiled(m);
  }
  std::string compiled(const OnnxModel& m) const {
    const graph::Bytes bytes = m.bytes();
    write_file(path("m.onnx"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return compile(path("m.onnx"));
  }
  /// A .npy file of these values.
  std::string array(const Shape& shape, const std::vector<float>& values) const {
    NpyArray a{"<f4", shape, std::vector<std::byte>(4 * values.size())};
    if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    write_npy(path("in.npy"), a);
    return path("in.npy");
  }
  /// An RGB image of 2 rows of 2 pixels.
  std::string picture() const {
    std::vector<unsigned char> pixels(kPixels.begin(), kPixels.end());
    const File png = png_file(2, 2, pixels);
    write_file(path("rgb.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
    return path("rgb.png");
  }
  static std::vector<float> channels_first() {
    std::vector<float> values;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < 4; ++i) values.push_back(kPixels[3 * i + c]);
    return values;
  }
  /// A quantised convolution of square images with channels last.
  static OnnxModel turned_quantised(std::int64_t side) {
    OnnxModel m;
    m.opset(13);
    m.input("x", {1, side, side, 3});
    m.output("y");
    m.scale("x", 1, 0, onnx::TensorProto::UINT8);
    m.node("QuantizeLinear", {"x", "x_s", "x_z"}, "q");
    m.node("DequantizeLinear", {"q", "x_s", "x_z"}, "d");
    OnnxModel::ints(m.node("Transpose", {"d"}, "t"), "perm", {0, 3, 1, 2});
    const std::vector<double> weights{44, 78, -122, 79, -8, 4, 33, -55, 122, -114, -57, -30};
    m.node("Conv", {"t", m.weights("w", {4, 3, 1, 1}, weights, {0.01})}, "c");
    m.scale("c", 1, 0);
    m.node("QuantizeLinear", {"c", "c_s", "c_z"}, "cq");
    m.node("DequantizeLinear", {"cq", "c_s", "c_z"}, "y");
    return m;
  }
  void expect_same(const std::string& module, const std::string& image, const std::string& npy) const {
    const auto values = [&](const std::string& input) {
      return json("run " + module + " --input " + input)["outputs"][0]["values"];
    };
    EXPECT_EQ(values(image), values(npy));
  }

  static constexpr std::array<float, 12> kPixels{0, 128, 255, 64, 32, 200, 16, 8, 100, 90, 80, 70};
};

/// Outputs were what memory held behind the array, with exit status 0.
TEST_F(Inputs, RowsThatAreNoWholeInputAreRefused) {
  const std::string abs = module("Abs", {2, 3});
  for (const Shape& shape : {Shape{3}, Shape{1, 3}, Shape{3, 3}}) {
    const std::string file = array(shape, std::vector<float>(shape.size() == 1 ? 3 : 3 * shape[0], -1));
    for (const std::string& command :
         {"run " + abs + " --input " + file, "eval " + abs + " --inputs " + file})
      expect_error(command, {"in.npy: has shape ", "input 'x' needs 2x3, or 4x3"});
  }
  const std::string four = array({4, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12});
  EXPECT_EQ(json("eval " + abs + " --inputs " + four + " --output " + path("all.npy"))["count"], 2);
  const NpyArray all = read_npy(path("all.npy"));
  EXPECT_EQ(all.shape, (Shape{4, 3}));
  EXPECT_EQ(to_real(all), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

/// The second image of the batch was zeros.
TEST_F(Inputs, AnImageForABatchOfTwoIsRefused) {
  expect_error(
      "run " + module("Abs", {2, 3, 2, 2}) + " --input " + picture(),
      {"rgb.png: is one image of 1x3x2x2, input 'x' needs 2x3x2x2; put 2 images into one .npy array"});
}

/// Networks with channels last were told that the image has 3 channels and they need 2.
TEST_F(Inputs, ImagesAreLaidOutAsTheNetworkHasThem) {
  const std::string image = picture();
  const std::vector<float> last(kPixels.begin(), kPixels.end());
  expect_same(module("Abs", {1, 3, 2, 2}), image, array({1, 3, 2, 2}, channels_first()));
  expect_same(module("Abs", {1, 2, 2, 3}), image, array({1, 2, 2, 3}, last));
  expect_same(compiled(turned_quantised(2)), image, array({1, 2, 2, 3}, last));
}

/// 1x3x3x3 may be either; the network's first operator tells.
TEST_F(Inputs, ANetworkWhoseExtentsDoNotTellHasItsImagesAsItTurnsThem) {
  std::vector<unsigned char> pixels;
  std::vector<float> last, first;
  for (int i = 0; i < 27; ++i) pixels.push_back(static_cast<unsigned char>(9 * i));
  last.assign(pixels.begin(), pixels.end());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 9; ++i) first.push_back(last[3 * i + c]);
  const File png = png_file(3, 3, pixels);
  write_file(path("nine.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
  expect_same(module("Abs", {1, 3, 3, 3}), path("nine.png"), array({1, 3, 3, 3}, first));
  expect_same(compiled(turned_quantised(3)), path("nine.png"), array({1, 3, 3, 3}, last));
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 3, 3, 3});
  m.output("y");
  OnnxModel::ints(m.node("Transpose", {"x"}, "t"), "perm", {0, 3, 1, 2});
  m.constant("w", onnx::TensorProto::FLOAT, {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6});
  m.node("Conv", {"t", "w"}, "y");
  expect_same(compiled(m), path("nine.png"), array({1, 3, 3, 3}, last));
}

/// JSON said null for all of them.
TEST_F(Inputs, JsonNamesNumbersThatItHasNot) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string log = module("Log", {1, 4}), file = array({1, 4}, {infinity, 0, -1, 1});
  const auto outputs = json("run " + log + " --input " + file)["outputs"][0]["values"];
  EXPECT_EQ(outputs, (nlohmann::json{"Infinity", "-Infinity", "NaN", 0.0}));
  write_file(path("golden.csv"), "in,Infinity,-Infinity,NaN,0\n");
  EXPECT_EQ(json("eval " + log + " --inputs " + file + " --golden " + path("golden.csv"))["golden_exact"], 1);
}

TEST_F(Inputs, OneLabelForABatchIsRefused) {
  const std::string abs = module("Abs", {2, 3}), file = array({2, 3}, {1, 2, 3, 4, 5, 6});
  write_file(path("labels.csv"), "in,1\n");
  expect_error("eval " + abs + " --inputs " + file + " --labels " + path("labels.csv"),
               {"labels.csv: has one label for an input", "is a batch of 2"});
}

TEST_F(Inputs, ALabelsQuotesHoldTheCommasOfItsFilesName) {
  std::filesystem::create_directories(path("in"));
  const std::string abs = module("Abs", {1, 2});
  for (const char* name : {"in/b,c.npy", "in/\xc3\xa4.npy", "in/.DS_Store"}) {
    std::filesystem::remove(path(name));
    std::filesystem::copy_file(array({1, 2}, {1, 2}), path(name));
  }
  write_file(path("labels.csv"), "\xef\xbb\xbf\xc3\xa4,0\n\"b,c\",1\n");
  const auto result = json("eval " + abs + " --inputs " + path("in") + " --labels " + path("labels.csv"));
  EXPECT_EQ(result["count"], 2);
  EXPECT_EQ(result["correct"], 1);
}

/// A graph with a mark was "no ONNX model".
TEST_F(Inputs, AByteOrderMarkBeginsTexts) {
  const std::string mark = "\xef\xbb\xbf";
  write_file(path("g.graph"), mark + "graph \"q\"\ninput %x \"x\": float32[1, 4]\noutput %x\n");
  write_file(path("f.loop"), mark + "func f(out x: f32[4]) { for i in 0..4 { x[i] = 1f32 } }\n");
  ok("opt " + path("g.graph"));
  ok("opt " + path("f.loop"));
  ok("explain " + compile(path("g.graph")));
  write_file(path("g.graph"), std::string("\xff\xfeg\0r\0", 6));
  expect_error("compile " + path("g.graph") + " -o " + path("x.vdla"),
               {"is UTF-16 text", "save it as UTF-8"});
}

}  // namespace
}  // namespace vdla::tools
