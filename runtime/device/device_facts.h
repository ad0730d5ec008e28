// SPDX-License-Identifier: Apache-2.0
// Facts that a device gives of itself: the registers that never change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/core/device.h"
#include "isa/spec/geometry.h"

namespace vdla::runtime {

struct DeviceFacts {
  std::uint32_t isa_version = 0;
  std::uint64_t geometry_hash = 0;
  /// Numbers of the geometry, in the order of isa::kGeometryFields; empty: of another version of the ISA.
  std::vector<std::uint32_t> numbers{};
  std::uint32_t build_id = 0, clock_khz = 0;  ///< 0: not stated
  std::uint32_t address_bits = 0;             ///< 0: 64
};

/// Changes nothing. DeviceError where no device answers, or registers cannot be read.
DeviceFacts read_facts(const vdla_transport& transport);
/// Facts of an engine.
DeviceFacts simulated_facts(const isa::Geometry& geometry);

/// UserError where the device has none: another version of the ISA, or numbers that no machine has.
isa::Geometry geometry_of(const DeviceFacts& facts);
/// "inp_depth is 256, needs 2048; out_depth is 64, needs 512": the numbers that differ; empty: none.
std::string differences(const isa::Geometry& seen, const isa::Geometry& needed);

/// Whether programs for this geometry run on the device.
bool fits(const DeviceFacts& facts, const isa::Geometry& needed);
/// Why they do not: "the device has another geometry: inp_depth is 256, needs 2048"
std::string describe_mismatch(const DeviceFacts& facts, const isa::Geometry& needed);

/// Meanings of the registers, for people: "a simulator", "100 MHz", "not stated", "64 bits".
std::string build_text(std::uint32_t build_id);
std::string clock_text(std::uint32_t clock_khz);
std::string address_text(std::uint32_t address_bits);

/// As vdla_identity has them.
std::vector<std::uint32_t> numbers_of(const isa::Geometry& geometry);

}  // namespace vdla::runtime
