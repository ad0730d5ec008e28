// SPDX-License-Identifier: Apache-2.0
// A function of loop IR with its text: messages about its kernels name lines and buffers of that text, not
// those of the lowered function.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/loop/stmt.h"
#include "runtime/grid/device.h"

namespace vdla::kit {

class KernelSource {
 public:
  /// Throws UserError "line L, column C: ..." for text that is no function.
  explicit KernelSource(const std::string& text);

  const loop::Func& func() const { return func_; }

  /// Names the lines and buffers in the program of `lowered`, which is func() itself or func() after passes.
  /// A statement that a pass changed is found by the buffers that it stores to and loads from. Where several
  /// lines have these buffers, each is named. Where none has, the line of the lowered function is named, with
  /// the command that shows it.
  void name_in(gpu::Program& program, const loop::Func& lowered) const;

 private:
  std::string name_of(const loop::Stmt& stmt, unsigned line, const std::string& text) const;
  std::vector<unsigned> lines_of(const loop::Stmt& stmt) const;

  std::vector<std::string> text_;  ///< text by line
  std::unordered_map<const loop::Stmt*, unsigned> lines_;
  loop::Func func_;
};

}  // namespace vdla::kit
