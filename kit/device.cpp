// SPDX-License-Identifier: Apache-2.0
#include "kit/device.h"

#include "driver/sim/sim_transport.h"

namespace vdla::kit {

OpenDevice open_engine(std::unique_ptr<sim::Engine> engine) {
  OpenDevice device{.name = "engine " + std::string(engine->name())};
  device.engine = std::move(engine);
  auto way = std::make_shared<driver::SimTransport>(*device.engine);
  device.transport = way->transport();
  device.owner = std::move(way);
  return device;
}

MemoryOfDevice OpenDevice::memory() const {
  if (engine) return {.first = engine->memory_base(), .bytes = engine->memory_size()};
  return {transport->dma_first, transport->dma_bytes, transport->dma_bits, transport->cache_line};
}

vdla_transport OpenDevice::with_memory() const {
  vdla_transport described = *transport;
  described.dma_first = memory().first;
  described.dma_bytes = memory().bytes;
  return described;
}

}  // namespace vdla::kit
