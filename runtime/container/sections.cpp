// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/sections.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/container/alternatives_payload.h"
#include "runtime/container/gpu_payload.h"
#include "runtime/container/image_payload.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/provenance_payload.h"
#include "runtime/container/states_payload.h"
#include "runtime/module/module_check.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

constexpr std::string_view kPayload = "payload";

/// Kinds in the order in which they are written and decoded.
constexpr std::array kKinds = {
    SectionKind{kPayload, true, "tensors, steps, programs of the device, machine code of host kernels",
                [](const Module& m) { return std::optional(encode_payload(m)); }, decode_payload},
    SectionKind{"gpu", true, "programs of a GPU that compute host steps, and where their tensors lie",
                encode_gpu, decode_gpu},
    SectionKind{"states", true, "values that are kept from one run to the next", encode_states,
                decode_states},
    SectionKind{"alternatives", false, "other kernels for host steps, of which the first runs choose",
                encode_alternatives, decode_alternatives},
    SectionKind{"provenance", false, "what made the module, and of which model", encode_provenance,
                decode_provenance},
    SectionKind{"preprocessing", false, "how images become the input", encode_preprocessing,
                decode_preprocessing},
    SectionKind{"class-names", false, "names of the classes that the first output tells apart",
                encode_class_names, decode_class_names},
};

/// FlatBuffers reads numbers where they lie.
bool is_aligned(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

void decode(const SectionKind& kind, std::span<const std::byte> bytes, const std::string& name,
            Module& module) {
  if (is_aligned(bytes.data())) return kind.decode(bytes, name, module);
  const Bytes copy(bytes.begin(), bytes.end());
  kind.decode(copy, name, module);
}

}  // namespace

const SectionKind* find_section_kind(std::string_view name) {
  const auto* found = std::ranges::find(kKinds, name, &SectionKind::name);
  return found == kKinds.end() ? nullptr : found;
}

std::vector<Section> to_sections(const Module& module) {
  std::vector<Section> sections;
  for (const SectionKind& kind : kKinds)
    if (auto bytes = kind.encode(module))
      sections.push_back({std::string(kind.name), kind.required, std::move(*bytes)});
  for (const Section& kept : module.other_sections) sections.push_back(kept);
  return sections;
}

Module from_sections(const Container& container, const std::string& name) {
  VDLA_CHECK_USER(container.find(kPayload))
      << "'" << name << "' is corrupt: it has no section '" << kPayload << "'";
  Module module;
  for (const SectionView& s : container.sections) {
    if (find_section_kind(s.name)) continue;
    VDLA_CHECK_USER(!s.required)
        << "'" << name << "' needs section '" << s.name
        << "', which this kit does not know; use a newer kit, or compile the model again";
    module.other_sections.push_back({s.name, s.required, {s.bytes.begin(), s.bytes.end()}});
  }
  for (const SectionKind& kind : kKinds) {
    const SectionView* s = container.find(kind.name);
    if (s) decode(kind, s->bytes, name, module);
  }
  try {
    check(module);
  } catch (const UserError& e) {
    throw UserError("'" + name + "' is corrupt: " + e.what());
  }
  return module;
}

}  // namespace vdla::runtime
