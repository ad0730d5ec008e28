// SPDX-License-Identifier: Apache-2.0
// Files that are refused of operators that write at places, choose boxes, round and convolve volumes. What
// they compute is held to TensorFlow Lite by random_tflite.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::Ints;
using tflite::stored;
using tflite::stored_reals;
using tflite::TensorType;

FileTensor whole(const Ints& shape, const Ints& values = {}) {
  return stored(TensorType::INT32, shape, values);
}
/// The only output has the shape of the first input.
void expect_refused_file(
    int code, const std::vector<FileTensor>& inputs, const std::string& words,
    BuiltinOptions kind = BuiltinOptions::NONE,
    const std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)>& options = {}) {
  File file;
  std::vector<FileTensor> tensors = inputs;
  tensors.push_back(stored_reals(inputs[0].shape));
  Ints places;
  for (std::size_t i = 0; i < inputs.size(); ++i) places.push_back(static_cast<int>(i));
  const auto made = options ? options(file.builder()) : flatbuffers::Offset<void>();
  EXPECT_THAT([&] { file.import(code, kind, made, tensors, places); },
              ThrowsMessage<UserError>(HasSubstr(words)));
}

TEST(TfliteScatter, PlacesOutsideAreRefused) {
  constexpr int kScatterNd = 122, kSparseToDense = 68;
  expect_refused_file(kScatterNd, {whole({1, 1}, {4}), stored_reals({1}), whole({1}, {4})},
                      "has index 4 into an extent of 4");
  expect_refused_file(kScatterNd, {whole({1, 1}, {-1}), stored_reals({1}), whole({1}, {4})},
                      "has index -1 into");
  expect_refused_file(kScatterNd, {whole({1, 2}, {0, 0}), stored_reals({1}), whole({1}, {4})},
                      "has rows of 2 indices into 4");
  expect_refused_file(kScatterNd, {whole({1, 1}, {0}), stored_reals({2}), whole({1}, {4})},
                      "has updates of float32 2");
  expect_refused_file(kScatterNd, {whole({1, 1}, {0}), stored_reals({1}), whole({2}, {1 << 20, 1 << 20})},
                      "elements");
  expect_refused_file(kScatterNd, {whole({1, 1}, {0}), stored_reals({1}), whole({1}, {0})},
                      "needs extents above 0");
  expect_refused_file(kScatterNd, {whole({1, 1}, {0}), stored_reals({1}), whole({1})},
                      "needs its shape (input 2) to be known");
  expect_refused_file(kSparseToDense,
                      {whole({1, 2}, {0, 0}), whole({1}, {4}), stored_reals({1}), stored_reals({}, {0})},
                      "has rows of 2 indices for 1 dimensions");
  expect_refused_file(kSparseToDense,
                      {whole({1}, {9}), whole({1}, {4}), stored_reals({1}), stored_reals({}, {0})},
                      "has index 9 into an extent of 4");
}

TEST(TfliteScatter, SegmentsThatDoNotAscendAreRefused) {
  constexpr int kSegmentSum = 125;
  expect_refused_file(kSegmentSum, {stored_reals({2}), whole({2}, {1, 0})},
                      "has segments that do not ascend");
  expect_refused_file(kSegmentSum, {stored_reals({2}), whole({2}, {-1, 0})},
                      "has segments that do not ascend");
  expect_refused_file(kSegmentSum, {stored_reals({2}), whole({1}, {0})}, "has 1 segments of 2 rows");
  expect_refused_file(kSegmentSum, {stored_reals({2}), whole({2})},
                      "needs its segments (input 1) to be known");
  expect_refused_file(kSegmentSum, {stored_reals({1}), whole({1}, {INT32_MAX})}, "elements");
}

