// SPDX-License-Identifier: Apache-2.0
// --trust of the commands that read modules: the one way in which they load them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "runtime/container/module_file.h"

namespace vdla::tools {

/// --interpret of run and eval, whose help pages say what it is for: modules are code.
CLI::Option* add_interpret(CLI::App& command, bool& interpret);

class TrustFlag {
 public:
  void add_to(CLI::App& command);

  runtime::LoadOptions options() const;
  /// UserError where --trust was given for `what`, which is no module.
  void refuse_for(const std::string& what) const;
  /// The module at `path`, signed by the trusted key where one is given.
  runtime::Module load(const std::string& path) const { return runtime::load(path, options()); }

 private:
  std::string key_;
};

}  // namespace vdla::tools
