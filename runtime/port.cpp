// SPDX-License-Identifier: Apache-2.0
#include "runtime/port.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::runtime {
namespace {

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void set_value(Bytes& bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// For each element of the tensor in order, the index of the same element in the model's layout.
std::vector<std::size_t> model_indices(const Port& port) {
  const std::size_t rank = port.model_shape.size();
  std::vector<std::size_t> indices(static_cast<std::size_t>(element_count(port.model_shape)));
  if (port.perm.empty()) {
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
    return indices;
  }
  std::vector<std::size_t> model_stride(rank, 1), extent(rank), stride(rank), at(rank, 0);
  for (std::size_t d = rank; d-- > 1;)
    model_stride[d - 1] = model_stride[d] * static_cast<std::size_t>(port.model_shape[d]);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto from = static_cast<std::size_t>(port.perm[d]);
    extent[d] = static_cast<std::size_t>(port.model_shape[from]);
    stride[d] = model_stride[from];
  }
  for (std::size_t& index : indices) {
    index = 0;
    for (std::size_t d = 0; d < rank; ++d) index += at[d] * stride[d];
    for (std::size_t d = rank; d-- > 0 && ++at[d] == extent[d];) at[d] = 0;
  }
  return indices;
}

struct Scale {
  float scale;
  std::int32_t zero_point;
};

Scale scale_of(const Tensor& tensor, const Port& port) {
  const Quantization& q = tensor.quantization;
  VDLA_CHECK_USER(q.scale.size() == 1 && q.zero_point.size() == 1)
      << "'" << port.name << "' is float32 in the model, so its tensor '" << tensor.name
      << "' needs one scale and one zero point, has " << q.scale.size() << " and " << q.zero_point.size();
  return {static_cast<float>(q.scale[0]), q.zero_point[0]};
}

/// Halves to even, as the default rounding mode of nearbyint has it; NaN becomes the zero point.
std::int8_t quantize(float x, Scale s) {
  if (std::isnan(x)) return static_cast<std::int8_t>(s.zero_point);
  const float scaled = std::clamp(std::nearbyint(x / s.scale), -1e6F, 1e6F);
  return static_cast<std::int8_t>(std::clamp(static_cast<std::int32_t>(scaled) + s.zero_point, -128, 127));
}

std::int8_t flip_sign_bit(std::uint8_t x) { return static_cast<std::int8_t>(x ^ 0x80); }

[[noreturn]] void refuse(const Port& port, DataType from, DataType to) {
  throw UserError(
      fmt::format("'{}' cannot be converted from {} to {}", port.name, name_of(from), name_of(to)));
}

const Tensor& tensor_of(const Module& module, const Port& port) { return module.tensors.at(port.tensor); }

}  // namespace

std::size_t model_bytes(const Port& port) {
  return bytes_of(port.model_type) * static_cast<std::size_t>(element_count(port.model_shape));
}

Bytes to_tensor(const Module& module, const Port& port, std::span<const std::byte> model) {
  const Tensor& tensor = tensor_of(module, port);
  VDLA_CHECK_USER(model.size() == model_bytes(port))
      << "input '" << port.name << "' has " << model.size() << " bytes, needs " << model_bytes(port) << ": "
      << name_of(port.model_type) << " " << to_string(port.model_shape);
  const std::vector<std::size_t> from = model_indices(port);
  Bytes made(tensor.bytes());
  if (port.model_type == tensor.type) {
    const std::size_t size = bytes_of(tensor.type);
    for (std::size_t i = 0; i < from.size(); ++i)
      std::memcpy(made.data() + i * size, model.data() + from[i] * size, size);
  } else if (port.model_type == DataType::Float32 && tensor.type == DataType::Int8) {
    const Scale s = scale_of(tensor, port);
    for (std::size_t i = 0; i < from.size(); ++i)
      set_value(made, i, quantize(value_at<float>(model, from[i]), s));
  } else if (port.model_type == DataType::UInt8 && tensor.type == DataType::Int8) {
    for (std::size_t i = 0; i < from.size(); ++i)
      set_value(made, i, flip_sign_bit(value_at<std::uint8_t>(model, from[i])));
  } else {
    refuse(port, port.model_type, tensor.type);
  }
  return made;
}

Bytes to_model(const Module& module, const Port& port, std::span<const std::byte> value) {
  const Tensor& tensor = tensor_of(module, port);
  VDLA_CHECK_USER(value.size() == tensor.bytes())
      << "output '" << port.name << "' has " << value.size() << " bytes, needs " << tensor.bytes();
  const std::vector<std::size_t> to = model_indices(port);
  Bytes made(model_bytes(port));
  if (port.model_type == tensor.type) {
    const std::size_t size = bytes_of(tensor.type);
    for (std::size_t i = 0; i < to.size(); ++i)
      std::memcpy(made.data() + to[i] * size, value.data() + i * size, size);
  } else if (port.model_type == DataType::Float32 && tensor.type == DataType::Int8) {
    const Scale s = scale_of(tensor, port);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::int32_t q = value_at<std::int8_t>(value, i);
      set_value(made, to[i], s.scale * static_cast<float>(q - s.zero_point));
    }
  } else if (port.model_type == DataType::UInt8 && tensor.type == DataType::Int8) {
    for (std::size_t i = 0; i < to.size(); ++i)
      set_value(made, to[i], flip_sign_bit(value_at<std::uint8_t>(value, i)));
  } else {
    refuse(port, tensor.type, port.model_type);
  }
  return made;
}

}  // namespace vdla::runtime
