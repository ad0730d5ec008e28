// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/xrt_flags.h"

#include <regex>

#include "support/error.h"
#include "tools/common/validators.h"

namespace vdla::tools {

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

}  // namespace vdla::tools
