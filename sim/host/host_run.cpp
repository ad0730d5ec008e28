// SPDX-License-Identifier: Apache-2.0
#include "sim/host/host_run.h"

namespace vdla::sim {

std::string qemu_package(const std::string& system) {
  return system == "qemu-system-x86_64" ? "qemu-system-x86" : "qemu-system-arm";
}

}  // namespace vdla::sim
