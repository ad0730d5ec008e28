// SPDX-License-Identifier: Apache-2.0
// TFLite files to graphs: real networks, and every kind of damage.
#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "compiler/graph/text/text.h"
#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const char* const kResnet = "mlperf_tiny/models/pretrainedResnet_quant.tflite";

int count(const graph::Graph& g, std::string_view op) {
  int n = 0;
  for (const graph::Node& node : g.nodes) n += name_of(node.op) == op;
  return n;
}

TEST(Tflite, Resnet8HasItsLayers) {
  VDLA_NEED_DATA();
  const graph::Graph g = import_model(testing::data_folder() / kResnet);
  EXPECT_EQ(count(g, "conv2d"), 9);
  EXPECT_EQ(count(g, "add"), 3);
  EXPECT_EQ(count(g, "avg_pool2d"), 1);
  EXPECT_EQ(count(g, "fully_connected"), 1);
  EXPECT_EQ(count(g, "softmax"), 1);
  std::int64_t total = 0;
  for (const graph::Node& node : g.nodes) total += macs(g, node);
  EXPECT_EQ(total, 12'501'632);
  EXPECT_EQ(g.tensor(g.inputs.at(0).tensor).shape, (graph::Shape{1, 32, 32, 3}));
  const std::string text = graph::print(g);
  EXPECT_THAT(text, HasSubstr("\"conv_2d_0\""));
  EXPECT_THAT(text, HasSubstr("pads = [1, 1, 1, 1]"));
}

TEST(Tflite, EveryInt8NetworkOfTheDataImports) {
  VDLA_NEED_DATA();
  for (const char* file :
       {"mlperf_tiny/models/vww_96_int8.tflite", "mlperf_tiny/models/kws_ref_model.tflite",
        "mlperf_tiny/models/ad01_int8.tflite", "small_models/person_detect/person_detect.tflite",
        "imagenet/models/mobilenet_v2_1.0_224_quant.tflite",
        "imagenet/models/mobilenet_v1_0.25_224_quant.tflite",
        "small_models/micro_kws_m/micro_kws_m_quantized.tflite"})
    EXPECT_NO_THROW(import_model(testing::data_folder() / file)) << file;
}

TEST(Tflite, Uint8ModelsKeepTheirPortType) {
  VDLA_NEED_DATA();
  const graph::Graph g =
      import_model(testing::data_folder() / "imagenet/models/mobilenet_v1_0.25_128_quant.tflite");
  EXPECT_EQ(g.inputs.at(0).model_type, graph::DataType::UInt8);
  EXPECT_EQ(g.tensor(g.inputs.at(0).tensor).type, graph::DataType::Int8);
}

// It was OPERATOR_10.
TEST(Tflite, UnknownOperatorIsNamedWithItsNode) {
  const auto import = [] {
    tflite::File file;
    const tflite::FileTensor x{{1, 2}};
    file.import(10, tflite::BuiltinOptions::NONE, flatbuffers::Offset<void>(), {x, x}, {0});
  };
  EXPECT_THAT(import,
              ThrowsMessage<UserError>(::testing::AllOf(
                  HasSubstr("built.tflite"),
                  HasSubstr("HASHTABLE_LOOKUP at node 'hashtable_lookup_0' is not known to this kit"))));
}

TEST(Tflite, EveryTruncationIsAUserError) {
  VDLA_NEED_DATA();
  const graph::Bytes whole = read_file(testing::data_folder() / kResnet);
  for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 1499) {
    const std::span<const std::byte> part(whole.data(), size);
    EXPECT_THAT([&] { import_tflite(part, "cut.tflite"); }, ThrowsMessage<UserError>(HasSubstr("cut.tflite")))
        << size;
  }
}

TEST(Tflite, FlippedBytesGiveAGraphOrAUserError) {
  VDLA_NEED_DATA();
  const graph::Bytes whole = read_file(testing::data_folder() / kResnet);
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    graph::Bytes bytes = whole;
    for (int flips = 0; flips < 4; ++flips) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    // The tables lie at the end: damage there reaches the structure, not only weights.
    for (int flips = 0; flips < 3; ++flips)
      bytes[bytes.size() - 1 - random() % 12000] = static_cast<std::byte>(random());
    try {
      verify(import_tflite(bytes, "damaged.tflite"));
    } catch (const UserError& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST(Tflite, MissingAndEmptyFilesAreNamed) {
  EXPECT_THAT([] { import_model("/nonexistent/net.tflite"); },
              ThrowsMessage<UserError>(HasSubstr("cannot read '/nonexistent/net.tflite': No such file")));
  const Temporary folder(::testing::TempDir(), Temporary::Kind::Folder, "models");
  const auto path = folder.path() / "empty.tflite";
  std::ofstream(path).close();
  EXPECT_THAT([&] { import_model(path); }, ThrowsMessage<UserError>(HasSubstr("is empty")));
}

TEST(Tflite, OtherFilesAreRefused) {
  const std::string text = "this is no model at all";
  EXPECT_THAT([&] { import_tflite(std::as_bytes(std::span(text)), "notes.tflite"); },
              ThrowsMessage<UserError>(
                  HasSubstr("TFLite model 'notes.tflite': does not begin with the identifier TFL3")));
}

// A program that does not know a shape writes none: of an image of free extents, say.
TEST(Tflite, AResultWithoutAShapeHasTheComputedOne) {
  using enum tflite::TensorType;
  const tflite::FileTensor x{.shape = {2, 3}, .type = FLOAT32, .scale = 0};
  const tflite::FileTensor inner{.type = FLOAT32, .scale = 0, .shapeless = true, .inner = true};
  const tflite::FileTensor y{.type = FLOAT32, .scale = 0, .shapeless = true};
  constexpr int kNeg = 59, kAbs = 101;
  tflite::File file;
  file.before.push_back({kNeg, {}, {}, {0}, {1}});
  const graph::Graph g = file.import(kAbs, {}, flatbuffers::Offset<flatbuffers::Table>(), {x, inner, y}, {1});
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).shape, (graph::Shape{2, 3}));
}

TEST(Tflite, AnExtentOfASizeIsRefusedBeforeItsPlacesAreListed) {
  using enum tflite::TensorType;
  const tflite::FileTensor x{.shape = {1, 2, 2, 1}}, y{.shape = {1, 1 << 25, 1, 1}};
  const tflite::FileTensor size{.shape = {2}, .type = INT32, .data = {0, 0, 0, 2, 1, 0, 0, 0}, .scale = 0};
  constexpr int kResizeBilinear = 23;
  tflite::File file;
  EXPECT_THAT(
      [&] {
        file.import(kResizeBilinear, tflite::BuiltinOptions::ResizeBilinearOptions,
                    tflite::CreateResizeBilinearOptions(file.builder()), {x, size, y}, {0, 1});
      },
      ThrowsMessage<UserError>(HasSubstr("has an extent of 33554432 in its size, needs 1 to 1048576")));
}

}  // namespace
}  // namespace vdla::import
