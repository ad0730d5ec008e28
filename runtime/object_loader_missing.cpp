// SPDX-License-Identifier: Apache-2.0
// The object loader of a kit that was built without LLVM: no object fits.
#include "runtime/host_kernel.h"
#include "support/error.h"

namespace vdla::runtime {

struct ObjectLoader::State {
  std::string why_none = "this kit was built without LLVM, which loads machine code";
};

ObjectLoader::ObjectLoader(const std::vector<KernelObject>&, ParallelHook)
    : state_(std::make_unique<State>()) {}
ObjectLoader::ObjectLoader(ObjectLoader&&) noexcept = default;
ObjectLoader::~ObjectLoader() = default;

bool ObjectLoader::none() const { return true; }
const std::string& ObjectLoader::why_none() const { return state_->why_none; }

HostKernel ObjectLoader::kernel(const std::string& symbol) {
  throw InternalError("no object is loaded, so there is no kernel '" + symbol + "'");
}

}  // namespace vdla::runtime
