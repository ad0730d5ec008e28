// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess: boxes that are chosen, and files of it that are refused.
#include <flatbuffers/flexbuffers.h>
#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <random>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;
using tflite::File;
using tflite::TensorType;

using Floats = std::vector<float>;
using Options = std::map<std::string, double>;

constexpr std::int32_t kBoxes = 3, kMost = 3;

Options options() {
  return {{"max_detections", kMost},
          {"max_classes_per_detection", 1},
          {"num_classes", 2},
          {"nms_score_threshold", 0.15},
          {"nms_iou_threshold", 0.5},
          {"y_scale", 10},
          {"x_scale", 10},
          {"h_scale", 5},
          {"w_scale", 5},
          {"detections_per_class", kMost}};
}

std::vector<std::uint8_t> packed(const Options& all) {
  flexbuffers::Builder b;
  b.Map([&] {
    for (const auto& [key, value] : all) b.Double(key.c_str(), value);
  });
  b.Finish();
  return b.GetBuffer();
}

/// Two boxes that cover most of each other, and one apart.
const Floats kAnchors = {0.5F, 0.5F, 0.4F, 0.4F, 0.5F, 0.52F, 0.4F, 0.4F, 0.2F, 0.2F, 0.2F, 0.1F};

graph::Graph import_detection(const std::vector<std::uint8_t>& options, const Floats& anchors = kAnchors,
                              std::int32_t classes = 3) {
  File file;
  file.custom = "TFLite_Detection_PostProcess";
  file.custom_options = options;
  std::vector<std::uint8_t> bytes(anchors.size() * 4);
  std::memcpy(bytes.data(), anchors.data(), bytes.size());
  const auto floats = [](tflite::Ints shape, std::vector<std::uint8_t> data = {}) {
    tflite::FileTensor t{std::move(shape), TensorType::FLOAT32, std::move(data), 0};
    t.shapeless = t.shape.empty();
    return t;
  };
  file.build(32, tflite::BuiltinOptions::NONE, flatbuffers::Offset<void>(),
             {floats({1, kBoxes, 4}), floats({1, kBoxes, classes}),
              floats({static_cast<std::int32_t>(anchors.size()) / 4, 4}, bytes), floats({}), floats({}),
              floats({}), floats({})},
             {0, 1, 2}, 4);
  return import_tflite(file.bytes(), "built.tflite");
}

/// The outputs; boxes lie at their anchors, each has scores of a background and two classes.
std::vector<Floats> detections_of(const graph::Graph& g) {
  const Floats encodings(4 * kBoxes), scores = {0.9F, 0.1F, 0.9F, 0.9F, 0.2F, 0.8F, 0.9F, 0.6F, 0.05F};
  std::vector<Floats> result;
  for (const graph::Bytes& out :
       pipeline::Reference(g).run({*graph::to_bytes(encodings), *graph::to_bytes(scores)})) {
    result.emplace_back(out.size() / 4);
    std::memcpy(result.back().data(), out.data(), out.size());
  }
  return result;
}

TEST(Detection, BoxesThatOverlapABetterOneAreLeftOut) {
  const graph::Graph g = import_detection(packed(options()));
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).shape, (graph::Shape{1, kMost, 4}));
  const auto out = detections_of(g);
  EXPECT_THAT(out.at(0), Pointwise(FloatNear(1e-6F),
                                   Floats{0.3F, 0.3F, 0.7F, 0.7F, 0.1F, 0.15F, 0.3F, 0.25F, 0, 0, 0, 0}));
  EXPECT_THAT(out.at(1), ElementsAre(1, 0, 0));
  EXPECT_THAT(out.at(2), ElementsAre(0.9F, 0.6F, 0));
  EXPECT_THAT(out.at(3), ElementsAre(2));
}

TEST(Detection, EachClassChoosesItsOwn) {
  Options o = options();
  o["use_regular_nms"] = 1;
  const auto out = detections_of(import_detection(packed(o)));
  EXPECT_THAT(out.at(1), ElementsAre(1, 0, 0));
  EXPECT_THAT(out.at(2), ElementsAre(0.9F, 0.6F, 0.2F));
  EXPECT_THAT(out.at(3), ElementsAre(3));
}

TEST(Detection, ADetectionHasSeveralClasses) {
  Options o = options();
  o["max_classes_per_detection"] = 2;
  const auto out = detections_of(import_detection(packed(o)));
  EXPECT_THAT(out.at(1), ElementsAre(1, 0, 0, 1, 0, 0));
  EXPECT_THAT(out.at(2), ElementsAre(0.9F, 0.1F, 0.6F, 0.05F, 0, 0));
}

void expect_refusal(const std::string& key, double value, const std::string& sentence) {
  Options o = options();
  o[key] = value;
  EXPECT_THAT([&] { import_detection(packed(o)); }, ThrowsMessage<UserError>(HasSubstr(sentence))) << key;
}

TEST(Detection, RefusalsNameTheOption) {
  expect_refusal("max_detections", 0, "has max_detections 0, needs a whole number of 1 to 500");
  expect_refusal("max_detections", 1000, "needs a whole number of 1 to 500");
  expect_refusal("max_classes_per_detection", 1e30, "has max_classes_per_detection");
  expect_refusal("num_classes", 1.5, "has num_classes 1.5, needs a whole number");
  expect_refusal("num_classes", 5, "has scores of 1x3x3, needs 1, 3, 5 (num_classes), or one more");
  expect_refusal("nms_iou_threshold", 0, "has nms_iou_threshold 0, needs more than 0 and at most 1");
  expect_refusal("x_scale", 0, "has x_scale 0, needs another number");
  expect_refusal("h_scale", NAN, "needs a finite number");
  Options o = options();
  o.erase("nms_score_threshold");
  EXPECT_THAT([&] { import_detection(packed(o)); },
              ThrowsMessage<UserError>(HasSubstr("lacks its option nms_score_threshold, needs a number")));
  EXPECT_THAT([&] { import_detection(packed(options()), Floats(8)); },
              ThrowsMessage<UserError>(HasSubstr("for 3 boxes, needs 3, 4")));
}

// A map of a damaged file may point anywhere.
TEST(Detection, DamagedOptionsAreRefusedOrRead) {
  EXPECT_THAT([] { import_detection({}); }, ThrowsMessage<UserError>(HasSubstr("no map of FlexBuffers")));
  const std::vector<std::uint8_t> whole = packed(options());
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_THROW(import_detection({whole.end() - static_cast<std::ptrdiff_t>(size), whole.end()}), UserError);
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t> bytes = whole;
    for (int n = 0; n < 1 + i % 3; ++n) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    try {
      import_detection(bytes);
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500u);
}

// An operator that has the name of one of TFLite's is none of them.
TEST(Detection, ACustomOperatorOfAKnownNameIsNotThatOne) {
  File file;
  file.custom = "ABS";
  EXPECT_THAT(
      [&] {
        file.import(32, tflite::BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                    {{{1}, TensorType::FLOAT32, {}, 0}, {{1}, TensorType::FLOAT32, {}, 0}}, {0});
      },
      ThrowsMessage<UserError>(HasSubstr("ABS at node 'abs_0' is not known to this kit")));
}

}  // namespace
}  // namespace vdla::import
