// SPDX-License-Identifier: Apache-2.0
// Ground truth for a program: it runs on the functional engine under the dynamic checker, again and again,
// each time in another order that queues and tokens allow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "sim/functional/checker.h"

namespace vdla::sim {

/// Bytes of a window.
struct Stretch {
  isa::Window window = isa::Window::Act;
  std::uint64_t begin = 0;
  std::vector<std::byte> bytes;
};

/// A program and what the host writes before it runs. What it does not write, nothing has written.
struct Experiment {
  isa::Program program;
  std::vector<Stretch> inputs;   ///< contents of act, input, output and spares; the program has the others
  std::vector<Stretch> outputs;  ///< bytes that count; their values are not looked at
};

struct ExploreOptions {
  std::uint64_t seed = 1;
  unsigned random_orders = 8;  ///< besides the one in which the engine runs on its own
  /// Tries all orders, one by one, if they are not more than these; else as many. 0: none.
  unsigned systematic_orders = 0;
  /// Looks at no further order when one has ended in a fault or with findings.
  bool stop_at_fault = false;
  /// Most instructions of one run; a run that takes more ends as LimitReached.
  std::uint64_t max_insns = UINT64_MAX;
};

enum class Ending : std::uint8_t { Finished, Error, Deadlock, LimitReached };
std::string_view to_string(Ending ending);

struct Exploration {
  /// Findings of all orders, each once; `insn` counts in the whole stream.
  std::vector<CheckFinding> findings;
  bool outputs_written = true;       ///< every byte of the outputs, in every order that finished
  bool outputs_agree = true;         ///< among orders, endings included
  Ending ending = Ending::Finished;  ///< ending of the first order
  std::string why;                   ///< the error's name, or who waits for what
  std::vector<std::byte> outputs;    ///< outputs of the first order
  unsigned orders = 0;
  bool all_orders = false;  ///< systematic_orders were enough

  /// Nothing is wrong but, perhaps, the result.
  bool clean() const {
    return findings.empty() && ending == Ending::Finished && outputs_written && outputs_agree;
  }
};

Exploration explore(const Experiment& experiment, const ExploreOptions& options = {});

}  // namespace vdla::sim
