// SPDX-License-Identifier: Apache-2.0
// Reports of commands about the programs of a GPU in a module, and about their runs.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "kit/session.h"
#include "runtime/module/module.h"
#include "runtime/session/session.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// The programs, in a list; empty without any.
nlohmann::ordered_json gpu_programs_json(const runtime::Module& module);
/// A line for each.
void print_gpu_programs(const nlohmann::ordered_json& programs);

/// A run of them: the device, what was copied, the time of each layer.
nlohmann::ordered_json gpu_run_json(const runtime::Module& module, const runtime::Result& result,
                                    const gpu::Device& device);
void print_gpu_run(const nlohmann::ordered_json& run);

/// Says where knobs of the module's functions were tuned on another GPU than the session's; nothing without
/// one.
void say_tuned_device(const runtime::Module& module, const kit::Session& session, const Context& context);

}  // namespace vdla::tools
