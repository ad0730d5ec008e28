// SPDX-License-Identifier: Apache-2.0
// The tables of lowering: what turns a function of loop IR, as a schedule gives it, into what a target's code
// generator takes. A table is rows of passes in the order in which a compile runs them; after a row, some
// forms do not occur any more (compiler/form/form.h has these rules by row).
//
// 'vdla opt --list-passes' prints the tables, 'vdla opt --lower=cpu' (or vdla, opencl, cuda) runs one, and
// 'vdla compile --print-after' shows what its rows make of a network's functions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/form/form.h"
#include "compiler/passes/pass.h"

namespace vdla::passes {

/// A target's table of lowering.
struct Target {
  std::string_view name;  ///< as of --target
  std::vector<Pass> rows;
  std::span<const form::Rule> rules;  ///< each names the row from which on it holds

  /// Rules of a row; some rows have none.
  std::vector<form::Rule> rules_of(std::string_view row) const;
};

/// Machine code of CPUs: the passes of VDLA_LOOP_PASSES, in the order of the list. Marks become calls while
/// the loops are as the schedule has them; what asks for threads goes next, since there is no grid; then
/// storage, lanes before what writes loops out, and at the end simplification of addresses and of what
/// copies decide.
const Target& cpu_target();

/// Instructions of the device, of functions whose marks are calls of its intrinsics: the rows behind the
/// first of target::device_table() (compiler/targets/vdla/table.h), which needs a machine to have intrinsics.
/// virtual threads are written out in turns, so that while one waits for its tile another one works. Loops
/// are run, and storage found, over the stream of a whole step (compiler/codegen/vdla/pass.h).
const Target& device_target();

/// Kernels of OpenCL: blocks and threads stay, barriers stand where memory that they share needs them, and
/// each statement gets its threads at the end, since simplification takes loops of one iteration away.
/// Storage of one statement after the other becomes one buffer before barriers are put in, which see it then.
/// Loops are not cut ('partition-loops'): a guard is a condition, code twice as long is not.
const Target& opencl_target();
/// Kernels of LLVM for a grid, which are PTX and those of the emulator: the rows are those of OpenCL.
const Target& cuda_target();

/// All tables.
std::vector<const Target*> targets();
/// UserError that lists the names for one that is none of them.
const Target& find_target(std::string_view name);

enum class Verify : bool { No, Yes };

/// Runs the rows of any table; UserError for what no row makes true (form::require_given()). `observe` sees
/// each result. With Verify::Yes the function is verified before the first row and after each, and with it
/// the rules of all rows so far: as in run_passes(), what was broken before is a UserError, what a row breaks
/// an InternalError naming it.
loop::Func lower(const Target& target, loop::Func func, Verify verify = Verify::No,
                 const Observer& observe = {});

}  // namespace vdla::passes
