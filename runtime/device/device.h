// SPDX-License-Identifier: Apache-2.0
// The device as the runtime uses it: the driver core in C++ clothes. Nothing else of the runtime touches the
// driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "driver/core/device.h"
#include "isa/spec/geometry.h"
#include "runtime/device/device_error.h"
#include "runtime/module/tensor.h"
#include "runtime/module/window_place.h"

namespace vdla::runtime {

struct Recording;  // runtime/device/recording.h

/// Beginning of the units in a sentence of the driver, behind the cause.
inline constexpr std::string_view kUnitsBegin = ": load ";

/// DMA memory in whole lines of the caches, at a multiple of an alignment and of kDmaAlignment; given back on
/// destruction.
class DmaBlock {
 public:
  DmaBlock() = default;
  DmaBlock(const vdla_transport* transport, std::uint64_t bytes, std::uint64_t alignment = kDmaAlignment);
  DmaBlock(DmaBlock&& other) noexcept;
  DmaBlock& operator=(DmaBlock&& other) noexcept;
  ~DmaBlock();

  std::uint64_t address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }
  void write(std::uint64_t offset, std::span<const std::byte> from);
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// Writes bytes that `body` makes or looks at: in place where the transport maps the memory.
  void write_by(std::uint64_t offset, std::uint64_t bytes, const std::function<void(std::byte*)>& body);
  void read_by(std::uint64_t offset, std::uint64_t bytes,
               const std::function<void(const std::byte*)>& body) const;

 private:
  void call(int result, const char* what) const;
  std::byte* mapped(std::uint64_t offset, std::uint64_t bytes) const;

  const vdla_transport* transport_ = nullptr;
  std::uint64_t address_ = 0;
  std::uint64_t bytes_ = 0;
};

class Device {
 public:
  /// Probes and resets: an earlier user of the device may have left it running. The transport must outlive
  /// the device.
  explicit Device(const vdla_transport* transport);
  /// Resets: nothing is written to memory that others have from here on.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Throws DeviceError "WHO: ..." unless the device has this kit's version and this geometry.
  void require(const isa::Geometry& needed, const std::string& who);
  /// Throws DeviceError where there is no room, or none that the device reaches.
  DmaBlock allocate(std::uint64_t bytes, const WindowPlace& place = {});
  void set_window(unsigned window, const DmaBlock& block);

  /// How a run ended. When it failed the device has been reset; where `readable`, `error` (status DEVICE) and
  /// `units` say what it was doing.
  struct Outcome {
    vdla_driver_status status = VDLA_DRIVER_OK;
    std::string message;
    bool readable = false;
    vdla_device_error error{};
    vdla_unit_states units{};
    vdla_counters counters{};
    /// Recording of a run that failed; null: it could not be read.
    std::shared_ptr<const Recording> recording{};
  };
  Outcome run(const vdla_launch& launch, std::uint64_t timeout);

  /// Time after which a program that should take predicted_cycles has gone wrong, in the transport's unit.
  std::uint64_t timeout_of(std::uint64_t predicted_cycles) const;
  /// Faults so far that made no run fail: interrupts that never came, hard resets. Empty: nothing.
  std::string warning() const;

 private:
  void call(vdla_driver_status status) const;

  vdla_device device_;
};

}  // namespace vdla::runtime
