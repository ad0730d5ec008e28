// SPDX-License-Identifier: Apache-2.0
// The networks of the zoo as files: valid ONNX, the shapes that they are known for, reproducible.
#include "compiler/zoo/zoo.h"

#include <gmock/gmock.h>
#include <cstring>

#include "support/error.h"
#include "tests/compiler/zoo/model_file.h"

namespace vdla::zoo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
std::vector<T> elements(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& t : model.graph().initializer()) {
    if (t.name() != name) continue;
    std::vector<T> result(t.raw_data().size() / sizeof(T));
    std::memcpy(result.data(), t.raw_data().data(), t.raw_data().size());
    return result;
  }
  ADD_FAILURE() << "no initialiser " << name;
  return {};
}

TEST(Zoo, NetworksHaveTheirKnownSizes) {
  EXPECT_EQ(entry("resnet18").macs, 1'814'073'344);
  EXPECT_EQ(entry("resnet18").parameters, 11'684'712) << "11,689,512 less the batch norms' own";
  EXPECT_EQ(entry("resnet8").macs, 12'501'632);
  EXPECT_EQ(entry("mobilenet_v1").macs, 7'489'664);
  EXPECT_EQ(entry("mobilenet_v2").macs, 300'774'272);
  EXPECT_EQ(entry("mobilenet_v2").parameters, 3'487'816) << "3,504,872 less the batch norms' own";
  EXPECT_EQ(entry("resnet50").macs, 4'089'184'256);
  EXPECT_EQ(entry("resnet50").parameters, 25'530'472) << "25,557,032 less the batch norms' own";
}

TEST(Zoo, TransformersHaveTheirKnownSizes) {
  EXPECT_EQ(entry("deit_tiny").parameters, 5'717'416);
  EXPECT_EQ(entry("deit_tiny").macs, 1'253'683'200);
  EXPECT_EQ(entry("bert_tiny").parameters, 4'336'770)
      << "4,386,178 less 384 rows of positions and 2 of types of tokens";
  EXPECT_EQ(entry("bert_tiny").macs, 58'736'896);
  EXPECT_EQ(entry("decoder_step").macs, 4 * (4 * 256 * 256 + 2 * 256 * 1024 + 2 * 128 * 256) + 256 * 1000);
}

TEST(Zoo, UnknownNetworkListsTheKnown) {
  EXPECT_THAT([] { make_onnx("resnet19", 1, Form::Qdq); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("no network 'resnet19'"),
                        HasSubstr("bert_tiny, decoder_step, deit_tiny, mobilenet_v1, mobilenet_v2, "
                                  "resnet18, resnet50, resnet8"))));
}

TEST(Zoo, BothFormsAreValidOnnx) {
  for (const char* name :
       {"resnet8", "mobilenet_v1", "mobilenet_v2", "bert_tiny", "decoder_step", "deit_tiny"})
    for (Form form : {Form::Qdq, Form::Float}) testing::expect_valid(make_onnx(name, 1, form));
}

TEST(Zoo, SmallNetworksBecomeIntegerLayers) {
  auto ops = testing::operators(testing::imported(make_onnx("resnet8", 1, Form::Qdq)));
  EXPECT_EQ(ops["conv2d"], 9);
  EXPECT_EQ(ops["add"], 3);
  ops = testing::operators(testing::imported(make_onnx("mobilenet_v1", 1, Form::Qdq)));
  EXPECT_EQ(ops["conv2d"], 14);
  EXPECT_EQ(ops["depthwise_conv2d"], 13);
}

TEST(Zoo, ProductsOfTransformersBecomeIntegerLayers) {
  const auto ops = [](const char* name) {
    return testing::operators(testing::imported(make_onnx(name, 1, Form::Qdq)));
  };
  EXPECT_EQ(ops("deit_tiny")["batch_matmul"], 24);
  EXPECT_EQ(ops("deit_tiny")["fully_connected"], 12 * 6 + 1);
  EXPECT_EQ(ops("deit_tiny")["lut"], 12) << "each Gelu is one table";
  EXPECT_EQ(ops("bert_tiny")["batch_matmul"], 4);
  EXPECT_EQ(ops("bert_tiny")["fully_connected"], 2 * 6 + 2);
  EXPECT_EQ(ops("decoder_step")["batch_matmul"], 8);
  EXPECT_EQ(ops("decoder_step")["fully_connected"], 4 * 6 + 1);
}

// Tensors of the next step have places and scales of those of this one.
TEST(Zoo, CachesOfAStepAreThoseOfTheNext) {
  const graph::Graph g = testing::imported(make_onnx("decoder_step", 1, Form::Qdq));
  ASSERT_EQ(g.inputs.size(), 9u);
  ASSERT_EQ(g.outputs.size(), 9u);
  for (std::size_t i = 1; i < g.inputs.size(); ++i) {
    EXPECT_EQ(g.inputs[i].model_shape, g.outputs[i].model_shape);
    EXPECT_EQ(g.tensor(g.inputs[i].tensor).quantization.scale,
              g.tensor(g.outputs[i].tensor).quantization.scale)
        << i;
  }
}

TEST(Zoo, FloatFormIsTheSameNetwork) {
  const onnx::ModelProto real = testing::parsed(make_onnx("resnet8", 1, Form::Float));
  const onnx::ModelProto quantised = testing::parsed(make_onnx("resnet8", 1, Form::Qdq));
  for (const std::string layer : {"conv", "block2_downsample", "fc"}) {
    const auto scales = elements<float>(quantised, layer + "_weights_scale");
    const auto whole = elements<std::int8_t>(quantised, layer + "_weights_quantized");
    const auto weights = elements<float>(real, layer + "_weights");
    ASSERT_EQ(weights.size(), whole.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_EQ(weights[i], static_cast<float>(whole[i]) * scales[i / (weights.size() / scales.size())]);
    const auto steps = elements<float>(quantised, layer + "_bias_scale");
    const auto whole_bias = elements<std::int32_t>(quantised, layer + "_bias_quantized");
    const auto bias = elements<float>(real, layer + "_bias");
    for (std::size_t i = 0; i < bias.size(); ++i)
      EXPECT_EQ(bias[i], static_cast<float>(whole_bias[i]) * steps[i]);
  }
}

/// A change of these values changes every file that the zoo has given: say so in the changelog.
TEST(Zoo, BytesAreTheSameOnEveryMachine) {
  EXPECT_EQ(testing::digest(make_onnx("resnet8", 1, Form::Qdq)), 4447964195198357099u);
  EXPECT_EQ(testing::digest(make_onnx("mobilenet_v1", 1, Form::Qdq)), 675732149948717909u);
  EXPECT_EQ(testing::digest(make_onnx("decoder_step", 1, Form::Qdq)), 169447392169058814u);
  EXPECT_EQ(testing::digest(make_onnx("deit_tiny", 1, Form::Qdq)), 18092532374470734597u);
}

TEST(Zoo, SeedsGiveDifferentWeights) {
  EXPECT_EQ(make_onnx("resnet8", 7, Form::Qdq), make_onnx("resnet8", 7, Form::Qdq));
  EXPECT_NE(make_onnx("resnet8", 7, Form::Qdq), make_onnx("resnet8", 8, Form::Qdq));
}

}  // namespace
}  // namespace vdla::zoo
