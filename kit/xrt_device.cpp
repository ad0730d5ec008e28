// SPDX-License-Identifier: Apache-2.0
#include "kit/xrt_device.h"

#include <dlfcn.h>

#include <array>

#include "isa/spec/registers.h"
#include "kit/prefix.h"
#include "support/error.h"
#include "support/path.h"

namespace vdla::kit {
namespace {

/// The C interface of driver/xrt/xrt.h in its library, which stays loaded.
struct XrtLibrary {
  decltype(&vdla_xrt_open) open;
  decltype(&vdla_xrt_close) close;
  decltype(&vdla_xrt_transport) transport;
  decltype(&vdla_xrt_libraries) libraries;
};

XrtLibrary load_xrt() {
  const std::filesystem::path path = prefix() / "lib/vdla/xrt/libvdla_xrt.so";
  VDLA_CHECK_USER(is_there(path)) << "this kit was built without XRT (" << path.string()
                                  << " is missing); install package libxrt-dev and build the kit again";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  VDLA_CHECK_USER(handle != nullptr) << "XRT cannot be loaded: " << dlerror()
                                     << "; install package libxrt1, or AMD's XRT for the card";
  const auto find = [&]<class F>(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    VDLA_CHECK_USER(function != nullptr) << path.string() << " lacks " << name << "; build the kit again";
  };
  XrtLibrary library{};
  find("vdla_xrt_open", library.open);
  find("vdla_xrt_close", library.close);
  find("vdla_xrt_transport", library.transport);
  find("vdla_xrt_libraries", library.libraries);
  return library;
}

const XrtLibrary& xrt_library() {
  static const XrtLibrary library = load_xrt();
  return library;
}

}  // namespace

XrtDevice::XrtDevice(const XrtOptions& wanted) : name_(wanted.name()) {
  const XrtLibrary& library = xrt_library();
  const std::string xclbin = wanted.xclbin.string();
  const vdla_xrt_options options{.device = wanted.device.c_str(),
                                 .xclbin = xclbin.c_str(),
                                 .no_reset = wanted.no_reset ? 1 : 0,
                                 .no_reset_by_signals = 1};  // interrupt() is what answers them
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  const vdla_driver_status status = library.open(&options, &xrt_, why.data(), why.size());
  VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << why.data();
  transport_ = library.transport(xrt_);
  if (wanted.no_reset) return;
  const Uninterrupted held;
  reset_.emplace(held, [this](const Uninterrupted&) -> std::string {
    return soft_reset() == 0 ? "reset the device" : "";
  });
}

int XrtDevice::soft_reset() const {
  return transport_->write32(transport_->context, static_cast<std::uint32_t>(isa::Register::CONTROL),
                             isa::kControlSoftReset);
}

XrtDevice::~XrtDevice() {
  if (reset_) soft_reset();  // first: an interrupt that comes now finds it done
  reset_.reset();
  xrt_library().close(xrt_);
}

std::filesystem::path xrt_libraries() { return xrt_library().libraries(); }

}  // namespace vdla::kit
