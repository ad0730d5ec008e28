// SPDX-License-Identifier: Apache-2.0
#include "tools/runner/device.h"

#include <array>

#include "sim/functional/engine.h"
#include "support/error.h"

namespace vdla::runner {

BoardOrEngine::BoardOrEngine(const DeviceChoice& choice, const isa::Variant& variant) {
  if (!choice.engine.empty()) {
    name_ = "engine " + choice.engine;
    engine_ = sim::make_functional_engine(variant);
    sim_ = std::make_unique<driver::SimTransport>(*engine_);
    transport_ = sim_->transport();
    return;
  }
  name_ = "UIO device " + choice.uio;
  vdla_uio_options options{};
  options.device = choice.uio.c_str();
  if (!choice.udmabuf.empty()) options.udmabuf = choice.udmabuf.c_str();
  options.no_reset = options.shared = choice.look ? 1 : 0;
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  vdla_uio* uio = nullptr;
  const vdla_driver_status status = vdla_uio_open(&options, &uio, why.data(), why.size());
  VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << why.data();
  uio_.reset(uio);
  transport_ = vdla_uio_transport(uio);
}

}  // namespace vdla::runner
