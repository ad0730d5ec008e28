// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU, programs of a GPU. Nothing else in compiler/pipeline includes this header.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/model.h"

namespace vdla::pipeline {

CompiledModel compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace vdla::pipeline
