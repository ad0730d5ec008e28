// SPDX-License-Identifier: Apache-2.0
// Constants of which a file has the elements that are not zero.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileSparsity;
using tflite::FileTensor;
using tflite::SparseIndexVector;
using tflite::stored_reals;
using tflite::TensorType;

using Floats = std::vector<float>;

/// A 2x4 matrix of which the file has the blocks of 2 columns at (0, 1) and (1, 0).
FileTensor blocks() {
  FileTensor t = stored_reals({2, 4}, {1, 2, 3, 4});
  t.sparsity = FileSparsity{
      .order = {0, 1, 2},
      .blocked = {1},
      .levels = {{.size = 2}, {.compressed = true, .segments = {0, 1, 2}, .indices = {1, 0}}, {.size = 2}}};
  return t;
}

/// The graph of an input plus what DENSIFY makes of the tensor.
graph::Graph densified(const FileTensor& t) {
  File file;
  file.before.push_back({124, BuiltinOptions::NONE, 0, {1}, {2}});
  FileTensor inner = stored_reals(t.shape);
  inner.inner = true;
  const FileTensor x = stored_reals(t.shape);
  return file.import(0, BuiltinOptions::AddOptions, tflite::CreateAddOptions(file.builder()),
                     {x, t, inner, x}, {0, 2});
}

Floats constant_of(const FileTensor& t) {
  const graph::Graph g = densified(t);
  for (const graph::Tensor& tensor : g.tensors)
    if (tensor.constant()) {
      Floats result(tensor.data->size() / 4);
      std::memcpy(result.data(), tensor.data->data(), tensor.data->size());
      return result;
    }
  return {};
}

TEST(TfliteSparsity, ElementsOfBlocksStandWhereTheFileSays) {
  FileTensor t = blocks();
  for (const auto kind :
       {SparseIndexVector::Int32Vector, SparseIndexVector::Uint16Vector, SparseIndexVector::Uint8Vector}) {
    t.sparsity->levels[1].kind = kind;
    EXPECT_THAT(constant_of(t), ElementsAre(0, 0, 1, 2, 3, 4, 0, 0));
  }
}

// Columns first: blocks 1 (of row 0) and 0 (of row 1) of the columns come in that order.
TEST(TfliteSparsity, DimensionsComeInAnyOrder) {
  FileTensor t = stored_reals({2, 4}, {3, 4, 1, 2});
  t.sparsity = FileSparsity{
      .order = {1, 0, 2},
      .blocked = {1},
      .levels = {{.size = 2}, {.compressed = true, .segments = {0, 1, 2}, .indices = {1, 0}}, {.size = 2}}};
  EXPECT_THAT(constant_of(t), ElementsAre(0, 0, 1, 2, 3, 4, 0, 0));
}

TEST(TfliteSparsity, NoElementIsZerosAlone) {
  FileTensor t = stored_reals({2});
  t.sparsity = FileSparsity{
      .order = {0}, .blocked = {}, .levels = {{.compressed = true, .segments = {0, 0}, .indices = {}}}};
  t.offset = 1;  // makes it a constant without bytes
  EXPECT_THAT(constant_of(t), ElementsAre(0, 0));
}

TEST(TfliteSparsity, DamagedOnesAreRefused) {
  const auto expect = [](const std::function<void(FileTensor&)>& damage, const std::string& words) {
    FileTensor t = blocks();
    damage(t);
    EXPECT_THAT([&] { densified(t); }, ThrowsMessage<UserError>(HasSubstr(words)));
  };
  const auto level = [](FileTensor& t, std::size_t i) -> FileSparsity::Level& {
    return t.sparsity->levels[i];
  };
  expect([](FileTensor& t) { t.sparsity->order.pop_back(); },
         "has an order of 2 dimensions and 3 descriptions");
  expect([](FileTensor& t) { t.sparsity->levels.pop_back(); },
         "has an order of 3 dimensions and 2 descriptions");
  expect([](FileTensor& t) { t.sparsity->order = {0, 1, 1}; }, "names dimension 1 in its order");
  expect([](FileTensor& t) { t.sparsity->order = {0, 1, 7}; }, "names dimension 7 in its order");
  expect([](FileTensor& t) { t.sparsity->blocked = {2}; }, "has blocks of dimension 2 of 2");
  expect([&](FileTensor& t) { level(t, 2).size = 0; }, "has blocks of 0 along 4 elements");
  expect([&](FileTensor& t) { level(t, 2).size = 3; }, "has blocks of 3 along 4 elements");
  expect([&](FileTensor& t) { level(t, 2).compressed = true; }, "has blocks that are sparse themselves");
  expect([&](FileTensor& t) { level(t, 0).size = 1 << 30; },
         "has 1073741824 indices of dimension 0, needs 2");
  expect([&](FileTensor& t) { level(t, 0).format = 5; }, "has a dimension of format 5");
  expect([&](FileTensor& t) { level(t, 1).segments = {0, 2}; }, "has 2 segments of 2 indices");
  expect([&](FileTensor& t) { level(t, 1).segments = {0, 3, 2}; }, "has 3 segments of 2 indices");
  expect([&](FileTensor& t) { level(t, 1).segments = {-1, 1, 2}; }, "has 3 segments of 2 indices");
  expect([&](FileTensor& t) { level(t, 1).segments = {0, 1, 9}; }, "has 3 segments of 2 indices");
  expect([&](FileTensor& t) { level(t, 1).indices = {2, 0}; },
         "has index 2 after -1 in dimension 1 of its order");
  expect([&](FileTensor& t) { level(t, 1).indices = {-3, 0}; }, "has index -3 after -1");
  expect([&](FileTensor& t) { level(t, 1) = {.compressed = true, .segments = {0, 2, 2}, .indices = {1, 1}}; },
         "has index 1 after 1");
  expect([](FileTensor& t) { t.data.pop_back(); }, "has 15 bytes of data, needs 4 elements of 4");
  expect([](FileTensor& t) { t.shape = {1 << 14, 1 << 14}; }, "has 268435456 elements, needs at most");
  expect([](FileTensor& t) { t.type = TensorType::INT4; }, "needs elements of whole bytes");
}

}  // namespace
}  // namespace vdla::import
