// SPDX-License-Identifier: Apache-2.0
#include "runtime/code/cpu_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/code/machine.h"

namespace vdla::runtime {
namespace {

template <class Use>
void for_each_name(std::string_view list, const Use& use) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma != 0) use(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

const machine::Feature* find_feature(std::string_view name) {
  for (const machine::Feature& feature : machine::features())
    if (feature.name == name) return &feature;
  return nullptr;
}

}  // namespace

std::string why_cpu_does_not_fit(const KernelObject& object) {
  const std::string_view triple = object.triple;
  if (machine::kElf == 0)
    return fmt::format("it is for {}, and this kit loads no machine code on {}", triple,
                       machine::kArchitecture);
  if (!machine::is_architecture(triple.substr(0, triple.find('-'))) ||
      triple.find("linux") == std::string_view::npos)
    return fmt::format("it is for {}, this is {} with Linux", triple, machine::kArchitecture);
  std::set<std::string_view> needed, said;
  const auto cpus = machine::cpus();
  const auto cpu = std::ranges::find(cpus, std::string_view(object.cpu), &machine::Cpu::name);
  if (cpu != cpus.end()) for_each_name(cpu->features, [&](std::string_view name) { needed.insert(name); });
  for_each_name(object.features, [&](std::string_view name) {
    said.insert(name.substr(1));
    if (name[0] == '+') needed.insert(name.substr(1));
    if (name[0] == '-') needed.erase(name.substr(1));
  });
  for (const std::string_view name : needed) {
    const machine::Feature* feature = find_feature(name);
    if (feature == nullptr) return fmt::format("this CPU lacks {}, as far as this kit knows", name);
    if (!feature->present(*feature)) return fmt::format("this CPU lacks {}", name);
  }
  // Code for the very CPU that it was made on says of each feature whether it has it (vdla compile
  // --cpu-native).
  if (cpu == cpus.end())
    for (const machine::Feature& feature : machine::features())
      if (!said.contains(feature.name))
        return fmt::format(
            "it is for CPU '{}', which this kit does not know, and does not say whether it uses {}",
            object.cpu, feature.name);
  return {};
}

}  // namespace vdla::runtime
