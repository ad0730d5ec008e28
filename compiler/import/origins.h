// SPDX-License-Identifier: Apache-2.0
// Tensors of the model that a value is, or was made of, while it is imported.
#pragma once

#include <memory>
#include <string>

#include "support/source_tensor.h"

namespace vdla::import {

/// Values in a chain share what they were made of: one of thousands takes room for its own name only. Copies
/// are cheap and never change with each other.
class Origins {
 public:
  /// Origins of a value of the compiler's own.
  Origins() = default;
  /// The model's tensor of this name.
  explicit Origins(std::string name);

  /// The value is made of those as well, with at most this likeness.
  void add(const Origins& more, Likeness at_most);
  /// The value is the model's tensor of this name, too.
  void add(std::string name);

  bool empty() const { return node_ == nullptr; }
  /// Each name once with its closest likeness; in time that is linear in how many there are.
  Sources list() const;

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

}  // namespace vdla::import
