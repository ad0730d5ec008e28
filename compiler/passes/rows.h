// SPDX-License-Identifier: Apache-2.0
// The functions of the passes, declared by the list: a pass needs no header of its own. What each does stands
// at the top of its source.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/passes/list.h"

namespace vdla::passes {

#define VDLA_DECLARE(id, name, doc, run) loop::Func run(const loop::Func& func);
#define VDLA_DECLARED_ELSEWHERE(id, name, doc, run)
VDLA_LOOP_PASSES_BY(VDLA_DECLARE, VDLA_DECLARED_ELSEWHERE)
VDLA_GRID_PASSES_BY(VDLA_DECLARE, VDLA_DECLARED_ELSEWHERE)
#undef VDLA_DECLARE
#undef VDLA_DECLARED_ELSEWHERE

}  // namespace vdla::passes
