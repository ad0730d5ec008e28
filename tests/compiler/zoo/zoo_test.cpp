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

TEST(Zoo, UnknownNetworkListsTheKnown) {
  EXPECT_THAT(
      [] { make_onnx("resnet19", 1, Form::Qdq); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("no network 'resnet19'"),
                                     HasSubstr("mobilenet_v1, mobilenet_v2, resnet18, resnet50, resnet8"))));
}

TEST(Zoo, BothFormsAreValidOnnx) {
  for (const char* name : {"resnet8", "mobilenet_v1", "mobilenet_v2"})
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
}

TEST(Zoo, SeedsGiveDifferentWeights) {
  EXPECT_EQ(make_onnx("resnet8", 7, Form::Qdq), make_onnx("resnet8", 7, Form::Qdq));
  EXPECT_NE(make_onnx("resnet8", 7, Form::Qdq), make_onnx("resnet8", 8, Form::Qdq));
}

}  // namespace
}  // namespace vdla::zoo
