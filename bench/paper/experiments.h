// SPDX-License-Identifier: Apache-2.0
// The experiments of the TVM paper, with what becomes of each here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/paper/report.h"

namespace vdla::bench::paper {

struct Settings {
  std::filesystem::path executable;  ///< path of this program; its siblings stand beside it
  std::string engine = "systemc";    ///< for cycles
  double seconds = 2;                ///< for each workload that is timed
  int seeds = 5;                     ///< seeds of each search of Figure 12
  std::int64_t known = 2000;         ///< trials of each search for the best known cost there
  int tasks = 0;                     ///< number of its layers, the small ones first; 0: all
  bool cpu = false;                  ///< it on this machine's CPU, float layers, in the place of the device
  unsigned jobs = 1;                 ///< trials at once
  std::filesystem::path logs;        ///< folder that keeps its trials, so that none is measured twice
  std::filesystem::path gpu_record;  ///< record of bench/gpu, for Figures 7, 14 and 15
};

struct Experiment {
  std::string id;       ///< for --figure
  std::string title;    ///< comparison of the paper there
  std::string section;  ///< section of the paper
  std::function<Report(const Settings&)> run;
  std::string missing;            ///< why it cannot be run here; empty: it can
  std::string only_by_name = {};  ///< reason why it runs only when it is named; empty: it is among all
};

const std::vector<Experiment>& experiments();

/// UserError lists the known ones.
const Experiment& experiment(const std::string& id);

Report figure4(const Settings& settings);
Report figure7(const Settings& settings);
Report figure10(const Settings& settings);
Report figure12(const Settings& settings);
Report figure14(const Settings& settings);
Report figure15(const Settings& settings);
Report figure18(const Settings& settings);
Report figure21(const Settings& settings);
Report table2(const Settings& settings);

}  // namespace vdla::bench::paper
