// SPDX-License-Identifier: Apache-2.0
// Machine code of a relocatable ELF object in memory of this process, linked: code that is read and executed,
// constants that are read, variables. Nothing is writable and executable at any time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/parallel.h"

namespace vdla::runtime {

class DebugEntry;

class LinkedObject {
 public:
  /// Sets the object's variable `vdla_parallel`, where it has one. UserError where the object is not what
  /// the compiler makes, and where it wants what kernels may not call. The bytes need not outlive it.
  LinkedObject(std::span<const std::byte> elf, const ParallelHook& hook);
  LinkedObject(const LinkedObject&) = delete;
  LinkedObject& operator=(const LinkedObject&) = delete;
  ~LinkedObject();

  /// 0: the object defines no such function for others.
  std::uintptr_t kernel(const std::string& name) const;

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const;
  };
  class Link;

  std::unique_ptr<std::byte, Unmap> memory_{nullptr, Unmap{}};
  std::map<std::string, std::uintptr_t, std::less<>> kernels_;
  std::unique_ptr<DebugEntry> debug_;  ///< null: the code has no line tables
};

}  // namespace vdla::runtime
