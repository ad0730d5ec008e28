// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/cut.h"

#include "support/nearest.h"

namespace vdla::import {

void refuse_unknown_tensor(const std::string& where, const std::string& name,
                           const std::vector<std::string>& known) {
  throw UserError(where + "has no tensor '" + name + "' at which it could be cut" +
                  did_you_mean(name, known) + " (vdla explain MODEL --tensors lists tensors)");
}

void refuse_idle_tensor(const std::string& where, const std::string& name) {
  throw UserError(where + "begins at tensor '" + name + "' (--from), which no output needs; leave it out");
}

}  // namespace vdla::import
