// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer about SystemC's coroutines. Builds without it have an empty class.
#pragma once

namespace vdla::sim {

/// Stands where the program runs SystemC. SystemC says of each coroutine on which stack it goes on, but not
/// where the program's own stack lies: in the end of its life this says it, so that a later throw is followed
/// on the right stack.
class ProgramStack {
 public:
  ProgramStack() = default;
  ~ProgramStack();
  ProgramStack(const ProgramStack&) = delete;
  ProgramStack& operator=(const ProgramStack&) = delete;
};

}  // namespace vdla::sim
