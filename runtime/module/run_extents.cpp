// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/run_extents.h"

#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "support/error.h"
#include "support/extents_output.h"

namespace vdla::runtime {
namespace {

/// Pairs of outputs: `extents` is, for each output, the output with its extents; `is_extents` marks the
/// latter.
struct Partners {
  std::vector<std::optional<std::size_t>> extents;
  std::vector<bool> is_extents;

  explicit Partners(const std::vector<Port>& outputs) : extents(outputs.size()), is_extents(outputs.size()) {
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < outputs.size(); ++i) by_name.emplace(outputs[i].name, i);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto found = by_name.find(extents_output(outputs[i].name));
      if (found == by_name.end()) continue;
      const Port& port = outputs[found->second];
      const Shape shape{static_cast<std::int64_t>(outputs[i].model_shape.size())};
      if (port.model_type != DataType::Int64 || port.model_shape != shape) continue;
      extents[i] = found->second;
      is_extents[found->second] = true;
    }
  }
};

Shape extents_in(const Bytes& bytes, const Port& port) {
  Shape shape(port.model_shape.size());
  VDLA_CHECK_USER(bytes.size() == shape.size() * sizeof(std::int64_t))
      << "extents of output '" << port.name << "' have " << bytes.size() << " bytes, needs "
      << shape.size() * sizeof(std::int64_t);
  std::memcpy(shape.data(), bytes.data(), bytes.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    VDLA_CHECK_USER(shape[d] >= 0 && shape[d] <= port.model_shape[d])
        << "output '" << port.name << "' has extent " << shape[d] << " in dimension " << d << ", needs 0 to "
        << port.model_shape[d];
  return shape;
}

/// The first elements of each dimension, `shape` of them.
Bytes cut(const Bytes& bytes, const Shape& all, const Shape& shape) {
  const auto count = static_cast<std::size_t>(element_count(all));
  const std::size_t size = count == 0 ? 0 : bytes.size() / count;
  Bytes result;
  const auto add = [&](const auto& self, std::size_t d, std::size_t at) -> void {
    if (d == all.size()) {
      const auto* first = bytes.data() + at * size;
      result.insert(result.end(), first, first + size);
      return;
    }
    for (std::int64_t i = 0; i < shape[d]; ++i)
      self(self, d + 1, at * static_cast<std::size_t>(all[d]) + static_cast<std::size_t>(i));
  };
  add(add, 0, 0);
  return result;
}

}  // namespace

std::vector<Port> outputs_of_runs(const std::vector<Port>& outputs) {
  const Partners partners(outputs);
  std::vector<Port> result;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!partners.is_extents[i]) result.push_back(outputs[i]);
  return result;
}

RunOutputs cut_to_extents(const std::vector<Port>& outputs, const std::vector<Bytes>& bytes) {
  const Partners partners(outputs);
  RunOutputs result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (partners.is_extents[i]) continue;
    Port port = outputs[i];
    Bytes content = bytes.at(i);
    if (const auto by = partners.extents[i]) {
      const Shape shape = extents_in(bytes.at(*by), port);
      if (shape != port.model_shape) content = cut(content, port.model_shape, shape);
      port.model_shape = shape;
    }
    result.ports.push_back(std::move(port));
    result.bytes.push_back(std::move(content));
  }
  return result;
}

}  // namespace vdla::runtime
