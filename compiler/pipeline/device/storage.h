// SPDX-License-Identifier: Apache-2.0
// Changes of storage in lowered functions: views of larger tensors, and results that take over the place of
// an operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::pipeline::device {

/// Parameter `index` becomes a view with these strides (in elements).
loop::Func with_strides(const loop::Func& func, std::size_t index, const std::vector<std::int64_t>& strides);

/// The allocation `result` takes over the storage of `operand`. Each element of `result` must be computed
/// from the element of `operand` at the same place, and nothing else may read `operand`.
loop::Func in_place(const loop::Func& func, const std::string& operand, const std::string& result);

}  // namespace vdla::pipeline::device
