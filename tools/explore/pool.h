// SPDX-License-Identifier: Apache-2.0
// Work in child processes: a fault of one does not end the others, and SystemC's global state is each one's
// own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace vdla::explore {

/// Runs child(i) for i below `count` in at most `jobs` processes at once and calls done(i, fault) in this one
/// for each that ended; `fault` is empty when child(i) returned, else the exception's message or the signal.
/// Children end with this process. Throws InternalError when no process can be made.
void run_in_processes(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& child,
                      const std::function<void(std::size_t, const std::string& fault)>& done);

}  // namespace vdla::explore
