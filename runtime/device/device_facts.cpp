// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_facts.h"

#include <fmt/format.h>

#include "driver/core/registers.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "runtime/device/device_error.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

/// Empty also where they cannot be compared.
std::string differences(const std::vector<std::uint32_t>& seen, const std::vector<std::uint32_t>& needed) {
  constexpr std::string_view kBetween = "; ";
  std::string text(VDLA_MESSAGE_BYTES, '\0');
  vdla_text of = vdla_text_in(text.data(), text.size());
  if (seen.size() == needed.size()) vdla_add_geometry(&of, seen.data(), needed.data());
  text.resize(of.used);
  if (text.ends_with(kBetween)) text.resize(text.size() - kBetween.size());
  return text;
}

}  // namespace

DeviceFacts read_facts(const vdla_transport& transport) {
  vdla_device device{};
  check_status(device, vdla_probe(&device, &transport));
  const auto get = [&](isa::Register r) {
    std::uint32_t value = 0;
    check_status(device, vdla_get(&device, static_cast<std::uint32_t>(r), &value));
    return value;
  };
  DeviceFacts facts{.isa_version = device.identity.isa_version,
                    .geometry_hash = device.identity.geometry_hash};
  if (facts.isa_version != isa::kIsaVersion) return facts;
  for (std::size_t i = 0; i < isa::kGeometryFields.size(); ++i)
    facts.numbers.push_back(get(isa::geometry_register(i)));
  facts.build_id = get(isa::Register::BUILD_ID);
  facts.clock_khz = get(isa::Register::CLOCK_KHZ);
  facts.address_bits = device.address_bits;
  return facts;
}

DeviceFacts simulated_facts(const isa::Geometry& geometry) {
  return {.isa_version = isa::kIsaVersion,
          .geometry_hash = isa::geometry_hash(geometry),
          .numbers = numbers_of(geometry),
          .build_id = isa::kSimulatedBuild,
          .address_bits = isa::kSimulatedAddressBits};
}

isa::Geometry geometry_of(const DeviceFacts& facts) {
  VDLA_CHECK_USER(facts.isa_version == isa::kIsaVersion &&
                  facts.numbers.size() == isa::kGeometryFields.size())
      << "the device has ISA version " << facts.isa_version << ", this kit reads the geometry of version "
      << isa::kIsaVersion << "; use the kit that the device was built from";
  isa::Geometry geometry;
  for (std::size_t i = 0; i < facts.numbers.size(); ++i)
    geometry.*isa::kGeometryFields[i].member = facts.numbers[i];
  isa::validate(geometry);
  VDLA_CHECK_USER(isa::geometry_hash(geometry) == facts.geometry_hash) << fmt::format(
      "register GEOMETRY_HASH of the device is {:#018x}, its geometry has {:#018x}; build the "
      "hardware with that as its parameter GeometryHash",
      facts.geometry_hash, isa::geometry_hash(geometry));
  return geometry;
}

std::string differences(const isa::Geometry& seen, const isa::Geometry& needed) {
  return differences(numbers_of(seen), numbers_of(needed));
}

bool fits(const DeviceFacts& facts, const isa::Geometry& needed) {
  return facts.isa_version == isa::kIsaVersion && facts.geometry_hash == isa::geometry_hash(needed);
}

std::string describe_mismatch(const DeviceFacts& facts, const isa::Geometry& needed) {
  if (facts.isa_version != isa::kIsaVersion)
    return fmt::format("the device has ISA version {}, this kit has version {}", facts.isa_version,
                       isa::kIsaVersion);
  const std::string text = differences(facts.numbers, numbers_of(needed));
  if (text.empty())
    return fmt::format("register GEOMETRY_HASH of the device is {:#018x}, needs {:#018x}",
                       facts.geometry_hash, isa::geometry_hash(needed));
  return "the device has another geometry: " + text;
}

std::string build_text(std::uint32_t build_id) {
  if (build_id == 0) return "not stated";
  return build_id == isa::kSimulatedBuild ? "a simulator" : fmt::format("{:08x}", build_id);
}

std::string clock_text(std::uint32_t clock_khz) {
  constexpr double kKilohertz = 1e-3;  // MHz of a kilohertz
  return clock_khz == 0 ? "not stated" : fmt::format("{:g} MHz", clock_khz * kKilohertz);
}

std::string address_text(std::uint32_t address_bits) {
  return fmt::format("{} bits", address_bits == 0 ? isa::kSimulatedAddressBits : address_bits);
}

std::vector<std::uint32_t> numbers_of(const isa::Geometry& geometry) {
  std::vector<std::uint32_t> numbers;
  for (const isa::GeometryField& f : isa::kGeometryFields) numbers.push_back(geometry.*f.member);
  return numbers;
}

}  // namespace vdla::runtime
