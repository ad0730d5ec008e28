// SPDX-License-Identifier: Apache-2.0
// Values of a module's states in the memory of a session. Internal to it.
#pragma once

#include <functional>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::runtime {

class KeptState {
 public:
  /// `data` gives the bytes of a tensor. Both outlive it.
  KeptState(const Module& module, std::function<std::byte*(TensorIndex)> data)
      : module_(module), data_(std::move(data)) {
    reset();
  }

  /// Values of the first run.
  void reset();
  /// Takes over what a run that is done has made.
  void go_on();
  std::vector<Bytes> values() const;
  /// UserError where they are not one for each state, of its size.
  void set(const std::vector<Bytes>& values);

 private:
  const Module& module_;
  std::function<std::byte*(TensorIndex)> data_;
};

}  // namespace vdla::runtime
