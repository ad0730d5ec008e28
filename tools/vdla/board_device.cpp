// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board_device.h"

#include <fmt/format.h>

#include <array>

#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "support/error.h"

namespace vdla::tools {

void BoardDeviceFlags::add_to(CLI::App& command) {
  command.add_option("--variant", variant,
                     "Variant of the machine: name or file; default: the board's, or tiny");
  engine.add_to(command);
  CLI::Option* device = command
                            .add_option("--uio", uio,
                                        "The device of this machine in place of an engine: a UIO device by "
                                        "number (uio0) or by name (vdla)")
                            ->excludes("--engine");
  command
      .add_option("--udmabuf", udmabuf,
                  "Its memory is this u-dma-buf, which the CPU caches, not the reserved one")
      ->needs(device);
}

BoardDevice::BoardDevice(const BoardDeviceFlags& flags, const isa::Variant& variant) {
  if (flags.uio.empty()) {
    engine_ = kit::make_engine(flags.engine.engine, variant, flags.engine.options());
    sim_ = std::make_unique<driver::SimTransport>(*engine_);
    transport_ = sim_->transport();
    name_ = fmt::format("engine {}, {}", engine_->name(), isa::label(variant));
    return;
  }
  vdla_uio_options options{};
  options.device = flags.uio.c_str();
  if (!flags.udmabuf.empty()) options.udmabuf = flags.udmabuf.c_str();
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  vdla_uio* uio = nullptr;
  const vdla_driver_status status = vdla_uio_open(&options, &uio, why.data(), why.size());
  VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << "--uio " << flags.uio << ": " << why.data();
  uio_.reset(uio);
  transport_ = vdla_uio_transport(uio);
  name_ = "UIO device " + flags.uio;
}

}  // namespace vdla::tools
