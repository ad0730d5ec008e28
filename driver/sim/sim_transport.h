// SPDX-License-Identifier: Apache-2.0
// A transport of the driver core whose device is a simulated machine: its registers, its DMA memory, its
// interrupt. Waiting lets the machine's time pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "driver/core/transport.h"
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

  std::uint64_t allocated_bytes() const;

 private:
  struct Calls;

  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment);
  void release(std::uint64_t address);
  template <class Body>
  int guarded(Body body);

  sim::Engine& engine_;
  vdla_transport transport_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  ///< address to bytes, of what is allocated
  std::string last_error_;
};

}  // namespace vdla::driver
