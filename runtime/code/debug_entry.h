// SPDX-License-Identifier: Apache-2.0
// Entry by which debuggers read code that is made at run time, as gdb's manual has it ("JIT Compilation
// Interface").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char* symbol_file;
  std::uint64_t symbol_file_bytes;
};
struct jit_descriptor {
  std::uint32_t version, action;
  jit_code_entry *relevant, *first;
};
// NOLINTNEXTLINE(bugprone-reserved-identifier): debuggers look for this name
extern jit_descriptor __jit_debug_descriptor;
}

namespace vdla::runtime {

/// Debuggers know of an object as long as this lives.
class DebugEntry {
 public:
  /// An ELF file whose sections say where they lie.
  explicit DebugEntry(std::vector<std::byte> elf);
  DebugEntry(const DebugEntry&) = delete;
  DebugEntry& operator=(const DebugEntry&) = delete;
  ~DebugEntry();

 private:
  std::vector<std::byte> elf_;
  jit_code_entry entry_{};
};

}  // namespace vdla::runtime
