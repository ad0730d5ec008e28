// SPDX-License-Identifier: Apache-2.0
// Instructions behind a difference between two runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kit/model_tensors.h"
#include "runtime/module/module.h"

namespace vdla::kit {

/// An instruction of a module's program.
struct InsnPlace {
  std::size_t step = 0;
  std::uint32_t insn = 0;
  bool operator==(const InsnPlace&) const = default;
};

/// The first instruction, in the order of programs, that wrote something else in one run than in the other:
/// what it read was equal in both. Nothing: all wrote the same, or no engine told what they write.
std::optional<InsnPlace> first_insn_that_differs(const ReadTensors& left, const ReadTensors& right);

/// A run of the module with a probe.
using ProbedRun = std::function<void(RunProbe&)>;

/// The instruction that wrote an element of a tensor last, in a run on an engine. Nothing: none did, because
/// it was computed off the device, or lies nowhere whole.
std::optional<InsnPlace> writer_of(const runtime::Module& module, const ModelTensor& tensor,
                                   std::size_t element, const ProbedRun& run);

/// Bytes that an instruction wrote, in one run and in another.
struct WriteDifference {
  std::string place;  ///< "entry 12 of inp, byte 3"
  unsigned left = 0, right = 0;
};
/// The first byte that differs between both. Nothing: it did not run in one of them.
std::optional<WriteDifference> written_otherwise(const runtime::Module& module, const InsnPlace& insn,
                                                 const ProbedRun& left, const ProbedRun& right);

}  // namespace vdla::kit
