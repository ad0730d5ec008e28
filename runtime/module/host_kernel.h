// SPDX-License-Identifier: Apache-2.0
// How a session runs a kernel on the CPU: machine code of the module, loaded at run time, or anything that
// the caller makes, such as an interpreter of the kernel's loop program.
//
// Machine code has the C signature `void kernel(void* const* arguments)`: one pointer per argument of the
// step, each to a dense row-major tensor, aligned to its element type. It may call what
// runtime/code/imports.h allows (libm, memcpy, aligned_alloc, free), and keeps no state.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "runtime/module/module.h"
#include "support/parallel.h"

namespace vdla::runtime {

using HostKernel = std::function<void(std::span<void* const> arguments)>;

/// Makes the kernel of a step, or throws UserError. What it returns may be called once per inference, by one
/// thread at a time.
using HostKernelFactory = std::function<HostKernel(const HostStep& step)>;

/// Machine code of a module in this process.
class ObjectLoader {
 public:
  /// Takes the object that fits this machine's CPU; none() tells whether there was one. UserError when the
  /// object cannot be loaded. The objects need not outlive the loader.
  /// Parallel loops go through `hook`, which must outlive the loader.
  explicit ObjectLoader(const std::vector<KernelObject>& objects, ParallelHook hook = {});
  ObjectLoader(ObjectLoader&&) noexcept;
  ~ObjectLoader();

  /// No object fits; why_none() says what was needed and what is here.
  bool none() const;
  const std::string& why_none() const;

  /// UserError when the object itself has no such function: what else lies in this process is no kernel. The
  /// kernel lives as long as the loader.
  HostKernel kernel(const std::string& symbol);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vdla::runtime
