// SPDX-License-Identifier: Apache-2.0
// An engine as a PCI device behind QEMU's x-pci-proxy-dev: configuration space, one BAR with the registers,
// and INTA, over QEMU's protocol for devices in other processes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "boards/spec/board.h"
#include "sim/host/attached_engine.h"
#include "sim/host/connection.h"

namespace vdla::sim {

class PciDevice {
 public:
  /// Answers for an engine that must outlive it. UserError when QEMU says something else than its protocol
  /// has.
  PciDevice(const boards::Pci& ids, AttachedEngine& engine, Connection& qemu);

  /// Reads one request, which has arrived, and answers it.
  void serve();
  /// The level of INTA: the engine's interrupt, unless the driver has disabled it.
  bool interrupt_line();

 private:
  struct Request;

  Request receive();
  void receive_bytes(void* to, std::size_t bytes, std::vector<Descriptor>& descriptors);
  void reply(std::uint64_t value);
  std::uint32_t read_configuration(std::uint32_t address, unsigned bytes) const;
  void write_configuration(std::uint32_t address, unsigned bytes, std::uint32_t value);

  AttachedEngine& engine_;
  Connection& qemu_;
  std::array<std::uint8_t, 256> configuration_{}, writable_{};
};

}  // namespace vdla::sim
