// SPDX-License-Identifier: Apache-2.0
// The device that vdla board serve offers: an engine, or that of the machine it runs on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "isa/spec/geometry.h"
#include "tools/remote/device.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {

class ServedDevice final : public remote::Device {
 public:
  /// Takes the device and looks whether it answers. UserError where it does not.
  explicit ServedDevice(const BoardDeviceFlags& flags);

  remote::Facts facts() override;
  std::unique_ptr<remote::Loaded> load(runtime::Module module, const remote::RunOptions& options,
                                       std::function<std::string()> why) override;
  const vdla_transport* attach() override;
  void detach() override { direct_ = {}; }

 private:
  const BoardDeviceFlags flags_;
  std::optional<isa::Variant> variant_;  ///< variant of an engine
  kit::OpenDevice own_;                  ///< empty where an engine is served
  kit::OpenDevice direct_;               ///< an engine for accesses, while there are any
  vdla_transport direct_transport_{};
  std::string name_;
  runtime::DeviceFacts about_{};
};

}  // namespace vdla::tools
