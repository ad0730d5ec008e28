// SPDX-License-Identifier: Apache-2.0
// A case as a program of the device: operands are loaded, the call's nest is lowered, the output is stored.
//
// Accumulators cannot be loaded or stored. They are put together of four int8 planes (mac from out, times 1,
// 2^8, 2^16, 2^24), and taken apart into five digits of base 128 (avg and mac on acc, add to out).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/check/case.h"
#include "isa/program/program.h"
#include "sim/contract.h"

namespace vdla::check {

struct CaseProgram {
  isa::Program program;
  std::vector<std::byte> input;  ///< contents of window input
  std::vector<isa::Insn> calls;  ///< instructions of the call's nest, without tokens
};

/// UserError where the lowering makes no legal program; the text says which rule.
CaseProgram make_program(const Case& c, const intrinsics::Intrinsic& intrinsic,
                         const isa::Geometry& geometry);

struct DeviceResult {
  std::string fault;                 ///< why it did not end, empty when it did
  std::vector<std::int64_t> output;  ///< the output's entries
};

DeviceResult run_program(sim::Engine& engine, const CaseProgram& program, const Case& c,
                         const intrinsics::Intrinsic& intrinsic);

}  // namespace vdla::check
