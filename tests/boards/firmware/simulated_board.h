// SPDX-License-Identifier: Apache-2.0
// What tests of firmware on simulated boards share: the engine behind the board, and QEMU.
#pragma once

#include <string>

#include "sim/host/companion.h"
#include "tests/tools/cli.h"

namespace vdla::tools {

/// The truth where it is built.
#ifdef VDLA_HAVE_RTL
inline const std::string kEngine = "rtl";
#else
inline const std::string kEngine = "systemc";
#endif

/// Skipped where QEMU is missing.
class OnSimulatedBoard : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const char* program : {"qemu-system-arm", "qemu-system-aarch64"})
      if (sim::find_program(program).empty())
        GTEST_SKIP() << program << " is missing: install qemu-system-arm";
  }
};

}  // namespace vdla::tools
