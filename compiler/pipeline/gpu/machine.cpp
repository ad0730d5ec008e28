// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/gpu/machine.h"

#include <algorithm>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::pipeline::gpu {
namespace {

constexpr Machine kMachines[] = {
    {"desktop", "blocks with shared memory, many registers", 256, 32 << 10, 64, 4, 64, 128, 1024},
    // The paper's Mali: shared memory lies where all other memory does, and vectors are its width.
    {"embedded", "no shared memory, vectors in each thread", 64, 0, 16, 4, 4, 32, 16},
};

}  // namespace

std::span<const Machine> machines() { return kMachines; }

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Machine& machine : kMachines) names.emplace_back(machine.name);
  return names;
}

const Machine& machine_named(std::string_view name) {
  const auto found = std::ranges::find(kMachines, name, &Machine::name);
  VDLA_CHECK_USER(found != std::end(kMachines))
      << "no machine with a grid is called '" << name << "'" << did_you_mean(name, machine_names());
  return *found;
}

}  // namespace vdla::pipeline::gpu
