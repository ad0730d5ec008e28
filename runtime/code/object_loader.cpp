// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "runtime/code/cpu_fits.h"
#include "runtime/code/linked_object.h"
#include "runtime/module/host_kernel.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

using KernelFunction = void(void* const*);

}  // namespace

struct ObjectLoader::State {
  std::string why_none = "it has no machine code";
  std::optional<LinkedObject> object;
};

ObjectLoader::ObjectLoader(const std::vector<KernelObject>& objects, ParallelHook hook)
    : state_(std::make_unique<State>()) {
  for (const KernelObject& object : objects) {
    state_->why_none = why_cpu_does_not_fit(object);
    if (!state_->why_none.empty()) continue;
    state_->object.emplace(object.elf, hook);
    return;
  }
}

ObjectLoader::ObjectLoader(ObjectLoader&&) noexcept = default;
ObjectLoader::~ObjectLoader() = default;

bool ObjectLoader::none() const { return !state_->object; }
const std::string& ObjectLoader::why_none() const { return state_->why_none; }

HostKernel ObjectLoader::kernel(const std::string& symbol) {
  VDLA_CHECK(!none()) << "no object is loaded";
  const std::uintptr_t address = state_->object->kernel(symbol);
  VDLA_CHECK_USER(address != 0) << "the module's host kernels lack '" << symbol
                                << "'; compile the model again";
  auto* function = reinterpret_cast<KernelFunction*>(address);
  return [function](std::span<void* const> arguments) { function(arguments.data()); };
}

}  // namespace vdla::runtime
