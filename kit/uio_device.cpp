// SPDX-License-Identifier: Apache-2.0
#include "kit/uio_device.h"

#include <array>

#include "isa/spec/registers.h"
#include "support/error.h"

namespace vdla::kit {

UioDevice::UioDevice(const UioOptions& wanted) : name_(wanted.name()) {
  vdla_uio_options options{};
  options.root = wanted.root.c_str();
  options.device = wanted.device.c_str();
  if (!wanted.udmabuf.empty()) options.udmabuf = wanted.udmabuf.c_str();
  options.no_reset_by_signals = wanted.reset_by_signals ? 0 : 1;  // interrupt() is what answers them
  options.no_reset = wanted.use == UioUse::Keep || wanted.use == UioUse::Look;
  options.shared = wanted.use == UioUse::Look;
  options.ask_fpga_later = wanted.use == UioUse::Test;
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  vdla_uio* uio = nullptr;
  const Uninterrupted held;
  const vdla_driver_status status = vdla_uio_open(&options, &uio, why.data(), why.size());
  VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << why.data();
  uio_.reset(uio);
  if (options.no_reset) return;
  reset_.emplace(held, [this](const Uninterrupted&) -> std::string {
    const vdla_transport* t = transport();
    const bool failed = t->write32(t->context, static_cast<std::uint32_t>(isa::Register::CONTROL),
                                   isa::kControlSoftReset) != 0;
    return failed ? "" : "reset the device";
  });
}

}  // namespace vdla::kit
