// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/device_flags.h"

#include <fmt/format.h>

#include <optional>
#include <regex>

#include "driver/remote/remote_transport.h"
#include "support/error.h"
#include "support/shell_word.h"
#include "tools/common/validators.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {
namespace {

/// The device of a board elsewhere, access by access.
class AttachedDevice {
 public:
  explicit AttachedDevice(const RemoteFlags& flags) : board_(flags) {
    driver::TransportFacts facts;
    board_.require(board_.client().attach(board_.take(), facts, board_.time_limit()));
    transport_.emplace(facts, [this](const driver::AccessRequest& request) { return access(request); });
  }

  const vdla_transport* transport() const { return transport_->transport(); }
  std::string name() const {
    return fmt::format("{} of board {}", board_.facts().device, board_.host().text());
  }

 private:
  driver::AccessReply access(const driver::AccessRequest& request) {
    driver::AccessReply reply;
    try {
      board_.require(board_.client().access({board_.take(), request}, reply, board_.time_limit()));
    } catch (const UserError& e) {
      reply.error = e.what();  // the driver is C
    }
    return reply;
  }

  RemoteBoard board_;
  std::optional<driver::RemoteTransport> transport_;
};

}  // namespace

CLI::Option* XrtFlags::add_to(CLI::App& command) {
  return command
      .add_option("--xrt", xrt,
                  "Card of this machine in place of an engine, through XRT: DEVICE:XCLBIN, for example "
                  "0:vdla.xclbin or 0000:03:00.1:vdla.xclbin")
      ->check(not_empty("DEVICE:XCLBIN, as 0:vdla.xclbin"))
      ->excludes("--engine")
      ->excludes("--uio");
}

kit::XrtOptions XrtFlags::options(bool no_reset) const {
  // Addresses on the bus have colons too.
  static const std::regex kForm("([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]|[0-9]+):(.+)");
  std::smatch parts;
  VDLA_CHECK_USER(std::regex_match(xrt, parts, kForm))
      << "--xrt is '" << xrt
      << "', needs DEVICE:XCLBIN: a card's number or address on the bus, and the file that it "
      << "is configured with, as 0:vdla.xclbin";
  return {.device = parts[1], .xclbin = parts[2].str(), .no_reset = no_reset};
}

void DeviceFlags::add_to(CLI::App& command) {
  engine.add_to(command);
  uio.add_to(command);
  xrt.add_to(command);
}

std::string DeviceFlags::text() const {
  if (remote.given()) return remote.text();
  if (uio.given()) return uio.text();
  return xrt.given() ? "--xrt " + shell_word(xrt.xrt) : "";
}

std::string DeviceFlags::name() const {
  if (uio.given()) return uio.options.name();
  return xrt.given() ? xrt.options().name() : "engine " + engine.engine;
}

kit::OpenDevice DeviceFlags::open_own(kit::UioUse use) const {
  if (xrt.given())
    return kit::open_device<kit::XrtDevice>(
        xrt.options(use == kit::UioUse::Keep || use == kit::UioUse::Look));
  kit::UioOptions options = uio.options;
  options.use = use;
  return kit::open_device<kit::UioDevice>(options);
}

kit::OpenDevice DeviceFlags::open_engine(const isa::Variant& variant) const {
  return kit::open_engine(kit::make_engine(engine.engine, variant, engine.options()));
}

kit::OpenDevice DeviceFlags::open_elsewhere() const { return kit::open_device<AttachedDevice>(remote); }

}  // namespace vdla::tools
