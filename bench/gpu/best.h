// SPDX-License-Identifier: Apache-2.0
// Best results of bench_gpu_run, by the kind of their work (key_of() of tasks.h).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "bench/gpu/package.h"

namespace vdla::bench::gpu {

/// Result that bench_gpu_run wrote. UserError for a file of another writer. UserError for a file that it did
/// not.
Json read_result(const std::string& path);

/// Time and knobs of a function, by its key.
using BestKnobs = std::map<std::string, std::pair<double, std::string>>;

/// Best of right programs, and of the functions of networks; those of default knobs are left out.
BestKnobs best_of(const Json& result);

}  // namespace vdla::bench::gpu
