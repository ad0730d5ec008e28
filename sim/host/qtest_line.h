// SPDX-License-Identifier: Apache-2.0
// QEMU's qtest protocol, as far as a device outside of QEMU needs it: the level of an interrupt line.
#pragma once

#include <string>

#include "sim/host/connection.h"

namespace vdla::sim {

/// An input of an interrupt controller.
class QtestLine {
 public:
  /// `object` is a path of QEMU's object model.
  QtestLine(Connection connection, std::string object, unsigned input)
      : connection_(std::move(connection)), object_(std::move(object)), input_(input) {}

  /// Returns when QEMU has it. UserError when QEMU has no such input.
  void set(bool high);
  bool high() const { return high_; }

 private:
  Connection connection_;
  std::string object_;
  unsigned input_;
  bool high_ = false;
};

}  // namespace vdla::sim
