// SPDX-License-Identifier: Apache-2.0
#include "tools/common/uio_flags.h"

#include "support/shell_word.h"
#include "tools/common/validators.h"

namespace vdla::tools {

CLI::Option* UioFlags::add_to(CLI::App& command) {
  CLI::Option* device =
      command
          .add_option(
              "--uio", options.device,
              "Device of this machine in place of an engine: a UIO device by number (uio0) or name (vdla)")
          ->check(not_empty("a device, as vdla or uio0"));
  CLI::Option* memory =
      command.add_option("--udmabuf", options.udmabuf,
                         "DMA memory: this u-dma-buf (cached by the CPU) in place of the reserved memory");
  if (given()) {
    device->capture_default_str();
  } else {
    memory->needs(device);
  }
  if (CLI::Option* engine = command.get_option_no_throw("--engine")) device->excludes(engine);
  return device;
}

std::string UioFlags::text() const {
  return "--uio " + shell_word(options.device) +
         (options.udmabuf.empty() ? "" : " --udmabuf " + shell_word(options.udmabuf));
}

}  // namespace vdla::tools
