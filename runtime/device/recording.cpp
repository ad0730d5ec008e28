// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/recording.h"

#include <algorithm>

#include "driver/core/registers.h"
#include "isa/spec/registers.h"
#include "runtime/device/device_error.h"

namespace vdla::runtime {
namespace {

constexpr std::string_view kFirstWindow = "WINDOW0";

std::vector<RegisterPlace> all_places() {
  std::vector<RegisterPlace> places;
  for (const isa::RegisterRow& row : isa::kRegisters) {
    const unsigned windows = row.name.starts_with(kFirstWindow) ? isa::kWindowCount : 1;
    for (unsigned w = 0; w < windows; ++w) {
      RegisterPlace place{.name = std::string(row.name),
                          .kind = static_cast<isa::Register>(row.offset),
                          .window = w,
                          .offset = row.offset + w * isa::kWindowStride,
                          .access = row.access,
                          .doc = row.doc};
      if (windows > 1) place.name[kFirstWindow.size() - 1] = static_cast<char>('0' + w);
      places.push_back(std::move(place));
    }
  }
  std::ranges::sort(places, {}, &RegisterPlace::offset);
  return places;
}

/// More is no program: registers of a device that is not right hold anything.
constexpr std::uint64_t kMostInsnBytes = 256 << 20;

Bytes insns_of(const Recording& recording, const vdla_transport& transport) {
  const RecordedDevice recorded(recording);
  vdla_device device{};
  device.transport = recorded.transport();
  std::uint64_t base = 0, size = 0;
  std::uint32_t offset = 0, count = 0;
  const auto at = [](isa::Register r) { return static_cast<std::uint32_t>(r); };
  const bool known = vdla_get64(&device, at(isa::Register::WINDOW0_BASE_LO), &base) == VDLA_DRIVER_OK &&
                     vdla_get64(&device, at(isa::Register::WINDOW0_SIZE_LO), &size) == VDLA_DRIVER_OK &&
                     vdla_get(&device, at(isa::Register::INSN_OFFSET), &offset) == VDLA_DRIVER_OK &&
                     vdla_get(&device, at(isa::Register::INSN_COUNT), &count) == VDLA_DRIVER_OK;
  const std::uint64_t bytes = std::uint64_t{count} * isa::kInsnBytes;
  if (!known || bytes == 0 || bytes > kMostInsnBytes || offset > size || bytes > size - offset) return {};
  Bytes insns(bytes);
  const bool read = transport.sync_for_cpu(transport.context, base + offset, bytes) == 0 &&
                    transport.copy_out(transport.context, insns.data(), base + offset, bytes) == 0;
  return read ? insns : Bytes{};
}

}  // namespace

const std::vector<RegisterPlace>& register_places() {
  static const std::vector<RegisterPlace> places = all_places();
  return places;
}

Recording record(const vdla_device& device) {
  Recording recording;
  for (const RegisterPlace& place : register_places()) {
    std::uint32_t value = 0;
    const vdla_driver_status status = vdla_peek(&device, place.offset, &value);
    if (status != VDLA_DRIVER_OK) {
      std::string message(VDLA_MESSAGE_BYTES, '\0');
      vdla_text text = vdla_text_in(message.data(), message.size());
      vdla_add_fault(&device, &text, status);
      throw DeviceError(status, message.c_str());
    }
    recording.registers.push_back(value);
  }
  recording.insns = insns_of(recording, *device.transport);
  return recording;
}

struct RecordedDevice::Calls {
  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    const auto& places = register_places();
    const auto found = std::ranges::lower_bound(places, offset, {}, &RegisterPlace::offset);
    if (found == places.end() || found->offset != offset) return 1;
    const auto index = static_cast<std::size_t>(found - places.begin());
    *value = static_cast<const RecordedDevice*>(context)->recording_.registers.at(index);
    return 0;
  }
  static int write32(void*, std::uint32_t, std::uint32_t) { return 1; }
  static int alloc(void*, std::uint64_t, std::uint64_t, std::uint64_t*) { return 1; }
  static void free(void*, std::uint64_t) {}
  static int copy_in(void*, std::uint64_t, const void*, std::uint64_t) { return 1; }
  static int copy_out(void*, void*, std::uint64_t, std::uint64_t) { return 1; }
  static int sync(void*, std::uint64_t, std::uint64_t) { return 0; }
  static vdla_wait_result wait_interrupt(void*, std::uint64_t, std::uint64_t* spent) {
    *spent = 0;
    return VDLA_WAIT_FAILED;
  }
  static const char* last_error(void*) {
    return "a recording has registers that can be read, and nothing else";
  }
};

RecordedDevice::RecordedDevice(const Recording& recording)
    : recording_(recording),
      transport_{.context = this,
                 .time_unit = "us",
                 .read32 = Calls::read32,
                 .write32 = Calls::write32,
                 .alloc = Calls::alloc,
                 .free = Calls::free,
                 .copy_in = Calls::copy_in,
                 .copy_out = Calls::copy_out,
                 .sync_for_device = Calls::sync,
                 .sync_for_cpu = Calls::sync,
                 .wait_interrupt = Calls::wait_interrupt,
                 .last_error = Calls::last_error} {}

}  // namespace vdla::runtime
