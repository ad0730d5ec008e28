// SPDX-License-Identifier: Apache-2.0
// Calls of a transport that travel to another process: what they are, and who performs them there on the
// transport that has the device. Nothing here knows how they travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/core/transport.h"

namespace vdla::driver {

// X(Name): the functions of vdla_transport. Their numbers travel between releases: new ones go to the end.
#define VDLA_ACCESSES(X) \
  X(Read32)              \
  X(Write32)             \
  X(Alloc)               \
  X(Free)                \
  X(CopyIn)              \
  X(CopyOut)             \
  X(SyncForDevice)       \
  X(SyncForCpu)          \
  X(Arm)                 \
  X(Wait)                \
  X(HardReset)           \
  X(Configured)

enum class AccessKind : std::uint8_t {
#define VDLA_ENUM(name) name,
  VDLA_ACCESSES(VDLA_ENUM)
#undef VDLA_ENUM
};
inline constexpr unsigned kAccessKinds =
#define VDLA_ONE(name) 1 +
    VDLA_ACCESSES(VDLA_ONE) 0;
#undef VDLA_ONE

/// Most bytes of one CopyIn or CopyOut.
inline constexpr std::uint64_t kMaxCopyBytes = 1 << 20;

struct AccessRequest {
  AccessKind kind = AccessKind::Read32;
  std::uint64_t address = 0;  ///< address of a register or of memory
  std::uint64_t value = 0;    ///< to write, bytes, or a time
  std::uint64_t alignment = 0;
  std::vector<std::byte> data{};
};

struct AccessReply {
  std::string error{};      ///< empty: it went well
  std::uint64_t value = 0;  ///< value read, an address, or a vdla_wait_result
  std::uint64_t spent = 0;
  /// Bytes copied out, or the name of what says that the fabric is configured.
  std::vector<std::byte> data{};
};

/// Facts that a transport gives of itself.
struct TransportFacts {
  std::string time_unit{};
  bool arms = false, resets_hard = false, asks_fpga = false;
  std::uint32_t units_per_second = 0, first_wait = 0, cache_line = 0, dma_bits = 0;
  std::uint64_t dma_first = 0, dma_bytes = 0;
};
TransportFacts facts_of(const vdla_transport& transport);

/// Performs what a stranger asks for: registers of the device, and memory that was allocated here. Memory is
/// given back at the end.
class Accesses {
 public:
  /// The transport must outlive this.
  explicit Accesses(const vdla_transport* transport) : transport_(transport) {}
  ~Accesses();
  Accesses(const Accesses&) = delete;
  Accesses& operator=(const Accesses&) = delete;

  AccessReply perform(const AccessRequest& request);

 private:
  AccessReply perform_registers(const AccessRequest& request);
  AccessReply perform_memory(const AccessRequest& request);
  std::string why_not_ours(std::uint64_t address, std::uint64_t bytes) const;
  AccessReply done(int result, AccessReply reply = {}) const;

  const vdla_transport* transport_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  ///< address, bytes
};

}  // namespace vdla::driver
