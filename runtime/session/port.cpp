// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/port.h"

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
void set_value(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// The tensor's dimensions, and how far apart their elements are in the model's layout. Dimensions that lie
/// together in both are one; there are at least two.
struct Order {
  std::vector<std::size_t> extent, stride;
};

Order order_of(const Port& port) {
  const std::size_t rank = port.model_shape.size();
  std::vector<std::size_t> model_stride(rank, 1);
  for (std::size_t d = rank; d-- > 1;)
    model_stride[d - 1] = model_stride[d] * static_cast<std::size_t>(port.model_shape[d]);
  Order order{{1, 1}, {0, 0}};
  for (std::size_t d = 0; d < rank; ++d) {
    const auto from = static_cast<std::size_t>(port.perm[d]);
    const auto extent = static_cast<std::size_t>(port.model_shape[from]);
    if (d > 0 && port.perm[d] == port.perm[d - 1] + 1) {
      order.extent.back() *= extent;
      order.stride.back() = model_stride[from];
    } else {
      order.extent.push_back(extent);
      order.stride.push_back(model_stride[from]);
    }
  }
  return order;
}

/// Elements of T between the tensor's order and the model's.
template <class T>
void reorder(const Port& port, std::span<const std::byte> from, std::span<std::byte> to, bool into_model) {
  const Order order = order_of(port);
  const std::size_t rank = order.extent.size(), rows = order.extent[rank - 2],
                    columns = order.extent[rank - 1];
  const std::size_t row_stride = order.stride[rank - 2], stride = order.stride[rank - 1];
  std::vector<std::size_t> at(rank, 0);
  for (std::size_t i = 0, count = from.size() / sizeof(T); i < count; i += rows * columns) {
    std::size_t base = 0;
    for (std::size_t d = 0; d + 2 < rank; ++d) base += at[d] * order.stride[d];
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) {
        const std::size_t own = i + y * columns + x, model = base + y * row_stride + x * stride;
        set_value(to, into_model ? model : own, value_at<T>(from, into_model ? own : model));
      }
    }
    for (std::size_t d = rank - 2; d-- > 0 && ++at[d] == order.extent[d];) at[d] = 0;
  }
}

/// Reorders elements of `size` bytes.
void reorder(const Port& port, std::span<const std::byte> from, std::span<std::byte> to, std::size_t size,
             bool into_model) {
  if (port.perm.empty()) {
    std::ranges::copy(from, to.begin());
    return;
  }
  switch (size) {
    case 1:
      return reorder<std::uint8_t>(port, from, to, into_model);
    case 2:
      return reorder<std::uint16_t>(port, from, to, into_model);
    case 4:
      return reorder<std::uint32_t>(port, from, to, into_model);
    default:
      return reorder<std::uint64_t>(port, from, to, into_model);
  }
}

/// f of each element, in order.
template <class From, class F>
auto mapped(std::span<const std::byte> from, const F& f) {
  using To = decltype(f(From{}));
  const std::size_t count = from.size() / sizeof(From);
  Bytes to(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) set_value(to, i, f(value_at<From>(from, i)));
  return to;
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

/// NaN becomes the zero point. Without a call for each number, so that loops become vector code: the sum of a
/// small float and 1.5 * 2^23 has no place for a fraction, and rounds halves to even. What that leaves of a
/// half is exact, and says whether it went towards zero.
template <Rounding R>
std::int8_t quantize(float x, Scale s) {
  constexpr float kNoFraction = 12582912.0F;
  float scaled = x / s.scale;
  scaled = scaled == scaled ? scaled : 0.0F;
  scaled = scaled < -1e6F ? -1e6F : scaled > 1e6F ? 1e6F : scaled;
  float whole = (scaled + kNoFraction) - kNoFraction;
  if constexpr (R == Rounding::HalfAwayFromZero) {
    const float rest = scaled - whole;
    whole += rest == 0.5F && scaled > 0.0F ? 1.0F : rest == -0.5F && scaled < 0.0F ? -1.0F : 0.0F;
  }
  return static_cast<std::int8_t>(std::clamp(static_cast<std::int32_t>(whole) + s.zero_point, -128, 127));
}

Bytes quantized(std::span<const std::byte> model, Scale s, Rounding rounding) {
  if (rounding == Rounding::HalfToEven)
    return mapped<float>(model, [s](float x) { return quantize<Rounding::HalfToEven>(x, s); });
  return mapped<float>(model, [s](float x) { return quantize<Rounding::HalfAwayFromZero>(x, s); });
}

std::int8_t flip_sign_bit(std::uint8_t x) { return static_cast<std::int8_t>(x ^ 0x80); }

[[noreturn]] void refuse(const Port& port, DataType from, DataType to) {
  throw UserError(
      fmt::format("'{}' cannot be converted from {} to {}", port.name, name_of(from), name_of(to)));
}

const Tensor& tensor_of(const Module& module, const Port& port) { return module.tensors.at(port.tensor); }

}  // namespace

