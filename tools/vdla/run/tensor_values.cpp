// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/tensor_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "kit/data_type.h"
#include "support/error.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"

namespace vdla::tools {
std::vector<double> reals_of(const ModelTensor& t) {
  std::vector<double> values = to_real(npy_type(kit::to_runtime(t.type)), t.bytes);
  const graph::Quantization& q = t.quantization;
  if (q.empty()) return values;
  std::size_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(std::max(q.axis, 0)) + 1; d < t.shape.size(); ++d)
    inner *= static_cast<std::size_t>(t.shape[d]);
  const std::size_t along =
      q.axis < 0 ? 1 : static_cast<std::size_t>(t.shape[static_cast<std::size_t>(q.axis)]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t k = i / inner % along;
    const double zero = q.zero_point.empty() ? 0 : q.zero_point[q.zero_point.size() == 1 ? 0 : k];
    values[i] = q.scale[q.scale.size() == 1 ? 0 : k] * (values[i] - zero);
  }
  return values;
}

std::optional<TensorDifference> difference(const ModelTensor& left, const ModelTensor& right,
                                           const Tolerance& tolerance) {
  VDLA_CHECK_USER(left.shape == right.shape)
      << "tensor '" << left.name << "' is " << graph::to_string(left.shape) << " on one side and "
      << graph::to_string(right.shape) << " on the other; needs the same extents in the same order";
  const bool alike = left.type == right.type && left.quantization == right.quantization;
  if (alike && left.bytes == right.bytes) return std::nullopt;
  const std::vector<double> a = reals_of(left), b = reals_of(right);
  const graph::Quantization& q = left.quantization.empty() ? right.quantization : left.quantization;
  double bound = tolerance.steps * (q.empty() ? 0 : *std::ranges::max_element(q.scale));
  if (q.empty())
    for (const std::vector<double>* values : {&a, &b})
      for (const double value : *values)
        if (std::isfinite(value)) bound = std::max(bound, tolerance.relative * std::abs(value));
  const double rounding = alike || q.empty() ? 0 : 1e-6;  // real numbers beside steps may be of float32
  TensorDifference found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
    if (a[i] == b[i] || both_nan || apart <= bound + rounding * std::abs(a[i])) continue;
    if (found.differing++ == 0) {
      found.element = i;
      found.left = a[i];
      found.right = b[i];
    }
    found.largest =
        std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(found.largest, apart);
  }
  if (found.differing == 0) return std::nullopt;
  found.index = kit::index_of(found.element, left.shape);
  return found;
}

nlohmann::ordered_json json_of(const ModelTensor& t) {
  nlohmann::ordered_json row{
      {"name", t.name}, {"node", t.node}, {"shape", t.shape}, {"type", graph::name_of(t.type)}};
  if (!t.quantization.empty()) {
    row["scale"] = t.quantization.scale;
    row["zero_point"] = t.quantization.zero_point;
    if (t.quantization.axis >= 0) row["axis"] = t.quantization.axis;
  }
  row["recomputed"] = t.recomputed;
  if (!t.in_model_order) row["order"] = "not the model's";
  return row;
}

}  // namespace vdla::tools
