// SPDX-License-Identifier: Apache-2.0
// The functions of a network on a GPU, for LayerTuning: each in its context as a compile for the GPU has it,
// timed by the device's own clock.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "runtime/grid/device.h"
#include "tools/tune/timed_trials.h"

namespace vdla::tune {

/// Seconds of a run of a program with this number of launches; `knobs` says by which: "by default", or a
/// book's.
using GpuStopwatch =
    std::function<double(gpu::Loaded& program, std::size_t launches, const std::string& knobs)>;
/// Seconds by the device's clock, the mean of as many runs as take about a millisecond.
double device_seconds(gpu::Loaded& program, std::size_t launches, const std::string& knobs);

struct GpuTrialOptions {
  std::string device = {};    ///< as kit::open_gpu() has its name
  double limit_seconds = 60;  ///< time in which the device opens
  GpuStopwatch stopwatch = device_seconds;
};

/// A network that a GPU of this machine computes; `compile` asks for one, without a book.
/// Devices are opened in the processes that measure, this one asks such a process for the name. Programs
/// that the device does not take are "unbuildable"; what breaks or hangs it, or computes something else than
/// the incumbent, has "failed" and leaves its process. UserError in one sentence where there is no device,
/// and for a network of which nothing runs there.
LayerTrials gpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                       const GpuTrialOptions& options);

}  // namespace vdla::tune