TEST(TfliteScatter, DiagonalsAndLengthsThatDoNotFitAreRefused) {
  constexpr int kMatrixSetDiag = 115, kReverseSequence = 112;
  expect_refused_file(kMatrixSetDiag, {stored_reals({2, 3}), stored_reals({3})},
                      "has a diagonal of 3 for 2x3, needs 2");
  const auto options = [](auto& b) { return tflite::CreateReverseSequenceOptions(b, 0, 1).Union(); };
  expect_refused_file(kReverseSequence, {stored_reals({2, 3}), whole({2}, {1, 1})},
                      "has lengths of 2 for dimension 1 of 2x3", BuiltinOptions::ReverseSequenceOptions,
                      options);
  const auto equal = [](auto& b) { return tflite::CreateReverseSequenceOptions(b, 1, 1).Union(); };
  expect_refused_file(kReverseSequence, {stored_reals({2, 3}), whole({3}, {1, 1, 1})}, "has lengths of 3",
                      BuiltinOptions::ReverseSequenceOptions, equal);
}

TEST(TfliteSuppression, WhatIsNotKnownIsRefused) {
  constexpr int kV4 = 120, kV5 = 121;
  const FileTensor boxes = stored_reals({2, 4}), scores = stored_reals({2}), most = whole({}, {2}),
                   half = stored_reals({}, {0.5F});
  expect_refused_file(kV4, {boxes, scores, whole({}), half, half},
                      "needs its number of boxes (input 2) to be known");
  expect_refused_file(kV4, {boxes, scores, most, stored_reals({}), half},
                      "needs its overlap (input 3) to be one float32");
  expect_refused_file(kV4, {boxes, scores, whole({}, {501}), half, half}, "chooses up to 501 boxes");
  expect_refused_file(kV4, {stored_reals({2, 3}), scores, most, half, half}, "has boxes of 2x3");
  expect_refused_file(kV5, {boxes, scores, most, half, half, half},
                      "lowers the scores of boxes that overlap (sigma 0.5)");
}

TEST(TfliteRanges, ThatDoNotAscendAreRefused) {
  constexpr int kFakeQuant = 80, kBucketize = 147;
  const auto fake = [](float low, float high, int bits) {
    return [=](auto& b) { return tflite::CreateFakeQuantOptions(b, low, high, bits).Union(); };
  };
  const auto kind = BuiltinOptions::FakeQuantOptions;
  expect_refused_file(kFakeQuant, {stored_reals({2})}, "has 1 bits, needs 2 to 16", kind, fake(0, 1, 1));
  expect_refused_file(kFakeQuant, {stored_reals({2})}, "has the range 1 to 1", kind, fake(1, 1, 8));
  const auto buckets = [](auto& b) {
    const std::vector<float> boundaries{1, 0};
    return tflite::CreateBucketizeOptionsDirect(b, &boundaries).Union();
  };
  expect_refused_file(kBucketize, {stored_reals({2})}, "has boundaries that do not ascend",
                      BuiltinOptions::BucketizeOptions, buckets);
}

TEST(TfliteVolumes, WindowsThatDoNotFitAreRefused) {
  constexpr int kConv3d = 132, kConv3dTranspose = 141;
  const auto options = [](int stride) {
    return
        [=](auto& b) { return tflite::CreateConv3dOptions(b, tflite::Padding::SAME, stride, 1, 1).Union(); };
  };
  const auto kind = BuiltinOptions::Conv3dOptions;
  const FileTensor x = stored_reals({1, 2, 2, 2, 3});
  expect_refused_file(kConv3d, {x, stored_reals({1, 1, 1, 2, 1})}, "has 3 channels and weights of", kind,
                      options(1));
  expect_refused_file(kConv3d, {x, stored_reals({1, 1, 1, 3, 1})}, "has a stride, dilation or window of 0",
                      kind, options(0));
  expect_refused_file(kConv3d, {stored_reals({1, 2, 2, 3}), stored_reals({1, 1, 1, 3, 1})},
                      "needs one type and N D H W C", kind, options(1));
  expect_refused_file(kConv3dTranspose, {whole({5}, {1, 2, 2, 2, 7}), stored_reals({1, 1, 1, 1, 3}), x},
                      "has an output of 1x2x2x2x7", kind, options(1));
  expect_refused_file(kConv3dTranspose, {whole({5}, {1, 0, 2, 2, 1}), stored_reals({1, 1, 1, 1, 3}), x},
                      "has an output of 1x0x2x2x1", kind, options(1));
}

}  // namespace
}  // namespace vdla::import
