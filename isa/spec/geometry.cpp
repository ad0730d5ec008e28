// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/geometry.h"

#include <bit>

#include "isa/spec/version.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

void check_power_of_two(std::string_view name, unsigned value, unsigned low, unsigned high,
                        const char* part = "geometry") {
  VDLA_CHECK_USER(std::has_single_bit(value) && value >= low && value <= high)
      << part << ": " << name << " is " << value << ", needs a power of two from " << low << " to " << high;
}

/// More than any memory or process has: beyond, a simulation would not end, or divide by nothing.
constexpr unsigned kMaxLatency = 1'000'000;
constexpr double kMinClock = 1e-3, kMaxClock = 1e5;  // MHz

}  // namespace

void validate(const Geometry& g) {
  for (const GeometryField& f : kGeometryFields) check_power_of_two(f.name, g.*f.member, f.least, f.most);
}

void validate(const Timing& t) {
  VDLA_CHECK_USER(t.dram_latency >= 1 && t.dram_latency <= kMaxLatency)
      << "timing: dram_latency is " << t.dram_latency << ", needs 1 to " << kMaxLatency << " cycles";
  VDLA_CHECK_USER(t.dram_outstanding >= 1 && t.dram_outstanding <= 64)
      << "timing: dram_outstanding is " << t.dram_outstanding << ", needs 1 to 64";
  check_power_of_two("dram_bytes_per_cycle", t.dram_bytes_per_cycle, 1, 64, "timing");
  check_power_of_two("dram_burst_bytes", t.dram_burst_bytes, 16, 4096, "timing");
  VDLA_CHECK_USER(t.clock_mhz >= kMinClock && t.clock_mhz <= kMaxClock)
      << "timing: clock_mhz is " << t.clock_mhz << ", needs " << kMinClock << " to " << kMaxClock;
}

std::uint64_t geometry_hash(const Geometry& g) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto add = [&](std::uint32_t value) {
    for (int byte = 0; byte < 4; ++byte) {
      hash ^= (value >> (8 * byte)) & 0xff;
      hash *= 0x100000001b3ull;
    }
  };
  add(kIsaVersion);
  for (const GeometryField& f : kGeometryFields) add(g.*f.member);
  return hash;
}

}  // namespace vdla::isa
