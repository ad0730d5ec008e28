// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/run_extents.h"

#include <algorithm>
#include <cstring>

#include "support/error.h"
#include "support/extents_output.h"

namespace vdla::runtime {
namespace {

/// The output that has the extents of this one; end where there is none.
auto extents_of(const std::vector<Port>& outputs, const Port& port) {
  return std::ranges::find_if(outputs, [&](const Port& p) {
    return p.name == extents_output(port.name) && p.model_type == DataType::Int64 &&
           p.model_shape == Shape{static_cast<std::int64_t>(port.model_shape.size())};
  });
}

bool has_extents(const std::vector<Port>& outputs, const Port& port) {
  return std::ranges::any_of(outputs, [&](const Port& p) {
    const auto found = extents_of(outputs, p);
    return found != outputs.end() && &*found == &port;
  });
}

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
  std::vector<Port> result;
  for (const Port& port : outputs)
    if (!has_extents(outputs, port)) result.push_back(port);
  return result;
}

RunOutputs cut_to_extents(const std::vector<Port>& outputs, const std::vector<Bytes>& bytes) {
  RunOutputs result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (has_extents(outputs, outputs[i])) continue;
    Port port = outputs[i];
    Bytes content = bytes.at(i);
    if (const auto found = extents_of(outputs, port); found != outputs.end()) {
      const Shape shape = extents_in(bytes.at(static_cast<std::size_t>(found - outputs.begin())), port);
      if (shape != port.model_shape) content = cut(content, port.model_shape, shape);
      port.model_shape = shape;
    }
    result.ports.push_back(std::move(port));
    result.bytes.push_back(std::move(content));
  }
  return result;
}

}  // namespace vdla::runtime
