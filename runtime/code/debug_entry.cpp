// SPDX-License-Identifier: Apache-2.0
#include "runtime/code/debug_entry.h"

#include <mutex>
#include <utility>

extern "C" {
// Weak: a program may have another part that tells debuggers (LLVM).
// NOLINTBEGIN(bugprone-reserved-identifier): these are the names
[[gnu::weak]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
[[gnu::weak, gnu::noinline]] void __jit_debug_register_code() { __asm__ volatile(""); }
// NOLINTEND(bugprone-reserved-identifier)
}

namespace vdla::runtime {
namespace {

enum DebugAction : std::uint32_t { kRegister = 1, kUnregister = 2 };

std::mutex& debug_mutex() {
  static std::mutex mutex;
  return mutex;
}

void tell_debuggers(DebugAction action, jit_code_entry& entry) {
  __jit_debug_descriptor.relevant = &entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
}

}  // namespace

DebugEntry::DebugEntry(std::vector<std::byte> elf) : elf_(std::move(elf)) {
  entry_.symbol_file = reinterpret_cast<const char*>(elf_.data());
  entry_.symbol_file_bytes = elf_.size();
  const std::scoped_lock lock(debug_mutex());
  entry_.next = __jit_debug_descriptor.first;
  if (entry_.next != nullptr) entry_.next->previous = &entry_;
  __jit_debug_descriptor.first = &entry_;
  tell_debuggers(kRegister, entry_);
}

DebugEntry::~DebugEntry() {
  const std::scoped_lock lock(debug_mutex());
  (entry_.previous != nullptr ? entry_.previous->next : __jit_debug_descriptor.first) = entry_.next;
  if (entry_.next != nullptr) entry_.next->previous = entry_.previous;
  tell_debuggers(kUnregister, entry_);
}

}  // namespace vdla::runtime
