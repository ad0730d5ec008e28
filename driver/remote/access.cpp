// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/access.h"

#include <fmt/format.h>

#include <bit>
#include <span>
#include <string_view>

#include "isa/generated/vdla_isa.h"

namespace vdla::driver {
namespace {

constexpr std::size_t kMaxBlocks = 1024;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // sums of such numbers stay below 2^64

AccessReply refused(std::string why) { return {.error = std::move(why)}; }

}  // namespace

TransportFacts facts_of(const vdla_transport& t) {
  return {t.time_unit,
          t.arm_interrupt != nullptr,
          t.hard_reset != nullptr,
          t.configured != nullptr,
          t.units_per_second,
          t.first_wait,
          t.cache_line,
          t.dma_bits,
          t.dma_first,
          t.dma_bytes};
}

Accesses::~Accesses() {
  for (const auto& [address, bytes] : blocks_) transport_->free(transport_->context, address);
}

AccessReply Accesses::done(int result, AccessReply reply) const {
  if (result == 0) return reply;
  return refused(transport_->last_error(transport_->context));
}

std::string Accesses::why_not_ours(std::uint64_t address, std::uint64_t bytes) const {
  auto block = blocks_.upper_bound(address);
  if (block != blocks_.begin()) {
    --block;
    const std::uint64_t offset = address - block->first;
    if (offset <= block->second && bytes <= block->second - offset) return "";
  }
  return fmt::format("{} bytes at {:#x} lie in no block that this desk has allocated", bytes, address);
}

AccessReply Accesses::perform_registers(const AccessRequest& request) {
  void* context = transport_->context;
  if (request.address % 4 != 0 || request.address >= VDLA_REGISTER_SPACE)
    return refused(fmt::format("register offset {:#x} is no multiple of 4 below {}", request.address,
                               VDLA_REGISTER_SPACE));
  const auto offset = static_cast<std::uint32_t>(request.address);
  if (request.kind == AccessKind::Write32)
    return done(transport_->write32(context, offset, static_cast<std::uint32_t>(request.value)));
  std::uint32_t value = 0;
  const int result = transport_->read32(context, offset, &value);
  return done(result, {.value = value});
}

AccessReply Accesses::perform_memory(const AccessRequest& request) {
  void* context = transport_->context;
  const bool in = request.kind == AccessKind::CopyIn, out = request.kind == AccessKind::CopyOut;
  const std::uint64_t bytes = in ? request.data.size() : request.value;
  if ((in || out) && bytes > kMaxCopyBytes)
    return refused(fmt::format("a copy of {} bytes, needs at most {}", bytes, kMaxCopyBytes));
  if (std::string why = why_not_ours(request.address, bytes); !why.empty()) return refused(std::move(why));
  if ((in || out) && bytes == 0) return {};  // transports get places, never null
  if (in) return done(transport_->copy_in(context, request.address, request.data.data(), bytes));
  if (request.kind == AccessKind::SyncForDevice)
    return done(transport_->sync_for_device(context, request.address, bytes));
  if (request.kind == AccessKind::SyncForCpu)
    return done(transport_->sync_for_cpu(context, request.address, bytes));
  AccessReply reply;
  reply.data.resize(static_cast<std::size_t>(bytes));
  const int result = transport_->copy_out(context, reply.data.data(), request.address, bytes);
  return done(result, std::move(reply));
}

AccessReply Accesses::perform(const AccessRequest& request) {
  void* context = transport_->context;
  switch (request.kind) {
    case AccessKind::Read32:
    case AccessKind::Write32:
      return perform_registers(request);
    case AccessKind::CopyIn:
    case AccessKind::CopyOut:
    case AccessKind::SyncForDevice:
    case AccessKind::SyncForCpu:
      return perform_memory(request);
    case AccessKind::Alloc: {
      if (request.value == 0 || blocks_.size() >= kMaxBlocks)
        return refused(fmt::format("{} bytes of memory beside {} blocks; needs some, and at most {} blocks",
                                   request.value, blocks_.size(), kMaxBlocks));
      if (!std::has_single_bit(request.alignment) || request.value > kMostBytes ||
          request.alignment > kMostBytes)
        return refused(
            fmt::format("{} bytes of memory at multiples of {}; needs at most {}, and a power of two",
                        request.value, request.alignment, kMostBytes));
      std::uint64_t address = 0;
      const int result = transport_->alloc(context, request.value, request.alignment, &address);
      if (result == 0) blocks_[address] = request.value;
      return done(result, {.value = address});
    }
    case AccessKind::Free:
      if (blocks_.erase(request.address) == 0)
        return refused(fmt::format("no block that this desk has allocated begins at {:#x}", request.address));
      transport_->free(context, request.address);
      return {};
    case AccessKind::Arm:
      return transport_->arm_interrupt == nullptr ? AccessReply{} : done(transport_->arm_interrupt(context));
    case AccessKind::HardReset:
      return transport_->hard_reset == nullptr ? refused("the board's transport has no hard reset")
                                               : done(transport_->hard_reset(context));
    case AccessKind::Configured: {
      if (transport_->configured == nullptr)
        return refused("nobody can be asked on the board's transport whether the fabric is configured");
      const char* said = "";
      const int result = transport_->configured(context, &said);
      if (result != 0) return done(result);
      const auto text = std::as_bytes(std::span(std::string_view(said)));
      return {.data = {text.begin(), text.end()}};
    }
    case AccessKind::Wait: {
      AccessReply reply;
      const vdla_wait_result result = transport_->wait_interrupt(context, request.value, &reply.spent);
      reply.value = static_cast<std::uint64_t>(result);
      return done(result == VDLA_WAIT_FAILED, std::move(reply));
    }
  }
  return refused("an access of no known kind");
}

}  // namespace vdla::driver
