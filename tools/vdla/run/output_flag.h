// SPDX-License-Identifier: Apache-2.0
// Option --output of commands that run networks.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::tools {

struct OutputFlag {
  std::string to;  ///< empty: nothing is written

  CLI::Option* add_to(CLI::App& command);
  /// UserError, before the work, where the outputs of the model cannot be written: one array is asked for and
  /// there are several outputs, or the folder has files.
  void require_place(const runtime::Module& module) const;
  /// Writes all outputs, each with the bytes of `count` runs one after the other: they follow each other
  /// along the first dimension.
  void write(const std::vector<runtime::Port>& outputs, const std::vector<runtime::Bytes>& bytes,
             std::size_t count = 1) const;

 private:
  /// Whether it is the file of one array, and no folder or archive.
  bool one_array() const;
};

}  // namespace vdla::tools
