// SPDX-License-Identifier: Apache-2.0
#include "sim/host/pci_device.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace vdla::sim {
namespace {

/// QEMU 7.2, include/hw/remote/mpqemu-link.h.
enum class Command : std::int32_t {
  SyncMemory,
  Reply,
  WriteConfiguration,
  ReadConfiguration,
  WriteBar,
  ReadBar,
  SetInterruptDescriptors,
  Reset,
};
struct Header {
  std::int32_t command;
  std::int32_t padding;
  std::uint64_t bytes;
};
struct ConfigurationAccess {
  std::uint32_t address, value;
  std::int32_t bytes;
};
struct BarAccess {
  std::uint64_t address, value;
  std::uint32_t bytes;
  std::uint8_t memory;
};
constexpr std::size_t kPayload = 256, kDescriptors = 8;
constexpr std::uint32_t kBarBytes = 4096;

/// An offset among the registers, which have no other accesses than of words.
std::uint32_t register_offset(const BarAccess& access) {
  constexpr std::uint32_t kRegisterBytes = 4;
  const auto offset = static_cast<std::uint32_t>(access.address % kBarBytes);
  VDLA_CHECK_USER(access.bytes == kRegisterBytes && offset % kRegisterBytes == 0)
      << "the guest accesses " << access.bytes << " bytes at " << offset
      << " of the accelerator's registers, these need whole words of " << kRegisterBytes;
  return offset;
}

/// Places in configuration space, and bits there.
constexpr unsigned kVendor = 0, kDevice = 2, kCommand = 4, kStatus = 6, kRevision = 8, kClass = 0xb,
                   kBar = 0x10;
constexpr unsigned kSubsystemVendor = 0x2c, kSubsystem = 0x2e, kInterruptLine = 0x3c, kInterruptPin = 0x3d;
constexpr std::uint8_t kMemoryAndMaster = 6, kNoInterrupt = 4, kInterruptPending = 8, kAccelerator = 0x12;

}  // namespace

struct PciDevice::Request {
  Command command{};
  std::array<std::byte, kPayload> payload{};
  std::size_t bytes = 0;

  template <class T>
  T as() const {
    VDLA_CHECK_USER(bytes >= sizeof(T))
        << "QEMU sent " << bytes << " bytes with command " << static_cast<int>(command)
        << " of a PCI device, needs " << sizeof(T);
    T value;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
  }
};

PciDevice::PciDevice(const boards::Pci& ids, AttachedEngine& engine, Connection& qemu)
    : engine_(engine), qemu_(qemu) {
  const auto put = [&](unsigned at, unsigned value) {
    configuration_[at] = static_cast<std::uint8_t>(value);
    configuration_[at + 1] = static_cast<std::uint8_t>(value >> 8);
  };
  put(kVendor, ids.vendor);
  put(kDevice, ids.device);
  put(kSubsystemVendor, ids.vendor);
  put(kSubsystem, 1);
  configuration_[kRevision] = 1;
  configuration_[kClass] = kAccelerator;
  configuration_[kInterruptPin] = 1;
  writable_[kCommand] = kMemoryAndMaster;
  writable_[kCommand + 1] = kNoInterrupt;
  writable_[kInterruptLine] = 0xff;
  for (unsigned i = 0; i < sizeof kBarBytes; ++i)
    writable_[kBar + i] = static_cast<std::uint8_t>(~(kBarBytes - 1) >> (8 * i));
}

/// Descriptors that come with the bytes are kept until the caller drops them.
void PciDevice::receive_bytes(void* to, std::size_t bytes, std::vector<Descriptor>& descriptors) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    iovec part{at, bytes};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptors * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = recvmsg(qemu_.fd(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    VDLA_CHECK_USER(got > 0) << qemu_.peer() << " has closed its connection";
    for (cmsghdr* h = CMSG_FIRSTHDR(&message); h != nullptr; h = CMSG_NXTHDR(&message, h)) {
      if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS) continue;
      for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= h->cmsg_len; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
        descriptors.emplace_back(fd);
      }
    }
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

/// QEMU's descriptors, of its memory and for interrupts of KVM, are not needed: memory is shared already.
PciDevice::Request PciDevice::receive() {
  std::vector<Descriptor> dropped;
  Header header{};
  receive_bytes(&header, sizeof header, dropped);
  VDLA_CHECK_USER(header.bytes <= kPayload)
      << "QEMU sent " << header.bytes << " bytes with command " << header.command
      << " of a PCI device, needs at most " << kPayload;
  Request request;
  request.command = static_cast<Command>(header.command);
  request.bytes = header.bytes;
  receive_bytes(request.payload.data(), request.bytes, dropped);
  return request;
}

void PciDevice::reply(std::uint64_t value) {
  struct {
    Header header;
    std::uint64_t value;
  } answer{{static_cast<std::int32_t>(Command::Reply), 0, sizeof value}, value};
  qemu_.send({reinterpret_cast<const char*>(&answer), sizeof answer});
}

std::uint32_t PciDevice::read_configuration(std::uint32_t address, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes && address + i < configuration_.size(); ++i)
    value |= std::uint32_t{configuration_[address + i]} << (8 * i);
  return value;
}

void PciDevice::write_configuration(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  for (unsigned i = 0; i < bytes && address + i < configuration_.size(); ++i) {
    std::uint8_t& at = configuration_[address + i];
    const std::uint8_t mask = writable_[address + i];
    at = static_cast<std::uint8_t>((at & ~mask) | (value >> (8 * i) & mask));
  }
}

void PciDevice::serve() {
  const Request request = receive();
  switch (request.command) {
    case Command::ReadConfiguration: {
      const auto access = request.as<ConfigurationAccess>();
      return reply(read_configuration(access.address, static_cast<unsigned>(std::clamp(access.bytes, 0, 4))));
    }
    case Command::WriteConfiguration: {
      const auto access = request.as<ConfigurationAccess>();
      write_configuration(access.address, static_cast<unsigned>(std::clamp(access.bytes, 0, 4)),
                          access.value);
      return reply(0);
    }
    case Command::ReadBar:
      return reply(engine_.read(register_offset(request.as<BarAccess>())));
    case Command::WriteBar: {
      const auto access = request.as<BarAccess>();
      engine_.write(register_offset(access), static_cast<std::uint32_t>(access.value));
      return reply(0);
    }
    case Command::Reset:  // reset of the bus, before the BIOS runs; a guest that reboots ends QEMU
      for (std::size_t i = 0; i < configuration_.size(); ++i)
        configuration_[i] = static_cast<std::uint8_t>(configuration_[i] & ~writable_[i]);
      return reply(0);
    case Command::SyncMemory:
    case Command::SetInterruptDescriptors:
      return;
    case Command::Reply:
      break;
  }
  VDLA_CHECK_USER(false) << "QEMU sent command " << static_cast<int>(request.command)
                         << " of a PCI device, needs one of QEMU 7.2";
}

bool PciDevice::interrupt_line() {
  const bool high = engine_.interrupt();
  configuration_[kStatus] = high ? kInterruptPending : 0;
  return high && (configuration_[kCommand + 1] & kNoInterrupt) == 0;
}

}  // namespace vdla::sim
