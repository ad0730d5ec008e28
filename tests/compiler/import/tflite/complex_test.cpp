// SPDX-License-Identifier: Apache-2.0
// Complex tensors of TFLite files: what makes them, what reads them, and what does not.
#include <gmock/gmock.h>

#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::TensorType;

using Floats = std::vector<float>;

constexpr int kRfft2d = 131, kImag = 133, kReal = 134, kComplexAbs = 135;

std::vector<std::uint8_t> bytes_of(const std::vector<std::int32_t>& values) {
  std::vector<std::uint8_t> result(values.size() * 4);
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

/// A row of four through RFFT2D, and `code` after it.
graph::Graph import_transform(int code, std::vector<std::int32_t> lengths = {1, 4},
                              std::vector<std::int32_t> stated = {1, 3}) {
  File file;
  FileTensor between{stated, TensorType::COMPLEX64, {}, 0};
  between.inner = true;
  file.before.push_back({kRfft2d, BuiltinOptions::NONE, {}, {0, 1}, {2}});
  return file.import(code, BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                     {{{1, 4}, TensorType::FLOAT32, {}, 0},
                      {{static_cast<std::int32_t>(lengths.size())}, TensorType::INT32, bytes_of(lengths), 0},
                      between,
                      {stated, TensorType::FLOAT32, {}, 0}},
                     {2});
}

Floats run(int code) {
  const graph::Bytes out =
      pipeline::Reference(import_transform(code)).run({*graph::to_bytes(Floats{1, 2, 3, 5})}).at(0);
  Floats result(out.size() / 4);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

// The transform of 1, 2, 3, 5 is 11, -2 + 3i, -3.
TEST(TfliteComplex, ATransformHasTheFrequenciesUpToTheHalf) {
  EXPECT_THAT(run(kReal), Pointwise(FloatNear(1e-5F), Floats{11, -2, -3}));
  EXPECT_THAT(run(kImag), Pointwise(FloatNear(1e-5F), Floats{0, 3, 0}));
  EXPECT_THAT(run(kComplexAbs), Pointwise(FloatNear(1e-5F), Floats{11, 3.6055513F, 3}));
}

TEST(TfliteComplex, RefusalsNameWhatIsNeeded) {
  const auto refused = [](int code, std::vector<std::int32_t> lengths, const std::string& sentence,
                          std::vector<std::int32_t> stated = {1, 3}) {
    EXPECT_THAT([&] { import_transform(code, lengths, stated); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("rfft2d_0"), HasSubstr(sentence))));
  };
  refused(kReal, {1, 0}, "transforms 0 elements, needs 1 to 8192");
  refused(kReal, {1 << 30, 4}, "transforms 1073741824 elements, needs 1 to 8192");
  refused(kReal, {4}, "has 1 lengths, needs 2");
  refused(kReal, {1, 8},
          "makes complex numbers of 1x5x2 with their components, the file states COMPLEX64 1x3");
}

TEST(TfliteComplex, OperatorsOfRealNumbersDoNotReadIt) {
  constexpr int kAbs = 101;
  EXPECT_THAT([] { import_transform(kAbs); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("tensor 't' is complex"), HasSubstr("COMPLEX_ABS"))));
  File file;
  EXPECT_THAT(
      [&] {
        file.import(kComplexAbs, BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                    {{{1, 4}, TensorType::FLOAT32, {}, 0}, {{1, 4}, TensorType::FLOAT32, {}, 0}}, {0});
      },
      ThrowsMessage<UserError>(HasSubstr("has input 0 that is not complex, needs what RFFT2D makes")));
}

}  // namespace
}  // namespace vdla::import
