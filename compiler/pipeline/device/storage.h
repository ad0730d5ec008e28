// SPDX-License-Identifier: Apache-2.0
// Changes of storage in lowered functions: views of larger tensors, and results that take over the place of
// an operand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::pipeline::device {

/// Parameter `index` becomes a view in memory `scope` with these strides (in elements).
loop::Func with_storage(const loop::Func& func, std::size_t index, const std::string& scope,
                        const std::vector<std::int64_t>& strides);

/// The allocation `result` takes over the storage of `operand`. Each element of `result` must be computed
/// from the element of `operand` at the same place, and nothing else may read `operand`.
loop::Func in_place(const loop::Func& func, const std::string& operand, const std::string& result);

/// The allocation `later` takes over the elements of `operand` from which `reader`, of the same shape as
/// `later`, was computed before: one element each, at constant distances along each dimension. Nothing else
/// may read `operand`.
loop::Func take_over(const loop::Func& func, const std::string& operand, const std::string& reader,
                     const std::string& later);

/// The allocation `later` takes over the storage of `operand`, which is beside it. Every reader of `operand`
/// stands before the first writer of `later`.
loop::Func follow(const loop::Func& func, const std::string& operand, const std::string& later);

}  // namespace vdla::pipeline::device
