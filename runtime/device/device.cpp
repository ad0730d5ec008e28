// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "isa/spec/version.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/recording.h"

namespace vdla::runtime {

namespace {

/// Returns the driver's sentence with the units of `states` in place of those that the driver saw.
std::string with_units(const std::string& message, const vdla_unit_states& states) {
  const std::size_t units = message.find(kUnitsBegin);
  if (units == std::string::npos) return message;
  std::array<char, VDLA_MESSAGE_BYTES> text;
  vdla_describe_units(&states, text.data(), text.size());
  return message.substr(0, units) + ": " + text.data();
}

/// One reading of the device serves the sentence, the report and the folder of a post-mortem: one that is
/// still at work has moved on at the next reading.
void read_failure(Device::Outcome& outcome, std::shared_ptr<const Recording> recording,
                  std::uint32_t first_insn) {
  const RecordedDevice recorded(*recording);
  vdla_device device{};
  check_status(device, vdla_probe(&device, recorded.transport()));
  device.first_insn = first_insn;
  check_status(device, vdla_read_error(&device, &outcome.error));
  check_status(device, vdla_read_units(&device, &outcome.units));
  if (outcome.status != VDLA_DRIVER_DEVICE) outcome.message = with_units(outcome.message, outcome.units);
  outcome.recording = std::move(recording);
  outcome.readable = true;
}

}  // namespace

DmaBlock::DmaBlock(const vdla_transport* transport, std::uint64_t bytes, std::uint64_t alignment)
    : transport_(transport), bytes_(bytes) {
  alignment = std::max<std::uint64_t>({alignment, kDmaAlignment, transport->cache_line});
  if (transport->alloc(transport->context, bytes, alignment, &address_) == 0) return;
  transport_ = nullptr;  // nothing to give back
  throw DeviceError(VDLA_DRIVER_TRANSPORT, fmt::format("cannot allocate {} bytes of device memory: {}", bytes,
                                                       transport->last_error(transport->context)));
}

DmaBlock::DmaBlock(DmaBlock&& other) noexcept
    : transport_(std::exchange(other.transport_, nullptr)), address_(other.address_), bytes_(other.bytes_) {}

DmaBlock& DmaBlock::operator=(DmaBlock&& other) noexcept {
  std::swap(transport_, other.transport_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DmaBlock::~DmaBlock() {
  if (transport_) transport_->free(transport_->context, address_);
}

void DmaBlock::write(std::uint64_t offset, std::span<const std::byte> from) {
  VDLA_CHECK(offset + from.size() <= bytes_) << offset << " + " << from.size() << " of " << bytes_;
  call(transport_->copy_in(transport_->context, address_ + offset, from.data(), from.size()),
       "write device memory");
  call(transport_->sync_for_device(transport_->context, address_ + offset, from.size()), "flush the cache");
}

void DmaBlock::read(std::uint64_t offset, std::span<std::byte> to) const {
  VDLA_CHECK(offset + to.size() <= bytes_) << offset << " + " << to.size() << " of " << bytes_;
  call(transport_->sync_for_cpu(transport_->context, address_ + offset, to.size()), "invalidate the cache");
  call(transport_->copy_out(transport_->context, to.data(), address_ + offset, to.size()),
       "read device memory");
}

/// Null: copies only.
std::byte* DmaBlock::mapped(std::uint64_t offset, std::uint64_t bytes) const {
  VDLA_CHECK(offset + bytes <= bytes_) << offset << " + " << bytes << " of " << bytes_;
  if (!transport_->map) return nullptr;
  return static_cast<std::byte*>(transport_->map(transport_->context, address_ + offset, bytes));
}

void DmaBlock::write_by(std::uint64_t offset, std::uint64_t bytes,
                        const std::function<void(std::byte*)>& body) {
  if (std::byte* in_place = mapped(offset, bytes)) {
    body(in_place);
    return call(transport_->sync_for_device(transport_->context, address_ + offset, bytes),
                "flush the cache");
  }
  Bytes image(static_cast<std::size_t>(bytes));
  body(image.data());
  write(offset, image);
}

void DmaBlock::read_by(std::uint64_t offset, std::uint64_t bytes,
                       const std::function<void(const std::byte*)>& body) const {
  if (const std::byte* in_place = mapped(offset, bytes)) {
    call(transport_->sync_for_cpu(transport_->context, address_ + offset, bytes), "invalidate the cache");
    return body(in_place);
  }
  Bytes image(static_cast<std::size_t>(bytes));
  read(offset, image);
  body(image.data());
}

void DmaBlock::call(int result, const char* what) const { check_transport(*transport_, result, what); }

Device::Device(const vdla_transport* transport) {
  call(vdla_probe(&device_, transport));
  call(vdla_reset(&device_));
}

Device::~Device() { (void)vdla_reset(&device_); }

DmaBlock Device::allocate(std::uint64_t bytes, const WindowPlace& place) {
  DmaBlock block(device_.transport, bytes, place.alignment);
  call(vdla_require_reach(&device_, block.address(), block.bytes()));
  if (!holds(place, block.address(), bytes))
    throw DeviceError(VDLA_DRIVER_ARGUMENT,
                      fmt::format("{} bytes of device memory lie at {:#x}, needs addresses of {} bits at "
                                  "multiples of {}; give the device other memory",
                                  bytes, block.address(), place.address_bits, place.alignment));
  return block;
}

std::uint64_t Device::timeout_of(std::uint64_t predicted_cycles) const {
  return vdla_timeout(device_.transport, predicted_cycles);
}

std::string Device::warning() const {
  std::string text(VDLA_MESSAGE_BYTES, '\0');
  vdla_warning(&device_, text.data(), text.size());
  text.resize(text.find('\0'));
  return text;
}

void Device::require(const isa::Geometry& needed, const std::string& who) {
  const std::vector<std::uint32_t> numbers = numbers_of(needed);
  const vdla_identity identity{isa::kIsaVersion, isa::geometry_hash(needed), numbers.data()};
  const vdla_driver_status status = vdla_require(&device_, &identity);
  if (status != VDLA_DRIVER_OK) throw DeviceError(status, who + ": " + device_.message);
}

void Device::set_window(unsigned window, const DmaBlock& block) {
  call(vdla_set_window(&device_, window, block.address(), block.bytes()));
}

Device::Outcome Device::run(const vdla_launch& launch, std::uint64_t timeout) {
  Outcome outcome;
  call(vdla_start(&device_, &launch));
  outcome.status = vdla_wait(&device_, &launch, timeout);
  if (outcome.status == VDLA_DRIVER_OK) {
    call(vdla_read_counters(&device_, &outcome.counters));
    return outcome;
  }
  outcome.message = device_.message;
  if (outcome.status != VDLA_DRIVER_TRANSPORT) try {
      read_failure(outcome, std::make_shared<Recording>(record(device_)), device_.first_insn);
    } catch (const DeviceError&) {  // the cause is known, and a transport that fails now does not hide it
    }
  (void)vdla_reset(&device_);
  return outcome;
}

void Device::call(vdla_driver_status status) const { check_status(device_, status); }

}  // namespace vdla::runtime
