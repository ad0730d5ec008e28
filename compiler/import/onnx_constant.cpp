// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_constant.h"

#include "compiler/graph/shape.h"
#include "support/error.h"

namespace vdla::import {
namespace {

std::size_t element_bytes(int type) {
  switch (type) {
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return 1;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return 2;
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return 4;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
      return 8;
    default:
      return 0;
  }
}

template <class T>
void append(graph::Bytes& raw, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  raw.insert(raw.end(), bytes, bytes + sizeof(T));
}

/// A number of the field int32_data, which holds narrower types and the bits of halves.
void append_as(graph::Bytes& raw, int type, std::int32_t value) {
  switch (element_bytes(type)) {
    case 1:
      return append(raw, static_cast<std::uint8_t>(value));
    case 2:
      return append(raw, static_cast<std::uint16_t>(value));
    default:
      return append(raw, value);
  }
}

/// Bytes from whichever typed field the file uses instead of raw_data.
graph::Bytes typed_data(const onnx::TensorProto& t) {
  graph::Bytes raw;
  for (float v : t.float_data()) append(raw, v);
  for (double v : t.double_data()) append(raw, v);
  for (std::int64_t v : t.int64_data()) append(raw, v);
  for (std::int32_t v : t.int32_data()) append_as(raw, t.data_type(), v);
  for (std::uint64_t v : t.uint64_data()) {
    if (t.data_type() == onnx::TensorProto::UINT32)
      append(raw, static_cast<std::uint32_t>(v));
    else
      append(raw, v);
  }
  return raw;
}

}  // namespace

std::int64_t constant_count(const onnx::TensorProto& t, const std::string& where) {
  for (std::int64_t extent : t.dims())
    VDLA_CHECK_USER(extent < (1 << 28)) << where << "has extent " << extent << " (corrupt)";
  return graph::checked_count({t.dims().begin(), t.dims().end()}, where);
}

graph::Bytes constant_bytes(const onnx::TensorProto& t, const std::string& where) {
  const std::size_t bytes = element_bytes(t.data_type());
  VDLA_CHECK_USER(bytes > 0) << where << "constant '" << t.name() << "' has element type " << t.data_type()
                             << ", needs a float, an integer or BOOL";
  VDLA_CHECK_USER(t.data_location() != onnx::TensorProto::EXTERNAL)
      << where << "constant '" << t.name()
      << "' lies in another file, and the model was read without its folder; needs a model in one file";
  const std::int64_t count = constant_count(t, where + "constant '" + t.name() + "' ");
  const auto* data = reinterpret_cast<const std::byte*>(t.raw_data().data());
  graph::Bytes result = t.has_raw_data() ? graph::Bytes(data, data + t.raw_data().size()) : typed_data(t);
  VDLA_CHECK_USER(result.size() == bytes * static_cast<std::size_t>(count))
      << where << "constant '" << t.name() << "' has " << result.size() << " bytes, its shape needs "
      << bytes * static_cast<std::size_t>(count) << " (truncated or corrupt)";
  return result;
}

}  // namespace vdla::import
