// SPDX-License-Identifier: Apache-2.0
// Single functions on the road of a network's: their table of lowering, kernels of layers, programs. Checks
// of kernels and functions that no network has (kit/kernels, kit/device_function.h) reach the targets through
// this header.
#pragma once

#include <span>
#include <string>

#include "compiler/targets/target.h"

namespace vdla::pipeline {

/// Lowers a function by the device's table; `own`: intrinsics beside the machine's.
loop::Func lower_for_device(const loop::Func& func, const isa::Geometry& machine,
                            std::span<const intrinsics::Intrinsic> own);

/// Returns the table of lowering of a kind of GPU. UserError for a name of none, and where this build of the
/// kit lacks what makes its programs.
passes::Target gpu_table(const std::string& kind);

/// Makes a program of a function behind the kind's table.
vdla::gpu::Program gpu_program(const std::string& kind, const loop::Func& lowered);

/// The function of nodes that a compile for options.gpu takes, in front of the table. UserError with the
/// reason where there is none.
targets::Function gpu_function(const graph::Graph& graph, std::span<const graph::NodeId> nodes,
                               const CompileOptions& options, const targets::WantedKnobs& knobs);

}  // namespace vdla::pipeline
