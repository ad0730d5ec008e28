// SPDX-License-Identifier: Apache-2.0
#include "tools/runner/device.h"

#include <array>

#include "sim/functional/engine.h"
#include "support/error.h"

namespace vdla::runner {

BoardOrEngine::BoardOrEngine(const Arguments& arguments, const isa::Variant& variant) {
  if (!arguments.engine.empty()) {
    name_ = "engine " + arguments.engine;
    engine_ = sim::make_functional_engine(variant);
    sim_ = std::make_unique<driver::SimTransport>(*engine_);
    transport_ = sim_->transport();
    return;
  }
  name_ = "UIO device " + arguments.uio;
  vdla_uio_options options{};
  options.device = arguments.uio.c_str();
  if (!arguments.udmabuf.empty()) options.udmabuf = arguments.udmabuf.c_str();
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  vdla_uio* uio = nullptr;
  const vdla_driver_status status = vdla_uio_open(&options, &uio, why.data(), why.size());
  VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << why.data();
  uio_.reset(uio);
  transport_ = vdla_uio_transport(uio);
}

}  // namespace vdla::runner
