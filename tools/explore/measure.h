// SPDX-License-Identifier: Apache-2.0
// One point of a sweep: a network compiled for a variant and run on an engine.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "runtime/module/module.h"
#include "tools/explore/record.h"

namespace vdla::explore {

inline constexpr std::string_view kPointFormat = "vdla point 2";

/// {"format", "status": "ok", "record", "seconds", "lost": [{"node", "what"}]}; or "status": "unbuildable"
/// with the compiler's or the hardware's "reason", which holds on any machine. Seconds are of processor time.
/// Throws what is neither: what this machine lacks (memory, a library of the RTL), a fault of the kit, or of
/// the device while it runs. "lost" is what the compiler does on other variants but not on this one. Values
/// are not computed on the CPU, and steps there are left out: cycles do not depend on them. A caller that
/// chose knobs adds "default_cycles", those without them.
Json measure(const graph::Graph& graph, const pipeline::CompileOptions& options, const std::string& engine);
/// With all that the device can compute on it.
Json measure(const graph::Graph& graph, const isa::Variant& variant, const std::string& engine,
             bool latency_hiding = true);

/// Measures a module that is compiled already.
Json measure_module(runtime::Module module, const std::string& engine);

}  // namespace vdla::explore
