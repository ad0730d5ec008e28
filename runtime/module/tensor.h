// SPDX-License-Identifier: Apache-2.0
// Tensors of a compiled module: element types, quantisation, and how a tensor lies in the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/memories.h"
#include "support/source_tensor.h"

namespace vdla::runtime {

#define VDLA_RUNTIME_DATA_TYPES(X) \
  X(Int8, 0, "int8", 1)            \
  X(UInt8, 1, "uint8", 1)          \
  X(Int32, 2, "int32", 4)          \
  X(Float32, 3, "float32", 4)      \
  X(Bool, 4, "bool", 1)            \
  X(Int16, 5, "int16", 2)          \
  X(UInt16, 6, "uint16", 2)        \
  X(UInt32, 7, "uint32", 4)        \
  X(Int64, 8, "int64", 8)          \
  X(UInt64, 9, "uint64", 8)        \
  X(Float64, 10, "float64", 8)     \
  X(Float16, 11, "float16", 2)     \
  X(BFloat16, 12, "bfloat16", 2)

enum class DataType : std::uint8_t {
#define VDLA_ENUM(name, code, text, bytes) name = code,
  VDLA_RUNTIME_DATA_TYPES(VDLA_ENUM)
#undef VDLA_ENUM
};
std::string_view name_of(DataType type);
std::size_t bytes_of(DataType type);

using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::byte>;

/// 1 for rank 0.
std::int64_t element_count(const Shape& shape);
/// "1x32x32x3", or "scalar".
std::string to_string(const Shape& shape);

/// real = scale * (q - zero_point); one entry, or one for each index of dimension `axis`. Empty: not
/// quantised.
struct Quantization {
  std::vector<double> scale;
  std::vector<std::int32_t> zero_point;
  std::int32_t axis = -1;
  bool operator==(const Quantization&) const = default;
};

/// On the host a tensor is dense and row-major.
struct Tensor {
  std::string name;
  DataType type = DataType::Int8;
  Shape shape;
  Quantization quantization;
  Bytes data;            ///< not empty: a constant
  Sources sources = {};  ///< tensors of the model that it stands for, or was made of

  std::size_t bytes() const { return bytes_of(type) * static_cast<std::size_t>(element_count(shape)); }
  bool constant() const { return !data.empty(); }
  bool operator==(const Tensor&) const = default;
};

/// Places of a tensor's elements in the device's memory. Element (i0, .., in-1, c) of the logical shape lies
/// at byte sum(i_d * strides[d]) + (c / block) * block_stride + (c % block) * element size. NHWC with padded
/// channels is one block.
struct DeviceLayout {
  std::vector<std::int64_t> strides;  ///< bytes, for all dimensions but the last
  std::int64_t block = 1;             ///< elements of the last dimension that lie side by side
  std::int64_t block_stride = 0;      ///< bytes from block to block
  std::int64_t bytes = 0;             ///< bytes of the whole tensor, padding included
  bool operator==(const DeviceLayout&) const = default;
};

/// NHWC (or any row-major shape) whose last dimension is padded to `padded_channels` elements.
DeviceLayout padded_layout(const Shape& shape, DataType type, std::int64_t padded_channels);

/// The layout's faults, empty when it has none: an element outside `bytes`, overlap of blocks, strides that
/// do not fit the shape.
std::string find_fault(const DeviceLayout& layout, const Shape& shape, DataType type);

/// A layout whose elements lie in the tensor's order: `count` rows of `bytes`, each followed by padding up to
/// `stride`, and nothing behind the last one.
struct Rows {
  std::int64_t count = 0, bytes = 0, stride = 0;
  bool operator==(const Rows&) const = default;
};
/// Nothing where the layout is more than that (blocks apart, dimensions in another order).
std::optional<Rows> rows_of(const DeviceLayout& layout, const Shape& shape, DataType type);

/// Host to device; what no element covers is 0. Sizes are the tensor's and the layout's.
void to_device(const DeviceLayout& layout, const Shape& shape, DataType type, const std::byte* host,
               std::byte* device);
/// Device to host; what no element covers is not looked at.
void from_device(const DeviceLayout& layout, const Shape& shape, DataType type, const std::byte* device,
                 std::byte* host);

}  // namespace vdla::runtime
