// SPDX-License-Identifier: Apache-2.0
// The device's table of lowering, whole: rows that need a machine's intrinsics, which a pass by name cannot
// have, in front of those of passes::device_target(). What the last row leaves, compiler/codegen/vdla takes.
//
//   const auto table = target::device_table(intrinsics::device_intrinsics(geometry));
//   segment.add(layer, target::lower(table, lower::lower(s, args, name)), places);
//
// 'vdla opt --lower=vdla --variant NAME' runs it over text, and 'vdla compile --print-after' shows what its
// rows make of a network's functions.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/form/form.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"
#include "compiler/passes/target.h"

namespace vdla::target {

struct Row {
  std::string_view name;
  std::function<loop::Func(const loop::Func&)> run;
  std::vector<form::Rule> rules;  ///< hold from here on
};

/// Rows in the order in which a compile runs them: marks become calls of `intrinsics`, copies DMA; then
/// virtual threads are written out.
std::vector<Row> device_table(std::vector<intrinsics::Intrinsic> intrinsics);

/// Called with each row that has run, and its result.
using Observer = std::function<void(const Row&, const loop::Func&)>;

/// Runs the rows. With Verify::Yes the function is verified before the first row and after each, and with it
/// the rules of all rows so far: as in passes::lower(), what was broken before is a UserError, what a row
/// breaks an InternalError naming it.
loop::Func lower(std::span<const Row> table, loop::Func func, passes::Verify verify = passes::Verify::No,
                 const Observer& observe = {});

}  // namespace vdla::target
