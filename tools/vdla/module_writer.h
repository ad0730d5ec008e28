// SPDX-License-Identifier: Apache-2.0
// What the compiler made, as what the runtime runs: the one place where both meet.
#pragma once

#include "compiler/pipeline/compile.h"
#include "runtime/module.h"

namespace vdla::tools {

runtime::Module to_module(const pipeline::CompiledModel& model);

/// A graph compiled for the CPU alone; variant and target of the options do not count.
runtime::Module cpu_module(const graph::Graph& graph, pipeline::CompileOptions options = {});

}  // namespace vdla::tools
