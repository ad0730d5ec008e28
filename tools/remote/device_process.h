// SPDX-License-Identifier: Apache-2.0
// The device in a process of its own, one for each lease: a kernel of a module or an engine that crashes ends
// that process, and one that does not end is killed with it. The server goes on.
#pragma once

#include <memory>
#include <string>

#include "driver/remote/remote_transport.h"
#include "tools/remote/device.h"
#include "tools/remote/spawner.h"

namespace vdla::remote {

class DeviceProcess final : public LeasedDevice {
 public:
  /// `make` takes the device, in the process that has it. To be made before this process has threads that
  /// hold locks. UserError where the device cannot be had.
  explicit DeviceProcess(std::function<std::unique_ptr<Device>()> make);
  ~DeviceProcess() override;

  Facts facts() override;
  std::unique_ptr<Loaded> load(const runtime::Bytes& file, const RunOptions& options,
                               std::function<std::string()> why) override;
  const vdla_transport* attach() override;
  void detach() override;
  std::string broken() override { return broken_; }
  void renew() override;
  void reopen(const std::function<void()>& work) override;

 private:
  class Module;
  class Worker;
  enum class Do : std::uint8_t;
  /// A request's reply. UserError with the process's sentence, or with what ended it.
  template <class... Values>
  std::string call(Do what, const std::function<std::string()>& why, const Values&... values);
  std::string exchange(const std::string& request, const std::function<std::string()>& why);
  void start();
  void end(std::chrono::milliseconds time);
  [[noreturn]] void fail(const std::string& how);

  Spawner spawner_;
  int link_ = -1;           ///< to the process that has the device; -1: there is none
  std::uint64_t ends_ = 0;  ///< how many processes have ended
  std::string broken_;
  std::unique_ptr<driver::RemoteTransport> direct_;
};

}  // namespace vdla::remote
