// SPDX-License-Identifier: Apache-2.0
// Trials of vdla tune and points of vdla explore on nodes of a Slurm cluster, which vdla batch measures
// there.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "isa/spec/geometry.h"
#include "tools/explore/explore.h"
#include "tools/tune/network_tuning.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// Help of --fleet slurm:PARTITION.
std::string about_slurm_fleet();
/// Takes slurm:PARTITION[:TASKS], and anything else where boards may stand in its place.
CLI::Validator slurm_fleet(bool or_boards = false);

/// Takes NAME:1 or NAME:TYPE:1, one of a node's resources.
CLI::Validator slurm_resource();

/// A search on nodes: what they measure.
struct TuningElsewhere {
  std::string fleet;  ///< "slurm:PARTITION"
  /// A list of boards (vdla board hosts) under the name that it has on all nodes, of which a task takes one
  /// that is free, and what the task asks Slurm for ("board:1"); or empty.
  std::string boards, resources;
  std::string model;
  isa::Variant variant;
  std::uint64_t seed = 1;
  std::string folder;  ///< folder that all nodes see
};
/// Measures on nodes in place of processes here. Nodes that are lost are rows of `lost`, which must outlive
/// `how`.
void tune_on_slurm(const TuningElsewhere& what, const Context& context, nlohmann::ordered_json& lost,
                   tune::NetworkTuning::Options& how);

/// Runs a sweep, each point with the knobs of a search of `tune` trials; 0: with default knobs.
void explore_on_slurm(const std::string& fleet, std::int64_t tune, const Context& context,
                      explore::ExploreOptions& options);

}  // namespace vdla::tools
