// SPDX-License-Identifier: Apache-2.0
// vdla explain --memory: what a module takes of the device's memory, beside what a board has.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include "boards/spec/board.h"
#include "runtime/module/module.h"

namespace vdla::tools {

class MemoryFlags {
 public:
  void add_to(CLI::App& command);

  bool wanted() const { return wanted_; }
  /// Windows, their sum, and of a board its region, what is left of it, and the line of a device tree that
  /// reserves it. UserError for a board that is not known.
  nlohmann::ordered_json json(const runtime::Module& module) const;

 private:
  bool wanted_ = false;
  std::string board_;
};

/// Prints it for people.
void print_memory(const nlohmann::ordered_json& memory);

/// A board has enough, or none was asked for.
bool suffices(const nlohmann::ordered_json& memory);

}  // namespace vdla::tools
