// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/kernels.h"
#include "support/error.h"

namespace vdla::bundle {

KernelArchive make_kernels(const std::vector<KernelToMake>& kernels, const CpuTarget&) {
  throw UserError(
      "node '" + kernels.at(0).node +
      "' runs on the CPU, and this kit was built without LLVM, which makes its machine code; build it "
      "with LLVM 19");
}

}  // namespace vdla::bundle
