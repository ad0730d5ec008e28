// SPDX-License-Identifier: Apache-2.0
// Libraries of drivers, which are opened by name when a device is asked for; private to this folder.
#pragma once

#include <dlfcn.h>

#include <string>

#include "runtime/grid/device.h"

namespace vdla::gpu {

/// Functions by name. The library stays open: drivers do not survive being closed.
class Library {
 public:
  /// NoDevice where it is not here: what `owner` lacks, the system's reason, `remedy`.
  Library(const char* name, const std::string& owner, const std::string& remedy)
      : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw NoDevice(owner + " cannot be loaded (" + dlerror() + "); " + remedy);
  }

  /// UserError where it has no such function, which `needs` says.
  template <class F>
  void find(const char* function, F& address, const std::string& needs) const {
    address = reinterpret_cast<F>(dlsym(handle_, function));
    VDLA_CHECK_USER(address != nullptr) << name_ << " lacks " << function << ", needs " << needs;
  }

 private:
  const char* name_;
  void* handle_;
};

}  // namespace vdla::gpu
