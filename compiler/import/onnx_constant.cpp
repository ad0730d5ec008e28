// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_constant.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/shape.h"
#include "support/error.h"
#include "support/float16.h"

namespace vdla::import::onnx_model {

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
std::vector<double> convert(const graph::Bytes& raw) {
  std::vector<double> result(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    result[i] = static_cast<double>(value);
  }
  return result;
}

template <class T>
void append(graph::Bytes& raw, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  raw.insert(raw.end(), bytes, bytes + sizeof(T));
}

/// Truncated; a number that no std::int64_t holds becomes the nearest, NaN becomes 0. Narrower types then
/// wrap.
std::int64_t whole(double value) {
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18));
}

void append_as(graph::Bytes& raw, int type, double value) {
  switch (type) {
    case onnx::TensorProto::INT8:
      return append(raw, static_cast<std::int8_t>(whole(value)));
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return append(raw, static_cast<std::uint8_t>(whole(value)));
    case onnx::TensorProto::INT32:
      return append(raw, static_cast<std::int32_t>(whole(value)));
    case onnx::TensorProto::INT64:
      return append(raw, whole(value));
    case onnx::TensorProto::DOUBLE:
      return append(raw, value);
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:  // the field holds their bits
    case onnx::TensorProto::BFLOAT16:
      return append(raw, static_cast<std::uint16_t>(whole(value)));
    case onnx::TensorProto::UINT32:
      return append(raw, static_cast<std::uint32_t>(whole(value)));
    case onnx::TensorProto::UINT64:
      return append(raw, static_cast<std::uint64_t>(whole(value)));
    default:
      return append(raw, static_cast<float>(value));
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

/// For element i, the index into the scales of a quantisation along `axis`.
std::size_t scale_index(const graph::Quantization& q, const graph::Shape& shape, std::size_t i) {
  if (!q.per_channel()) return 0;
  std::int64_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  return static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner %
                                  shape[static_cast<std::size_t>(q.axis)]);
}

}  // namespace

std::vector<double> Constant::elements() const {
  switch (type) {
    case onnx::TensorProto::INT8:
      return convert<std::int8_t>(raw);
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return convert<std::uint8_t>(raw);
    case onnx::TensorProto::INT32:
      return convert<std::int32_t>(raw);
    case onnx::TensorProto::INT64:
      return convert<std::int64_t>(raw);
    case onnx::TensorProto::INT16:
      return convert<std::int16_t>(raw);
    case onnx::TensorProto::UINT16:
      return convert<std::uint16_t>(raw);
    case onnx::TensorProto::UINT32:
      return convert<std::uint32_t>(raw);
    case onnx::TensorProto::UINT64:
      return convert<std::uint64_t>(raw);
    case onnx::TensorProto::DOUBLE:
      return convert<double>(raw);
    case onnx::TensorProto::FLOAT:
      return convert<float>(raw);
    default: {  // element_bytes() has no others
      std::vector<double> result = convert<std::uint16_t>(raw);
      for (double& v : result) {
        const auto bits = static_cast<std::uint16_t>(v);
        v = type == onnx::TensorProto::FLOAT16 ? half_value(bits) : bfloat_value(bits);
      }
      return result;
    }
  }
}

std::vector<double> Constant::reals() const {
  std::vector<double> result = elements();
  if (!quantization) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t k = scale_index(*quantization, shape, i);
    result[i] = quantization->scale[k] * (result[i] - quantization->zero_point[k]);
  }
  return result;
}

std::vector<std::int64_t> Constant::integers() const {
  std::vector<std::int64_t> result;
  for (double value : elements()) result.push_back(whole(value));
  return result;
}

Constant constant_of(const onnx::TensorProto& t, const std::string& where) {
  Constant result;
  result.type = t.data_type();
  const std::size_t bytes = element_bytes(result.type);
  VDLA_CHECK_USER(bytes > 0) << where << "constant '" << t.name() << "' has element type " << t.data_type()
                             << ", needs a float, an integer or BOOL";
  VDLA_CHECK_USER(t.data_location() != onnx::TensorProto::EXTERNAL)
      << where << "constant '" << t.name() << "' lies in another file, needs a model in one file";
  std::int64_t count = 1;
  for (std::int64_t extent : t.dims()) {
    VDLA_CHECK_USER(extent >= 0 && extent < (1 << 28) && count < (std::int64_t{1} << 32))
        << where << "constant '" << t.name() << "' has extent " << extent << " (corrupt)";
    result.shape.push_back(extent);
    count *= extent;
  }
  if (t.has_raw_data()) {
    const auto* data = reinterpret_cast<const std::byte*>(t.raw_data().data());
    result.raw.assign(data, data + t.raw_data().size());
  } else {
    result.raw = typed_data(t);
  }
  VDLA_CHECK_USER(result.raw.size() == bytes * static_cast<std::size_t>(count))
      << where << "constant '" << t.name() << "' has " << result.raw.size() << " bytes, its shape needs "
      << bytes * static_cast<std::size_t>(count) << " (truncated or corrupt)";
  return result;
}

Constant make_constant(graph::Shape shape, int type, const std::vector<double>& elements) {
  Constant result{std::move(shape), type, {}, {}};
  for (double v : elements) {
    if (type == onnx::TensorProto::FLOAT16)
      append(result.raw, half_bits(static_cast<float>(v)));
    else if (type == onnx::TensorProto::BFLOAT16)
      append(result.raw, bfloat_bits(static_cast<float>(v)));
    else
      append_as(result.raw, type, v);
  }
  return result;
}

Int8Constant as_int8(const Constant& c, const std::string& where) {
  VDLA_CHECK_USER(c.quantization && (c.type == onnx::TensorProto::INT8 || c.type == onnx::TensorProto::UINT8))
      << where
      << "has a constant operand in float, needs int8 or uint8 behind a DequantizeLinear (a model quantised "
         "by QuantizeLinear)";
  graph::require_extents(c.shape, where + "has a constant operand that ");
  const bool is_unsigned = c.type == onnx::TensorProto::UINT8;
  const auto* values = reinterpret_cast<const std::int8_t*>(c.raw.data());
  Int8Constant result{{values, values + c.raw.size()}, *c.quantization, c.origins};
  if (is_unsigned)
    for (std::int8_t& value : result.values) value = static_cast<std::int8_t>(value ^ 0x80);
  for (std::int32_t& z : result.quantization.zero_point) z -= is_unsigned ? 128 : 0;
  return result;
}

Constant quantize_constant(const Constant& c, graph::Quantization q, int type) {
  const double low = type == onnx::TensorProto::UINT8  ? 0
                     : type == onnx::TensorProto::INT8 ? -128
                                                       : INT32_MIN;
  const double high = type == onnx::TensorProto::UINT8  ? 255
                      : type == onnx::TensorProto::INT8 ? 127
                                                        : INT32_MAX;
  std::vector<double> values = c.reals();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t k = scale_index(q, c.shape, i);
    values[i] = std::clamp(std::nearbyint(values[i] / q.scale[k]) + q.zero_point[k], low, high);
  }
  return make_constant(c.shape, type, values);
}

}  // namespace vdla::import::onnx_model
