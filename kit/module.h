// SPDX-License-Identifier: Apache-2.0
// A network compiled: what the compiler makes (compiler/pipeline/compile.h) as what the runtime runs
// (runtime/module/module.h). This is the one place where both meet.
//
//   pipeline::CompileOptions options;
//   options.variant = isa::load_variant("paper");
//   runtime::Module module = kit::compile_module(kit::read_network("net.tflite"), options);
//   runtime::save(module, "net.vdla");                       // or run it as it is
#pragma once

#include "compiler/pipeline/compile.h"
#include "runtime/container/module_file.h"
#include "runtime/module/module.h"

namespace vdla::kit {

/// UserError names the node that cannot be compiled, and the option that does not fit the network.
runtime::Module compile_module(const graph::Graph& graph, const pipeline::CompileOptions& options);

/// A graph compiled for the CPU alone; variant and target of the options do not count.
runtime::Module compile_for_cpu(const graph::Graph& graph, pipeline::CompileOptions options = {});

/// Whether steps on the CPU have their functions. Without them a module times the device, and computes
/// nothing on the CPU (SessionOptions::host_steps).
enum class HostCode : unsigned char { Kept, LeftOut };

/// For who looks into the compiled model first.
runtime::Module to_module(const pipeline::CompiledModel& model, HostCode host_code = HostCode::Kept);

}  // namespace vdla::kit
