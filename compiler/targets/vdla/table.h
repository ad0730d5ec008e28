// SPDX-License-Identifier: Apache-2.0
// The device's table of lowering, whole: tensorization, which needs a machine's intrinsics, so that no pass
// by name can do it, in front of the rows of passes::device_target(). What the last row leaves,
// compiler/codegen/vdla takes.
//
//   const auto table = target::device_table(intrinsics::device_intrinsics(geometry));
//   segment.add(layer, passes::lower(table, lower::lower(s, args, name)), places);
//
// 'vdla opt --lower=vdla --variant NAME' runs it over text, and 'vdla compile --print-after' shows what its
// rows make of a network's functions.
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/passes/target.h"

namespace vdla::target {

/// Returns the rows in the order in which a compile runs them: marks become calls of `intrinsics`, copies
/// DMA; then virtual threads are written out.
passes::Target device_table(std::vector<intrinsics::Intrinsic> intrinsics);

}  // namespace vdla::target
