// SPDX-License-Identifier: Apache-2.0
// The device that a command uses, by its flags: an engine, one of this machine, or that of a board elsewhere.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "kit/device.h"
#include "kit/xrt_device.h"
#include "tools/common/engine_flags.h"
#include "tools/common/uio_flags.h"
#include "tools/vdla/devices/remote_flags.h"

namespace vdla::tools {

/// A card of the machine that the command runs on.
struct XrtFlags {
  std::string xrt;

  /// --xrt, which excludes the command's --engine and --uio.
  CLI::Option* add_to(CLI::App& command);
  bool given() const { return !xrt.empty(); }
  /// UserError for what is not DEVICE:XCLBIN.
  kit::XrtOptions options(bool no_reset = false) const;
};

struct DeviceFlags {
  EngineFlags engine;
  UioFlags uio;
  XrtFlags xrt;
  RemoteFlags remote;

  /// Adds the engine and the devices of this machine.
  void add_to(CLI::App& command);
  /// Adds --board HOST: a device elsewhere (vdla board serve).
  CLI::Option* add_remote_to(CLI::App& command) { return remote.add_to(command); }
  /// Whether a device of this machine was chosen, no engine.
  bool own() const { return uio.given() || xrt.given(); }
  /// Returns the options that name the device; empty: an engine.
  std::string text() const;
  /// Returns the name of the engine or the device of this machine, for people.
  std::string name() const;
  /// Takes the device of this machine; UserError says why it cannot be had.
  kit::OpenDevice open_own(kit::UioUse use = kit::UioUse::Run) const;
  /// Makes the engine, for this command.
  kit::OpenDevice open_engine(const isa::Variant& variant) const;
  /// Takes the device of a board elsewhere for a lease, whose registers and memory are then accessed from
  /// here.
  kit::OpenDevice open_elsewhere() const;
};

}  // namespace vdla::tools
