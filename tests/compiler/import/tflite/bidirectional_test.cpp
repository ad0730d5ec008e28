// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of both directions by numbers that a reader can follow: also those that TensorFlow
// Lite 2.9 computes otherwise than it says, and which random_tflite does not draw. Files that are refused.
#include <gmock/gmock.h>

#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::Activation;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::Ints;
using tflite::stored_reals;
using tflite::TensorType;

using Floats = std::vector<float>;

FileTensor state_of_one() {
  FileTensor t = stored_reals({1, 1});
  t.variable = true;
  return t;
}

/// A layer of one unit each way over three steps of one element. Forward, a step is the state plus the data;
/// backward, twice the state plus the data.
struct Both {
  bool merged = false;
  FileTensor beside = stored_reals({1, 3, 1});
  Ints beside_inputs = {-1, -1, -1};  ///< inputs 9, 10 and 11 of the operator

  graph::Graph import() const {
    const auto unit = [](float w) { return stored_reals({1, 1}, {w}); };
    const FileTensor bias = stored_reals({1}, {0});
    std::vector<FileTensor> tensors = {stored_reals({1, 3, 1}), unit(1), unit(1),  bias,
                                       state_of_one(),          unit(1), unit(2),  bias,
                                       state_of_one(),          beside,  unit(10), unit(100)};
    Ints inputs = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    inputs.insert(inputs.end(), beside_inputs.begin(), beside_inputs.end());
    tensors.push_back(stored_reals({1, 3, merged ? 2 : 1}));
    if (!merged) tensors.push_back(stored_reals({1, 3, 1}));
    if (beside_inputs[0] < 0) tensors[9].inner = true;
    File file;
    file.build(46, BuiltinOptions::BidirectionalRnnOptions,
               tflite::CreateBidirectionalRnnOptions(file.builder(), false, Activation::NONE, merged),
               tensors, inputs, merged ? 1 : 2);
    return import_tflite(file.bytes(), "built.tflite");
  }

  Floats run(const std::vector<Floats>& inputs, std::size_t output) const {
    std::vector<graph::Bytes> bytes;
    for (const Floats& x : inputs) bytes.push_back(*graph::to_bytes(x));
    const graph::Bytes out = pipeline::Reference(import()).run(bytes).at(output);
    Floats result(out.size() / 4);
    std::memcpy(result.data(), out.data(), out.size());
    return result;
  }
};

TEST(Bidirectional, TheSecondDirectionBeginsAtTheEnd) {
  const Both both;
  EXPECT_THAT(both.run({{1, 2, 3}}, 0), ElementsAre(1, 3, 6));
  EXPECT_THAT(both.run({{1, 2, 3}}, 1), ElementsAre(1 + 2 * 8, 2 + 2 * 3, 3));
}

TEST(Bidirectional, BothOutputsMayBeOne) {
  EXPECT_THAT(Both{.merged = true}.run({{1, 2, 3}}, 0), ElementsAre(1, 17, 3, 8, 6, 3));
}

// TensorFlow Lite 2.9 does not read the data of the second direction where steps are not first.
TEST(Bidirectional, TheSecondDirectionMayHaveDataOfItsOwn) {
  const Both both{.beside_inputs = {9, -1, -1}};
  EXPECT_THAT(both.run({{1, 2, 3}, {3, 2, 1}}, 0), ElementsAre(1, 3, 6));
  EXPECT_THAT(both.run({{1, 2, 3}, {3, 2, 1}}, 1), ElementsAre(3 + 2 * 4, 2 + 2 * 1, 1));
}

TEST(Bidirectional, DataBesideHaveWeightsOfTheirOwn) {
  const Both both{.beside_inputs = {9, 10, 11}};
  EXPECT_THAT(both.run({{1, 2, 3}, {1, 0, 0}}, 0), ElementsAre(11, 13, 16));
  EXPECT_THAT(both.run({{1, 2, 3}, {1, 0, 0}}, 1), ElementsAre(117, 8, 3));
}

TEST(Bidirectional, DataBesideOfOtherStepsAreRefused) {
  const Both both{.beside = stored_reals({1, 2, 1}), .beside_inputs = {9, 10, 11}};
  EXPECT_THAT([&] { both.import(); },
              ThrowsMessage<UserError>(HasSubstr("has data (input 9) of 2x1x1 beside 3x1x1, needs as many")));
}

TEST(LstmStep, OneMatrixForAllGatesIsRefused) {
  File file;
  const auto options =
      tflite::CreateLstmOptions(file.builder(), Activation::TANH, 0, 0, tflite::LstmKernel::BASIC);
  EXPECT_THAT(
      [&] {
        file.import(16, BuiltinOptions::LstmOptions, options, {stored_reals({1, 2}), stored_reals({1, 2})},
                    {0});
      },
      ThrowsMessage<UserError>(
          HasSubstr("has one matrix of weights for all gates (kernel BASIC), needs the kernel FULL")));
}

}  // namespace
}  // namespace vdla::import
