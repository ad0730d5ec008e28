// SPDX-License-Identifier: Apache-2.0
// Runs programs by isa/semantics, for tests of the code generator: in program order, or by units with queues
// and tokens in a random interleaving where each instruction takes effect at a random moment between its
// start and its end.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "compiler/codegen/vdla/segment.h"
#include "isa/program/program.h"

namespace vdla::codegen::testing {

using Bytes = std::vector<std::byte>;

/// Contents of the data windows (act, input, output, ...), by window.
using WindowData = std::vector<Bytes>;
WindowData make_windows(const isa::Program& program);

/// Both throw std::runtime_error with the instruction's index on a fault, or when nothing can move.
void run_in_order(const isa::Program& program, WindowData& data);
void run_units(const isa::Program& program, WindowData& data, std::mt19937& random);

/// segment.finish(), the stream verified before and after each pass.
isa::Program finish_verified(SegmentBuilder& segment);

/// One line per instruction, members that are not 0 (counts: 1).
std::string to_text(const isa::Program& program);

}  // namespace vdla::codegen::testing
