// SPDX-License-Identifier: Apache-2.0
// A buffer: the storage that loop IR loads from and stores to. Declared here because Load is an expression
// node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/expr/dtype.h"

namespace vdla::expr {

/// Most parts of a buffer whose parts are filled early.
inline constexpr std::int64_t kMostBufferParts = 8;

/// Identity is the address. Element [i0, i1, ...] lies at element offset sum(i_d * strides[d]).
struct Buffer {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t>
      strides;        ///< strides in elements, one per dimension; make_buffer() fills in the dense ones
  std::string scope;  ///< memory that it lives in: "global", or a name that the target knows
};
using BufferPtr = std::shared_ptr<const Buffer>;

inline constexpr const char* kGlobalScope = "global";
/// Memory that all threads of a block share and fill together.
inline constexpr const char* kSharedScope = "shared";

/// Checks extents (positive) and strides (none, or one per dimension, not negative).
BufferPtr make_buffer(std::string name, DType dtype, std::vector<std::int64_t> shape,
                      std::string scope = kGlobalScope, std::vector<std::int64_t> strides = {});

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape);
/// Row-major without gaps.
bool is_dense(const Buffer& buffer);
/// Elements of storage: the largest offset plus one.
std::int64_t storage_size(const Buffer& buffer);

}  // namespace vdla::expr
