// SPDX-License-Identifier: Apache-2.0
// Outputs that are cut to the extents that a run found.
#include "runtime/module/run_extents.h"

#include <gmock/gmock.h>

#include <cstring>
#include <span>

#include "support/error.h"

namespace vdla::runtime {
namespace {

using ::testing::ElementsAre;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::vector<float> floats(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Outputs y of 2 x 3 floats, its extents, and z of one float.
std::vector<Port> ports(DataType type = DataType::Int64, Shape shape = {2}) {
  return {{0, "y", DataType::Float32, {2, 3}, {}},
          {1, "z", DataType::Float32, {1}, {}},
          {2, "y/extents", type, std::move(shape), {}}};
}

std::vector<Bytes> run(const std::vector<std::int64_t>& extents) {
  return {bytes_of<float>({1, 2, 3, 4, 5, 6}), bytes_of<float>({7}), bytes_of(extents)};
}

TEST(RunExtents, TheFirstElementsOfEachDimensionStay) {
  const RunOutputs cut = cut_to_extents(ports(), run({2, 2}));
  ASSERT_EQ(cut.ports.size(), 2U);
  EXPECT_EQ(cut.ports[0].model_shape, (Shape{2, 2}));
  EXPECT_THAT(floats(cut.bytes[0]), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(cut.ports[1].name, "z");
  EXPECT_THAT(floats(cut.bytes[1]), ElementsAre(7));
  EXPECT_EQ(outputs_of_runs(ports()).size(), 2U);
}

TEST(RunExtents, AnOutputMayHaveNoElement) {
  const RunOutputs cut = cut_to_extents(ports(), run({0, 3}));
  EXPECT_EQ(cut.ports[0].model_shape, (Shape{0, 3}));
  EXPECT_TRUE(cut.bytes[0].empty());
}

TEST(RunExtents, AnOutputOfThatNameAndOfAnotherFormIsOneOfTheModel) {
  for (const auto& others : {ports(DataType::Int32), ports(DataType::Int64, {3})}) {
    const RunOutputs cut = cut_to_extents(others, run({1, 1}));
    EXPECT_EQ(cut.ports.size(), 3U);
    EXPECT_EQ(cut.ports[0].model_shape, (Shape{2, 3}));
  }
}

TEST(RunExtents, ExtentsBeyondTheLargestAreRefused) {
  EXPECT_THAT([] { cut_to_extents(ports(), run({2, 4})); },
              ::testing::ThrowsMessage<UserError>(
                  ::testing::HasSubstr("output 'y' has extent 4 in dimension 1, needs 0 to 3")));
}

}  // namespace
}  // namespace vdla::runtime
