// SPDX-License-Identifier: Apache-2.0
// A transport of the driver core whose device is a simulated machine: its registers, its DMA memory, its
// interrupt. Waiting lets the machine's time pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/core/transport.h"
#include "driver/memory/arena.h"
#include "sim/contract.h"

namespace vdla::driver {

class SimTransport {
 public:
  /// The engine must outlive the transport.
  explicit SimTransport(sim::Engine& engine);
  SimTransport(const SimTransport&) = delete;
  SimTransport& operator=(const SimTransport&) = delete;

  /// For vdla_probe(); lives as long as this object.
  const vdla_transport* transport() const { return &transport_; }

  std::uint64_t allocated_bytes() const { return vdla_arena_taken(&arena_); }

 private:
  struct Calls;

  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment);
  template <class Body>
  int guarded(Body body);

  sim::Engine& engine_;
  vdla_transport transport_;
  std::vector<vdla_block> blocks_;  ///< the arena's table
  vdla_arena arena_;
  std::string last_error_;
};

}  // namespace vdla::driver
