// SPDX-License-Identifier: Apache-2.0
// The functions of a model on the CPU.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "compiler/loop/stmt.h"

namespace vdla::pipeline {

/// Equal ones are one, whatever the nodes that they were made for, and others have names of their own, also
/// where names of nodes give the same one.
class Functions {
 public:
  struct Added {
    loop::Func func;
    bool is_new;
  };
  Added add(loop::Func func);

 private:
  /// Functions of the same parameters.
  struct Alike {
    std::optional<loop::Func> first;
    std::map<std::string, loop::Func> by_body;
  };

  loop::Func named(loop::Func func);

  std::map<std::string, Alike> by_parameters_;
  std::set<std::string> names_;
};

}  // namespace vdla::pipeline