std::optional<PortScale> scale_of(const Module& module, const Port& port) {
  const Tensor& tensor = module.tensors[port.tensor];
  const Quantization& q = tensor.quantization;
  if (q.scale.size() != 1 || q.zero_point.size() != 1) return std::nullopt;
  const bool moved = port.model_type == DataType::UInt8 && tensor.type == DataType::Int8;
  return PortScale{q.scale[0], q.zero_point[0] + (moved ? 128 : 0)};
}

std::size_t model_bytes(const Port& port) {
  return bytes_of(port.model_type) * static_cast<std::size_t>(element_count(port.model_shape));
}

void to_tensor(const Module& module, const Port& port, std::span<const std::byte> model,
               std::span<std::byte> to) {
  const Tensor& tensor = tensor_of(module, port);
  VDLA_CHECK(to.size() == tensor.bytes()) << port.name;
  VDLA_CHECK_USER(model.size() == model_bytes(port))
      << "input '" << port.name << "' has " << model.size() << " bytes, needs " << model_bytes(port) << ": "
      << name_of(port.model_type) << " " << to_string(port.model_shape);
  const std::size_t size = bytes_of(tensor.type);
  if (port.model_type == tensor.type) return reorder(port, model, to, size, false);
  if (port.model_type == DataType::Float32 && tensor.type == DataType::Int8)
    return reorder(port, quantized(model, scale_of(tensor, port), port.rounding), to, size, false);
  if (port.model_type == DataType::UInt8 && tensor.type == DataType::Int8)
    return reorder(port, mapped<std::uint8_t>(model, flip_sign_bit), to, size, false);
  refuse(port, port.model_type, tensor.type);
}

Bytes to_tensor(const Module& module, const Port& port, std::span<const std::byte> model) {
  Bytes made(tensor_of(module, port).bytes());
  to_tensor(module, port, model, made);
  return made;
}

Bytes in_model_order(const Port& port, std::size_t size, std::span<const std::byte> value) {
  Bytes made(value.size());
  reorder(port, value, made, size, true);
  return made;
}

Bytes to_model(const Module& module, const Port& port, std::span<const std::byte> value) {
  const Tensor& tensor = tensor_of(module, port);
  VDLA_CHECK_USER(value.size() == tensor.bytes())
      << "output '" << port.name << "' has " << value.size() << " bytes, needs " << tensor.bytes();
  if (port.model_type != tensor.type &&
      !(tensor.type == DataType::Int8 &&
        (port.model_type == DataType::Float32 || port.model_type == DataType::UInt8)))
    refuse(port, tensor.type, port.model_type);
  Bytes made = in_model_order(port, bytes_of(tensor.type), value);
  if (port.model_type == tensor.type) return made;
  if (port.model_type == DataType::UInt8)
    return mapped<std::int8_t>(made, [](std::int8_t x) { return static_cast<std::uint8_t>(x ^ -128); });
  const Scale s = scale_of(tensor, port);
  return mapped<std::int8_t>(made,
                             [s](std::int8_t x) { return s.scale * static_cast<float>(x - s.zero_point); });
}

}  // namespace vdla::runtime
