// SPDX-License-Identifier: Apache-2.0
// Parameters of lowered functions as views of larger tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::pipeline::device {

/// Parameter `index` becomes a view in memory `scope` with these strides (in elements).
loop::Func with_storage(const loop::Func& func, std::size_t index, const std::string& scope,
                        const std::vector<std::int64_t>& strides);

}  // namespace vdla::pipeline::device
