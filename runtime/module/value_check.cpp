// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/value_check.h"

#include <algorithm>
#include <cmath>

#include "support/dimensions.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

/// Whether no extent is negative, and the whole has at most kMaxTensorBytes.
bool fits_memory(const Shape& shape, DataType type) {
  std::int64_t bytes = static_cast<std::int64_t>(bytes_of(type));
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxTensorBytes) return false;
  return true;
}

/// `who`: "tensor 'x'".
void check_shape(const Shape& shape, DataType type, const std::string& who) {
  VDLA_CHECK_USER(shape.size() <= kMostDimensions) << who << ' ' << too_many_dimensions(shape.size());
  VDLA_CHECK_USER(fits_memory(shape, type)) << who << " has a bad shape: " << to_string(shape);
}

void check_quantization(const Tensor& t) {
  const Quantization& q = t.quantization;
  VDLA_CHECK_USER(q.scale.size() == q.zero_point.size())
      << "tensor '" << t.name << "' has " << q.scale.size() << " scales and " << q.zero_point.size()
      << " zero points, needs one for each other";
  for (const double scale : q.scale)
    VDLA_CHECK_USER(std::isfinite(scale) && scale > 0)
        << "tensor '" << t.name << "' has scale " << scale << ", needs a finite positive number";
}

/// Whether runtime/session/port.h converts; float32 by one scale and one zero point.
bool converts(DataType model, DataType tensor) {
  return model == tensor ||
         (tensor == DataType::Int8 && (model == DataType::Float32 || model == DataType::UInt8));
}

Shape permuted(const Port& p, const std::string& where) {
  if (p.perm.empty()) return p.model_shape;
  std::vector<std::int32_t> sorted = p.perm;
  std::ranges::sort(sorted);
  bool valid = sorted.size() == p.model_shape.size();
  for (std::size_t i = 0; valid && i < sorted.size(); ++i) valid = sorted[i] == static_cast<std::int32_t>(i);
  VDLA_CHECK_USER(valid) << where << " has a permutation that does not fit its shape "
                         << to_string(p.model_shape);
  Shape shape;
  for (const std::int32_t from : p.perm) shape.push_back(p.model_shape[static_cast<std::size_t>(from)]);
  return shape;
}

}  // namespace

void check_tensor(const Tensor& t) {
  check_shape(t.shape, t.type, "tensor '" + t.name + "'");
  VDLA_CHECK_USER(t.data.empty() || t.data.size() == t.bytes())
      << "constant '" << t.name << "' has " << t.data.size() << " bytes, its shape " << to_string(t.shape)
      << " needs " << t.bytes();
  check_quantization(t);
}

void check_port(const Port& p, const Tensor& t, const std::string& where) {
  check_shape(p.model_shape, p.model_type, where);
  const Shape shape = permuted(p, where);
  VDLA_CHECK_USER(element_count(shape) == element_count(t.shape))
      << where << " has shape " << to_string(p.model_shape) << ", its tensor '" << t.name << "' has "
      << to_string(t.shape);
  VDLA_CHECK_USER(converts(p.model_type, t.type))
      << where << " is " << name_of(p.model_type) << ", its tensor '" << t.name << "' " << name_of(t.type)
      << ": there is no conversion";
  if (p.model_type != DataType::Float32 || t.type != DataType::Int8) return;
  VDLA_CHECK_USER(t.quantization.scale.size() == 1)
      << where << " is float32 in the model, so its tensor '" << t.name
      << "' needs one scale and one zero point, has " << t.quantization.scale.size();
  const std::int32_t zero = t.quantization.zero_point[0];
  VDLA_CHECK_USER(zero >= -128 && zero <= 127)
      << where << ": the zero point of its tensor '" << t.name << "' is " << zero << ", needs -128 to 127";
}

}  // namespace vdla::runtime
