// SPDX-License-Identifier: Apache-2.0
// ONNX QDQ files to graphs: real networks, layout and clutter in small ones, and every kind of damage.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "compiler/graph/text/text.h"
#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"

namespace vdla::import {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const char* const kResnet = "mlperf_tiny/models_onnx/resnet.onnx";

int count(const graph::Graph& g, std::string_view op) {
  int n = 0;
  for (const graph::Node& node : g.nodes) n += name_of(node.op) == op;
  return n;
}

TEST(Onnx, Resnet8BecomesIntegerLayers) {
  VDLA_NEED_DATA();
  const graph::Graph g = import_model(testing::data_folder() / kResnet);
  EXPECT_EQ(count(g, "conv2d"), 9);
  EXPECT_EQ(count(g, "add"), 3);
  EXPECT_EQ(count(g, "fully_connected"), 1);
  EXPECT_EQ(count(g, "softmax_float"), 1);
  EXPECT_EQ(count(g, "transpose"), 0) << "the image's layout goes into the port";
  std::int64_t total = 0;
  for (const graph::Node& node : g.nodes) total += macs(g, node);
  EXPECT_EQ(total, 12'501'632);
  const graph::Port& in = g.inputs.at(0);
  EXPECT_EQ(in.model_type, graph::DataType::Float32);
  EXPECT_EQ(g.tensor(in.tensor).shape, (graph::Shape{1, 32, 32, 3}));
  EXPECT_TRUE(in.perm.empty()) << "the model takes NHWC already";
}

TEST(Onnx, EveryQdqNetworkOfTheDataImports) {
  VDLA_NEED_DATA();
  for (const char* file :
       {"mlperf_tiny/models_onnx/mobilenet_v1.onnx", "mlperf_tiny/models_onnx/kws_ref_model.onnx",
        "mlperf_tiny/models_onnx/deep_autoencoder.onnx",
        "small_models/micro_kws_m/micro_kws_m_static_qdq.onnx",
        "imagenet/models/mobilenet_v2_qdq_matias.onnx"})
    EXPECT_NO_THROW(import_model(testing::data_folder() / file)) << file;
}

TEST(Onnx, DigitNetworkImports) {
  const graph::Graph g = import_model(std::filesystem::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx");
  EXPECT_GT(count(g, "conv2d"), 0) << graph::print(g);
}

TEST(Onnx, FloatNetworksKeepTheirTypes) {
  VDLA_NEED_DATA();
  const graph::Graph g =
      import_model(testing::data_folder() / "mlperf_tiny/models_onnx/pretrainedResnet_float.onnx");
  for (const graph::Node& n : g.nodes) EXPECT_EQ(g.tensor(n.output).type, graph::DataType::Float32) << n.name;
  EXPECT_EQ(std::count_if(g.nodes.begin(), g.nodes.end(),
                          [](const graph::Node& n) { return std::holds_alternative<graph::Convolve>(n.op); }),
            9);
}

TEST(Onnx, EveryTruncationIsAUserError) {
  VDLA_NEED_DATA();
  const graph::Bytes whole = read_file(testing::data_folder() / kResnet);
  for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 1499) {
    const std::span<const std::byte> part(whole.data(), size);
    EXPECT_THAT([&] { import_onnx(part, "cut.onnx"); },
                ThrowsMessage<UserError>(HasSubstr("ONNX model 'cut.onnx': ")))
        << size;
  }
}

TEST(Onnx, FlippedBytesGiveAGraphOrAUserError) {
  VDLA_NEED_DATA();
  const graph::Bytes whole = read_file(testing::data_folder() / kResnet);
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    graph::Bytes bytes = whole;
    for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      verify(import_onnx(bytes, "damaged.onnx"));
    } catch (const UserError& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

}  // namespace
}  // namespace vdla::import
