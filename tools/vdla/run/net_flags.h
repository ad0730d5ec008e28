// SPDX-License-Identifier: Apache-2.0
// The network of vdla run and eval: a compiled module, or a model that is compiled on the way.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "runtime/module/module.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/trust.h"
#include "tools/vdla/compile/compile_flags.h"

namespace vdla::tools {

class NetFlags {
 public:
  /// `further` kinds of files that the command takes, for its help: ", or ...".
  void add_to(CLI::App& command, const std::string& further = "");

  const std::string& file() const { return file_; }
  /// For a program in the file, which has no other use of these options than --variant; "": it was not given.
  std::string variant_of_program() const;
  /// The module in the file, or what the network there compiles to: for the variant of `board` unless
  /// --variant says another one. Says what a user would have asked `vdla compile` for.
  runtime::Module load(const RemoteFlags& board, const Context& context) const;

 private:
  std::string file_;
  CompileFlags compile_;
  TrustFlag trust_;
};

/// Whether a regular file is a network that `vdla compile` takes.
bool is_to_compile(const std::string& file);

}  // namespace vdla::tools
