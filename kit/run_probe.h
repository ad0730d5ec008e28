// SPDX-License-Identifier: Apache-2.0
// Sight of a run from outside: values of tensors, and the bytes that each instruction writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/session/tensor_sink.h"
#include "sim/trace/event.h"

namespace vdla::kit {

class RunProbe : public runtime::TensorSink {
 public:
  /// Called for each instruction of a device step on an engine, with its index in the step's program: in the
  /// order of its unit's instructions.
  virtual void insn(std::size_t /*step*/, std::uint32_t /*insn*/, const trace::Writes& /*writes*/) {}
  /// Called for each of them after that, with the digest of its writes (sim/trace/digest.h).
  virtual void retired(std::size_t /*step*/, std::uint32_t /*insn*/, std::uint64_t /*digest*/) {}
};

}  // namespace vdla::kit
