// SPDX-License-Identifier: Apache-2.0
// Parts that `vdla board serve` and the server program of boards (tools/server) share: their flags, and the
// server from its start to its end.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

#include "tools/remote/device.h"
#include "tools/remote/interface.h"
#include "tools/remote/service.h"

namespace vdla::remote {

struct ServeFlags {
  std::string listen, certificates, cache, trust, reset_command, flash_command;
  std::uint64_t max_upload_mib = 256, cache_mib = 1024;
  std::uint32_t max_lease_seconds = 3600;
  double command_limit = ServiceOptions().command_limit;

  ServeFlags();
  /// `no_cache` says what happens without --cache.
  void add_to(CLI::App& command, const std::string& no_cache);
};

/// A server that has begun.
struct Begun {
  std::string address;  ///< with its port
  bool encrypted = false;
  Facts facts;
  /// "engine rtl, tiny on 127.0.0.1:50551, for ...; until Ctrl-C"
  std::string text() const;
};

struct ServerOfFlags {
  std::string program;  ///< name with which the lines on standard error begin
  /// Takes the device; called when the flags are good, before there are threads.
  std::function<std::unique_ptr<LeasedDevice>()> device;
  /// As Library::serve().
  std::function<std::unique_ptr<Server>(const std::string& address, unsigned port,
                                        const Certificates& certificates, Service& service, std::string& why)>
      listen;
  std::function<void(const Begun&)> begun;
};

/// Serves until the process ends. UserError where it cannot.
void serve(const ServeFlags& flags, const ServerOfFlags& how);

}  // namespace vdla::remote
