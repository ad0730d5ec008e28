// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/vdla/kernel_object.h"

namespace vdla::tools {

std::vector<std::byte> kernel_object(const loop::Func& func, const std::string&) {
  throw UserError("no machine code of '" + func.name +
                  "': this kit was built without LLVM; build it with LLVM 19");
}

}  // namespace vdla::tools
