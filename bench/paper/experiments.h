// SPDX-License-Identifier: Apache-2.0
// The experiments of the TVM paper, with what becomes of each here.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/paper/report.h"

namespace vdla::bench::paper {

struct Settings {
  std::filesystem::path executable;  ///< of this program; its siblings stand beside it
  std::string engine = "systemc";    ///< for cycles
  double seconds = 2;                ///< for each workload that is timed
};

struct Experiment {
  std::string id;       ///< for --figure
  std::string title;    ///< what the paper compares there
  std::string section;  ///< of the paper
  std::function<Report(const Settings&)> run;
  std::string missing;  ///< why it cannot be run here; empty: it can
};

const std::vector<Experiment>& experiments();

/// UserError lists the known ones.
const Experiment& experiment(const std::string& id);

Report figure4(const Settings& settings);
Report figure10(const Settings& settings);
Report figure18(const Settings& settings);
Report figure21(const Settings& settings);
Report table2(const Settings& settings);

}  // namespace vdla::bench::paper
