// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/uio_flags.h"

#include "tools/common/validators.h"

namespace vdla::tools {

CLI::Option* UioFlags::add_to(CLI::App& command) {
  CLI::Option* device =
      command
          .add_option(
              "--uio", uio,
              "Device of this machine in place of an engine: a UIO device by number (uio0) or name (vdla)")
          ->check(not_empty("a device, as vdla or uio0"))
          ->excludes("--engine");
  command
      .add_option("--udmabuf", udmabuf,
                  "DMA memory: this u-dma-buf (cached by the CPU) in place of the reserved memory")
      ->needs(device);
  return device;
}

}  // namespace vdla::tools
