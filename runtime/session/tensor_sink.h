// SPDX-License-Identifier: Apache-2.0
// Receiver of the values that a run computes.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/module/tensor.h"

namespace vdla::runtime {

class TensorSink {
 public:
  virtual ~TensorSink() = default;
  /// A tensor of the module as it stands in host memory, dense and row-major: an input at the start of a run,
  /// a result when the last step that writes it has run. A session that reuses memory overwrites it later.
  virtual void tensor(const Tensor& tensor, std::span<const std::byte> bytes) = 0;
};

}  // namespace vdla::runtime
