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

/// A network that is ready to run.
struct Net {
  std::string file;  ///< file that the user named
  runtime::Module module;
  bool compiled = false;              ///< `file` is no module
  import::ImportOptions import = {};  ///< options of the network, where it was compiled here

  /// The module's own file, signature included, for a board that loads it itself.
  runtime::Bytes module_file() const;
  /// The network that it was compiled of: `file`, or for a module `model`, the value of --model. UserError
  /// where a module has none, and for one beside a network.
  std::string network_file(const std::string& model) const;
};

class NetFlags {
 public:
  /// `further` kinds of files that the command takes, for its help: ", or ...".
  void add_to(CLI::App& command, const std::string& further = "");

  const std::string& file() const { return file_; }
  /// For a program in the file, which has no other use of these options than --variant; "": it was not given.
  std::string variant_of_program() const;
  /// Loads the module, or compiles the network, for the variant of `board` unless --variant says another one.
  /// A note says what was compiled.
  Net load(const RemoteFlags& board, const Context& context) const;
  /// Another module, held to the same trust.
  runtime::Module load_module(const std::string& file) const { return trust_.load(file); }

 private:
  std::string file_;
  CompileFlags compile_;
  TrustFlag trust_;
};

}  // namespace vdla::tools
