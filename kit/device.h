// SPDX-License-Identifier: Apache-2.0
// A device that is open, of any kind: an engine, or one that an object of its own holds (kit/uio_device.h,
// kit/xrt_device.h). This header needs neither the compiler nor an engine, so static programs of boards have
// it.
//
//   const kit::OpenDevice device = kit::open_device<kit::UioDevice>(kit::UioOptions());
//   kit::Session session(module, device.transport, device.name);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "driver/core/transport.h"
#include "sim/contract.h"

namespace vdla::kit {

/// DMA memory that a device has.
struct MemoryOfDevice {
  std::uint64_t first = 0, bytes = 0;
  unsigned address_bits = 0;  ///< bits that its port has; 0: 64
  unsigned cache_line = 0;    ///< bytes of a line of the CPU's caches before it; 0: none
};

/// The last copy gives the device back.
struct OpenDevice {
  std::string name;  ///< for people: "engine rtl", "UIO device vdla"
  const vdla_transport* transport = nullptr;
  std::shared_ptr<sim::Engine> engine{};  ///< null: no engine
  std::shared_ptr<const void> owner{};    ///< holder of the device, or of the way to the engine

  MemoryOfDevice memory() const;
  /// The transport, which says of an engine as well where its memory is.
  vdla_transport with_memory() const;
};

OpenDevice open_engine(std::unique_ptr<sim::Engine> engine);

/// Device of an object that is made here and has a transport and a name. UserError as its constructor says.
template <class Owner, class... Arguments>
OpenDevice open_device(Arguments&&... arguments) {
  auto owner = std::make_shared<Owner>(std::forward<Arguments>(arguments)...);
  return {owner->name(), owner->transport(), nullptr, owner};
}

}  // namespace vdla::kit
