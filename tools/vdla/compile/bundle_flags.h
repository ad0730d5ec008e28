// SPDX-License-Identifier: Apache-2.0
// vdla compile --emit c: the module as a folder of C for firmware; and for which CPUs its code is.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "compiler/bundle/bundle.h"
#include "compiler/options/options.h"
#include "runtime/module/module.h"

namespace vdla::tools {

class BundleFlags {
 public:
  void add_to(CLI::App& command);

  /// C was asked for.
  bool wanted() const { return emit_ == "c"; }
  /// Checks the output's name: a module ends in .vdla, a folder of C does not. For an option that is added
  /// behind these.
  CLI::Validator fits_output() const;
  /// UserError for an option that means nothing with what is emitted.
  void refuse_idle(const CLI::App& command) const;
  /// CPUs of Linux that a module's code is for; empty: this machine.
  std::vector<pipeline::CpuTarget> linux_cpus() const;
  /// Gives back what was written. UserError as bundle::bundle() says, before anything is.
  /// Notes say what is removed of an earlier run.
  bundle::Bundle write(const runtime::Module& module, const std::string& folder,
                       std::vector<std::string>& notes) const;

 private:
  std::vector<bundle::KnownAnswer> answers(const runtime::Module& module) const;

  std::string emit_ = "module", name_;
  std::vector<std::string> answers_;
  std::vector<std::string> cpu_targets_;
  std::size_t most_answers_ = 2;
};

}  // namespace vdla::tools
