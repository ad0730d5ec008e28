// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/tensor.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace vdla::runtime {
namespace {

/// Calls visit(host bytes from start, device bytes from start, bytes) for each run of elements that lie side
/// by side in both.
template <class Visit>
void for_each_run(const DeviceLayout& layout, const Shape& shape, DataType type, const Visit& visit) {
  if (element_count(shape) == 0) return;
  const auto element = static_cast<std::int64_t>(bytes_of(type));
  const std::int64_t channels = shape.empty() ? 1 : shape.back();
  const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
  std::vector<std::int64_t> index(outer, 0);
  for (std::int64_t host = 0;; host += channels * element) {
    std::int64_t row = 0;
    for (std::size_t d = 0; d < outer; ++d) row += index[d] * layout.strides[d];
    for (std::int64_t c = 0; c < channels; c += layout.block) {
      const std::int64_t count = std::min(layout.block, channels - c);
      visit(host + c * element, row + c / layout.block * layout.block_stride, count * element);
    }
    std::size_t d = outer;
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// sum += a * b; false when that overflows.
bool add_product(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

std::string_view name_of(DataType type) {
  switch (type) {
#define VDLA_CASE(name, code, text, bytes) \
  case DataType::name:                     \
    return text;
    VDLA_RUNTIME_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  return "unknown";
}

std::size_t bytes_of(DataType type) {
  switch (type) {
#define VDLA_CASE(name, code, text, bytes) \
  case DataType::name:                     \
    return bytes;
    VDLA_RUNTIME_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  return 1;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

DeviceLayout padded_layout(const Shape& shape, DataType type, std::int64_t padded_channels) {
  DeviceLayout layout;
  std::int64_t stride = padded_channels * static_cast<std::int64_t>(bytes_of(type));
  layout.block = padded_channels;
  layout.block_stride = stride;
  layout.strides.resize(shape.empty() ? 0 : shape.size() - 1);
  for (std::size_t d = layout.strides.size(); d-- > 0;) {
    layout.strides[d] = stride;
    stride *= shape[d];
  }
  layout.bytes = stride;
  return layout;
}

std::string find_fault(const DeviceLayout& layout, const Shape& shape, DataType type) {
  const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
  if (layout.strides.size() != outer)
    return fmt::format("has {} strides, shape {} needs {}", layout.strides.size(), to_string(shape), outer);
  if (layout.block < 1) return fmt::format("has blocks of {} elements, needs at least 1", layout.block);
  const auto element = static_cast<std::int64_t>(bytes_of(type));
  const std::int64_t channels = shape.empty() ? 1 : shape.back();
  if (channels > layout.block && layout.block_stride < layout.block * element)
    return fmt::format("has blocks {} bytes apart that are {} bytes long", layout.block_stride,
                       layout.block * element);
  std::int64_t end = 0;
  bool fits = add_product((channels - 1) / layout.block, layout.block_stride, end) &&
              add_product((channels - 1) % layout.block + 1, element, end);
  for (std::size_t d = 0; d < outer; ++d) {
    if (layout.strides[d] < 0) return fmt::format("has the negative stride {}", layout.strides[d]);
    fits = fits && add_product(shape[d] - 1, layout.strides[d], end);
  }
  if (element_count(shape) > 0 && (!fits || end > layout.bytes))
    return fmt::format("covers {} bytes, has {}", fits ? std::to_string(end) : "too many", layout.bytes);
  return {};
}

std::optional<Rows> rows_of(const DeviceLayout& layout, const Shape& shape, DataType type) {
  const std::int64_t channels = shape.empty() ? 1 : shape.back();
  if (!find_fault(layout, shape, type).empty() || channels > layout.block) return std::nullopt;
  const std::int64_t stride = layout.strides.empty() ? layout.bytes : layout.strides.back();
  std::int64_t count = 1;
  for (std::size_t d = layout.strides.size(); d-- > 0; count *= shape[d])
    if (layout.strides[d] != count * stride) return std::nullopt;
  if (layout.bytes != count * stride) return std::nullopt;
  return Rows{count, channels * static_cast<std::int64_t>(bytes_of(type)), stride};
}

void to_device(const DeviceLayout& layout, const Shape& shape, DataType type, const std::byte* host,
               std::byte* device) {
  std::memset(device, 0, static_cast<std::size_t>(layout.bytes));
  for_each_run(layout, shape, type, [&](std::int64_t from, std::int64_t to, std::int64_t bytes) {
    std::memcpy(device + to, host + from, static_cast<std::size_t>(bytes));
  });
}

void from_device(const DeviceLayout& layout, const Shape& shape, DataType type, const std::byte* device,
                 std::byte* host) {
  for_each_run(layout, shape, type, [&](std::int64_t to, std::int64_t from, std::int64_t bytes) {
    std::memcpy(host + to, device + from, static_cast<std::size_t>(bytes));
  });
}

}  // namespace vdla::runtime
