// SPDX-License-Identifier: Apache-2.0
// What bench_gpu_run found best, by what kind of work it was of (key_of() of tasks.h).
#pragma once

#include <map>
#include <string>

#include "bench/gpu/package.h"

namespace vdla::bench::gpu {

/// What bench_gpu_run wrote. UserError for a file that it did not.
Json read_result(const std::string& path);

/// Knobs by key; those of default knobs are left out.
std::map<std::string, std::string> best_of(const Json& result);

}  // namespace vdla::bench::gpu
