// SPDX-License-Identifier: Apache-2.0
// What bench_gpu_run found best, by what kind of work it was of (key_of() of tasks.h).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "bench/gpu/package.h"

namespace vdla::bench::gpu {

/// What bench_gpu_run wrote. UserError for a file that it did not.
Json read_result(const std::string& path);

/// By the key of a function: its time, its knobs.
using BestKnobs = std::map<std::string, std::pair<double, std::string>>;

/// Of right programs, and of the functions of networks; those of default knobs are left out.
BestKnobs best_of(const Json& result);

}  // namespace vdla::bench::gpu
