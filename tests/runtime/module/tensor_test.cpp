// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/tensor.h"

#include <gmock/gmock.h>

#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;

TEST(DeviceLayout, PadsTheChannels) {
  const Shape shape = {1, 2, 1, 3};
  const DeviceLayout layout = padded_layout(shape, DataType::Int8, 4);
  EXPECT_THAT(layout.strides, ElementsAre(8, 4, 4));
  EXPECT_EQ(layout.bytes, 8);
  EXPECT_EQ(find_fault(layout, shape, DataType::Int8), "");
  const Bytes host = int8s({1, 2, 3, 4, 5, 6});
  Bytes device(8, std::byte{99});
  to_device(layout, shape, DataType::Int8, host.data(), device.data());
  EXPECT_EQ(device, int8s({1, 2, 3, 0, 4, 5, 6, 0}));
  Bytes back(6);
  from_device(layout, shape, DataType::Int8, device.data(), back.data());
  EXPECT_EQ(back, host);
}

TEST(DeviceLayout, SplitsTheChannelsIntoBlocks) {
  // Two blocks of 2 channels, each block a plane of 2 positions.
  const Shape shape = {2, 3};
  const DeviceLayout layout{.strides = {2}, .block = 2, .block_stride = 4, .bytes = 8};
  EXPECT_EQ(find_fault(layout, shape, DataType::Int8), "");
  const Bytes host = int8s({1, 2, 3, 4, 5, 6});
  Bytes device(8), back(6);
  to_device(layout, shape, DataType::Int8, host.data(), device.data());
  EXPECT_EQ(device, int8s({1, 2, 4, 5, 3, 0, 6, 0}));
  from_device(layout, shape, DataType::Int8, device.data(), back.data());
  EXPECT_EQ(back, host);
}

TEST(DeviceLayout, WiderElementsAndScalars) {
  const Shape shape = {3};
  const DeviceLayout layout = padded_layout(shape, DataType::Int32, 4);
  EXPECT_EQ(layout.bytes, 16);
  const Bytes host = int8s({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  Bytes device(16);
  to_device(layout, shape, DataType::Int32, host.data(), device.data());
  EXPECT_EQ(device, int8s({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0}));
  const DeviceLayout scalar = padded_layout({}, DataType::Int8, 4);
  Bytes four(4);
  to_device(scalar, {}, DataType::Int8, host.data(), four.data());
  EXPECT_EQ(four, int8s({1, 0, 0, 0}));
  const DeviceLayout nothing = padded_layout({0, 3}, DataType::Int8, 4);
  EXPECT_EQ(nothing.bytes, 0);
  to_device(nothing, {0, 3}, DataType::Int8, nullptr, four.data());
}

TEST(DeviceLayout, FaultsAreNamed) {
  const Shape shape = {2, 3};
  DeviceLayout layout{.strides = {}, .block = 4, .block_stride = 4, .bytes = 8};
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8), StrEq("has 0 strides, shape 2x3 needs 1"));
  layout.strides = {4};
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8), StrEq(""));
  layout.bytes = 6;
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8), StrEq("covers 7 bytes, has 6"));
  layout.strides = {-4};
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8), StrEq("has the negative stride -4"));
  layout.block = 0;
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8), StrEq("has blocks of 0 elements, needs at least 1"));
  layout = {.strides = {INT64_MAX / 2}, .block = 4, .block_stride = 4, .bytes = 8};
  EXPECT_THAT(find_fault(layout, {4, 3}, DataType::Int8), StrEq("covers too many bytes, has 8"));
  layout = {.strides = {4}, .block = 2, .block_stride = 1, .bytes = 8};
  EXPECT_THAT(find_fault(layout, shape, DataType::Int8),
              StrEq("has blocks 1 bytes apart that are 2 bytes long"));
}

TEST(DeviceLayout, RowsAreThoseOfThePaddedLayoutAndNoOthers) {
  const Shape shape = {2, 3, 5};
  const DeviceLayout padded = padded_layout(shape, DataType::Int16, 8);
  EXPECT_EQ(rows_of(padded, shape, DataType::Int16), (Rows{.count = 6, .bytes = 10, .stride = 16}));
  EXPECT_EQ(rows_of(padded_layout({}, DataType::Int32, 4), {}, DataType::Int32),
            (Rows{.count = 1, .bytes = 4, .stride = 16}));
  DeviceLayout blocks = padded;
  blocks.block = 4;
  EXPECT_EQ(rows_of(blocks, shape, DataType::Int16), std::nullopt);
  DeviceLayout swapped = padded;
  std::swap(swapped.strides[0], swapped.strides[1]);
  EXPECT_EQ(rows_of(swapped, shape, DataType::Int16), std::nullopt);
  DeviceLayout longer = padded;
  longer.bytes += 16;
  EXPECT_EQ(rows_of(longer, shape, DataType::Int16), std::nullopt);
}

TEST(DataType, NamesAndSizes) {
  EXPECT_EQ(name_of(DataType::Float32), "float32");
  EXPECT_EQ(bytes_of(DataType::Int32), 4u);
  EXPECT_EQ(to_string(Shape{1, 2, 3}), "1x2x3");
  EXPECT_EQ(to_string(Shape{}), "scalar");
}

}  // namespace
}  // namespace vdla::runtime
