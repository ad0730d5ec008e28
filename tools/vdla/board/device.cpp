// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/device.h"

#include <fmt/format.h>

#include "isa/variants/variants.h"
#include "kit/device_variant.h"
#include "runtime/device/recording.h"
#include "support/error.h"
#include "tools/vdla/common/variant_name.h"
#include "tools/vdla/devices/post_mortem_folder.h"

namespace vdla::tools {
namespace {

/// The registers of a post-mortem, which nothing changes.
class RecordedBoard {
 public:
  explicit RecordedBoard(const std::string& folder)
      : folder_(folder), content_(read_post_mortem(folder)), device_(*content_.recording) {}

  const vdla_transport* transport() const { return device_.transport(); }
  std::string name() const { return fmt::format("{}, {}", folder_, content_.device); }

 private:
  const std::string folder_;
  const PostMortemFolder content_;
  const runtime::RecordedDevice device_;
};

}  // namespace

void BoardDeviceFlags::add_to(CLI::App& command) {
  command.add_option("--variant", variant, std::string(kVariantHelp) + "; default: the board's, or tiny");
  DeviceFlags::add_to(command);
  engine_option = command.get_option("--engine");
}

void BoardDeviceFlags::add_to_reader(CLI::App& command) {
  add_to(command);
  command.add_option("--recorded", recorded, "Folder of vdla board postmortem in place of a device")
      ->excludes("--engine")
      ->excludes("--uio")
      ->excludes("--xrt")
      ->excludes(add_remote_to(command));
}

void BoardDeviceFlags::require_device(const char* instead) const {
  VDLA_CHECK_USER(own() || remote.given() || !recorded.empty() || engine_option->count() > 0)
      << "no device is named, and an engine that was just made has run nothing; needs --uio vdla on the "
         "board ("
      << instead << ")";
}

void BoardDeviceFlags::refuse_variant_of_device() const {
  VDLA_CHECK_USER(variant.empty() || !(own() || remote.given() || !recorded.empty()))
      << "--variant " << variant << " says which engine is made, and here a device is named; leave it out";
}

isa::Variant BoardDeviceFlags::wanted_variant() const {
  return named_variant(variant.empty() ? "tiny" : variant);
}

isa::Variant BoardDeviceFlags::variant_of(const kit::OpenDevice& device) const {
  if (!variant.empty()) return named_variant(variant);
  return kit::variant_of(runtime::read_facts(*device.transport));
}

kit::OpenDevice BoardDeviceFlags::open(kit::UioUse use) const {
  if (!recorded.empty()) return kit::open_device<RecordedBoard>(recorded);
  if (own()) return open_own(use);
  if (remote.given()) return open_elsewhere();
  const isa::Variant made = wanted_variant();
  kit::OpenDevice device = open_engine(made);
  device.name += ", " + isa::label(made);
  return device;
}

}  // namespace vdla::tools
