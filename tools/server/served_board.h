// SPDX-License-Identifier: Apache-2.0
// The device that the server program of boards offers: the board's own, or the functional engine in its
// place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"
#include "tools/remote/device.h"
#include "tools/runner/device.h"

namespace vdla::server {

class ServedBoard final : public remote::Device {
 public:
  /// Takes the device and looks whether it answers. UserError where it does not. `variant` is an engine's.
  ServedBoard(const runner::DeviceChoice& choice, const isa::Variant& variant);

  remote::Facts facts() override;
  std::unique_ptr<remote::Loaded> load(runtime::Module module, const remote::RunOptions& options,
                                       std::function<std::string()> why) override;
  const vdla_transport* attach() override { return &transport_; }
  void detach() override {}

 private:
  const kit::OpenDevice device_;
  const vdla_transport transport_;
  remote::Facts facts_;
};

}  // namespace vdla::server
