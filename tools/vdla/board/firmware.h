// SPDX-License-Identifier: Apache-2.0
// Firmware for simulated boards, made of a module or a self test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "boards/spec/board.h"
#include "runtime/module/module.h"

namespace vdla::tools {

/// Makes `elf` of files and flags by boards/firmware/build_firmware.sh. UserError "WHAT cannot be built for
/// board NAME: " and the end of what the script said.
void build_firmware(const boards::Board& board, const std::string& what,
                    const std::vector<std::string>& words, const std::filesystem::path& elf);

/// A module as firmware that runs it once on these inputs (of the model's types) and prints its outputs; all
/// of it is made in `folder`, and the program is the result. UserError where the module cannot be C for the
/// board's CPU, and as above.
std::filesystem::path build_model_firmware(const boards::Board& board, const runtime::Module& module,
                                           const std::vector<runtime::Bytes>& inputs,
                                           const std::filesystem::path& folder);

/// Takes what that firmware prints apart: outputs, and what goes on to people.
class ModelConsole {
 public:
  explicit ModelConsole(const runtime::Module& module) : module_(module) {}

  /// Whole lines that are no outputs.
  std::string take(std::string_view printed);
  /// Outputs in the model's types; empty where the firmware has not printed all of them.
  std::vector<runtime::Bytes> outputs() const;

 private:
  const runtime::Module& module_;
  std::string rest_;
  std::vector<runtime::Bytes> tensors_;
};

}  // namespace vdla::tools
