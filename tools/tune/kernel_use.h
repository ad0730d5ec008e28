// SPDX-License-Identifier: Apache-2.0
// Trials of the layers of a module that adapts, as records of the tuner's log (stage "use"): a later run
// begins with what they chose, and a search learns from them (vdla tune --from).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/session/adaptation.h"

namespace vdla::tune {

/// The layer that a step computes (runtime::main_node()).
std::string layer_of(const runtime::Module& module, std::size_t step);

/// Log of modules on this machine, with `threads` for layers on the CPU.
class KernelUseLog {
 public:
  /// Reads what is there; no file is none. UserError for one that is not to be read, or of something else.
  KernelUseLog(std::string path, unsigned threads);

  /// Records that were there.
  std::size_t size() const { return ratios_.size() + wrong_.size(); }
  /// The fastest kernel of each step whose kernels the log knows all.
  std::map<std::size_t, std::size_t> chosen(const runtime::Module& module) const;
  /// Appends what steps have chosen since the last call that did: a record for each kernel, beside the step's
  /// own. UserError where the file cannot be written, LogBusy while another process writes into it.
  void add(const runtime::Module& module, const std::vector<runtime::StepUse>& use);

 private:
  std::string key(const runtime::Module& module, const runtime::StepAlternatives& step,
                  std::size_t kernel) const;

  std::string path_;
  unsigned threads_;
  std::string machine_;
  std::map<std::string, double> ratios_;  ///< times by key, each over that of the step's own kernel
  std::set<std::string> wrong_;           ///< keys of kernels that gave other results
  std::set<std::size_t> written_;         ///< steps
};

}  // namespace vdla::tune
