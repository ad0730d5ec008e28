// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/remote_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vdla::driver {

/// The functions of the C interface.
struct RemoteTransport::Calls {
  static RemoteTransport& self(void* context) { return *static_cast<RemoteTransport*>(context); }
  static int simple(void* context, const AccessRequest& request) {
    AccessReply ignored;
    return self(context).perform(request, ignored);
  }

  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    AccessReply reply;
    const int result = self(context).perform({.kind = AccessKind::Read32, .address = offset}, reply);
    *value = static_cast<std::uint32_t>(reply.value);
    return result;
  }
  static int write32(void* context, std::uint32_t offset, std::uint32_t value) {
    return simple(context, {.kind = AccessKind::Write32, .address = offset, .value = value});
  }
  static int alloc(void* context, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    AccessReply reply;
    const int result =
        self(context).perform({.kind = AccessKind::Alloc, .value = bytes, .alignment = alignment}, reply);
    *address = reply.value;
    return result;
  }
  static void free(void* context, std::uint64_t address) {
    simple(context, {.kind = AccessKind::Free, .address = address});
  }
  static int copy_in(void* context, std::uint64_t address, const void* from, std::uint64_t bytes) {
    const auto* begin = static_cast<const std::byte*>(from);
    for (std::uint64_t at = 0; at < bytes; at += kMaxCopyBytes) {
      const std::uint64_t size = std::min(kMaxCopyBytes, bytes - at);
      if (simple(
              context,
              {.kind = AccessKind::CopyIn, .address = address + at, .data = {begin + at, begin + at + size}}))
        return 1;
    }
    return 0;
  }
  static int copy_out(void* context, void* to, std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t at = 0; at < bytes; at += kMaxCopyBytes) {
      const std::uint64_t size = std::min(kMaxCopyBytes, bytes - at);
      AccessReply reply;
      if (self(context).perform({.kind = AccessKind::CopyOut, .address = address + at, .value = size}, reply))
        return 1;
      if (reply.data.size() != size) {
        self(context).last_error_ = "the board gave another number of bytes than it was asked for";
        return 1;
      }
      std::memcpy(static_cast<std::byte*>(to) + at, reply.data.data(), size);
    }
    return 0;
  }
  static int sync_for_device(void* context, std::uint64_t address, std::uint64_t bytes) {
    return simple(context, {.kind = AccessKind::SyncForDevice, .address = address, .value = bytes});
  }
  static int sync_for_cpu(void* context, std::uint64_t address, std::uint64_t bytes) {
    return simple(context, {.kind = AccessKind::SyncForCpu, .address = address, .value = bytes});
  }
  static int arm_interrupt(void* context) { return simple(context, {.kind = AccessKind::Arm}); }
  static int hard_reset(void* context) { return simple(context, {.kind = AccessKind::HardReset}); }
  static int configured(void* context, const char** said) {
    RemoteTransport& t = self(context);
    AccessReply reply;
    if (t.perform({.kind = AccessKind::Configured}, reply)) return 1;
    t.said_.assign(reinterpret_cast<const char*>(reply.data.data()), reply.data.size());
    *said = t.said_.c_str();
    return 0;
  }
  static vdla_wait_result wait_interrupt(void* context, std::uint64_t timeout, std::uint64_t* spent) {
    AccessReply reply;
    const int failed = self(context).perform({.kind = AccessKind::Wait, .value = timeout}, reply);
    *spent = reply.spent;
    return failed || reply.value > VDLA_WAIT_FAILED ? VDLA_WAIT_FAILED
                                                    : static_cast<vdla_wait_result>(reply.value);
  }
  static const char* last_error(void* context) { return self(context).last_error_.c_str(); }
};

RemoteTransport::RemoteTransport(TransportFacts facts, std::function<AccessReply(const AccessRequest&)> call)
    : facts_(std::move(facts)),
      call_(std::move(call)),
      transport_{.context = this,
                 .time_unit = facts_.time_unit.c_str(),
                 .read32 = Calls::read32,
                 .write32 = Calls::write32,
                 .alloc = Calls::alloc,
                 .free = Calls::free,
                 .copy_in = Calls::copy_in,
                 .copy_out = Calls::copy_out,
                 .sync_for_device = Calls::sync_for_device,
                 .sync_for_cpu = Calls::sync_for_cpu,
                 .wait_interrupt = Calls::wait_interrupt,
                 .last_error = Calls::last_error,
                 .arm_interrupt = facts_.arms ? Calls::arm_interrupt : nullptr,
                 .map = nullptr,
                 .hard_reset = facts_.resets_hard ? Calls::hard_reset : nullptr,
                 .units_per_second = facts_.units_per_second,
                 .spin_reads = 0,
                 .first_wait = facts_.first_wait,
                 .cache_line = facts_.cache_line,
                 .dma_bits = facts_.dma_bits,
                 .dma_first = facts_.dma_first,
                 .dma_bytes = facts_.dma_bytes,
                 .configured = facts_.asks_fpga ? Calls::configured : nullptr} {}

int RemoteTransport::perform(const AccessRequest& request, AccessReply& reply) {
  reply = call_(request);
  if (reply.error.empty()) return 0;
  last_error_ = reply.error;
  return 1;
}

}  // namespace vdla::driver
