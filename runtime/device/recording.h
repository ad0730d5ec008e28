// SPDX-License-Identifier: Apache-2.0
// State of a device at one moment, and a device made of that: code that reads registers through the driver
// core reads a recording as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/core/device.h"
#include "isa/spec/registers.h"
#include "runtime/module/tensor.h"

namespace vdla::runtime {

/// A register by its name. Those of windows are there once for each.
struct RegisterPlace {
  std::string name;     ///< "WINDOW3_BASE_LO"
  isa::Register kind;   ///< register of window 0 where it belongs to a window
  unsigned window = 0;  ///< to which it belongs
  std::uint32_t offset = 0;
  isa::Access access = isa::Access::ReadOnly;
  std::string_view doc;
};

/// All of them, by their offsets.
const std::vector<RegisterPlace>& register_places();

struct Recording {
  std::vector<std::uint32_t> registers;  ///< a value for each of register_places()
  /// Memory from the first instruction of the program on; empty where it cannot be read.
  Bytes insns;
};

/// Reads and changes nothing. DeviceError where a register cannot be read, or nothing answers.
Recording record(const vdla_device& device);

/// A device whose registers read what was recorded. Whatever else is asked of it fails.
class RecordedDevice {
 public:
  /// The recording must outlive the device.
  explicit RecordedDevice(const Recording& recording);
  RecordedDevice(const RecordedDevice&) = delete;
  RecordedDevice& operator=(const RecordedDevice&) = delete;

  const vdla_transport* transport() const { return &transport_; }

 private:
  struct Calls;

  const Recording& recording_;
  vdla_transport transport_;
};

}  // namespace vdla::runtime
