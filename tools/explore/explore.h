// SPDX-License-Identifier: Apache-2.0
// Runs a sweep: every point in a process of its own, each result a file named by what it depends on, so that
// a killed sweep goes on where it was and a repeated one costs nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/explore/measure.h"
#include "tools/explore/sweep.h"

namespace vdla::explore {

struct Network {
  std::string name;            ///< name in the zoo, or of the file
  std::filesystem::path file;  ///< the model, the zoo's ones written to the sweep's folder
  std::string hash;            ///< hash of the model's bytes
};

struct Point {
  std::size_t variant = 0, network = 0;  ///< indices
  std::string key;                       ///< equal keys: equal cycles
  Json result;  ///< as measure() gives it; "status": "failed" with "reason" when it threw
  bool cached = false;
};

struct Progress {
  std::size_t points = 0;  ///< to run, those with a result left out
  std::size_t done = 0, unbuildable = 0, failed = 0;
  double seconds = 0;  ///< since the first began
  std::string last;    ///< the point that ended
};

/// How a point is measured where default knobs will not do.
struct PointMeasure {
  std::string name;  ///< results are kept apart by it
  std::function<Json(const graph::Graph&, const isa::Variant&, const std::string& engine)> run;
};

/// A point that is to be measured.
struct OpenPoint {
  const SweepVariant* variant;
  const Network* network;
};

struct ExploreOptions {
  std::filesystem::path folder;      ///< results stay here: FOLDER/points, FOLDER/networks
  std::filesystem::path executable;  ///< results are kept apart by what is in it
  std::string engine = "systemc";
  unsigned jobs = 1;
  std::optional<PointMeasure> measure = {};  ///< none: measure() with default knobs
  /// Other machines in place of processes here: calls `arrived` once for each point, with what measure()
  /// gives, or "failed" and the reason. None: processes here.
  std::function<void(const std::vector<OpenPoint>&,
                     const std::function<void(std::size_t point, const Json& result)>& arrived)>
      elsewhere = {};
  std::function<void(const Progress&)> progress;
};

/// Files of the networks, names of the zoo written as files first.
std::vector<Network> resolve_networks(const std::vector<std::string>& names,
                                      const std::filesystem::path& folder);

/// All variants on all networks. Results of points that failed are not kept: the next run tries them again.
std::vector<Point> run_sweep(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
                             const ExploreOptions& options);

}  // namespace vdla::explore
