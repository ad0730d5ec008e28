// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/stoppable.h"

#include <algorithm>
#include <utility>

namespace vdla::remote {
namespace {

/// Cycles of one wait for a transport that counts cycles: a simulator takes a fraction of a second for them.
constexpr std::uint64_t kPieceCycles = 20'000;
/// Waits in a second for a transport that knows how long its unit is.
constexpr std::uint64_t kPiecesPerSecond = 20;

/// Calls the same member of the transport behind.
template <auto kMember, class... Arguments>
auto forward(const vdla_transport* behind, Arguments... arguments) {
  return (behind->*kMember)(behind->context, arguments...);
}

}  // namespace

struct StoppableTransport::Calls {
  static StoppableTransport& self(void* context) { return *static_cast<StoppableTransport*>(context); }
  static const vdla_transport* behind(void* context) {
    self(context).stopped_.clear();
    return self(context).behind_;
  }

  static int read32(void* c, std::uint32_t offset, std::uint32_t* value) {
    return forward<&vdla_transport::read32>(behind(c), offset, value);
  }
  static int write32(void* c, std::uint32_t offset, std::uint32_t value) {
    return forward<&vdla_transport::write32>(behind(c), offset, value);
  }
  static int alloc(void* c, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    return forward<&vdla_transport::alloc>(behind(c), bytes, alignment, address);
  }
  static void free(void* c, std::uint64_t address) { forward<&vdla_transport::free>(behind(c), address); }
  static int copy_in(void* c, std::uint64_t address, const void* from, std::uint64_t bytes) {
    return forward<&vdla_transport::copy_in>(behind(c), address, from, bytes);
  }
  static int copy_out(void* c, void* to, std::uint64_t address, std::uint64_t bytes) {
    return forward<&vdla_transport::copy_out>(behind(c), to, address, bytes);
  }
  static int sync_for_device(void* c, std::uint64_t address, std::uint64_t bytes) {
    return forward<&vdla_transport::sync_for_device>(behind(c), address, bytes);
  }
  static int sync_for_cpu(void* c, std::uint64_t address, std::uint64_t bytes) {
    return forward<&vdla_transport::sync_for_cpu>(behind(c), address, bytes);
  }
  static int arm_interrupt(void* c) { return forward<&vdla_transport::arm_interrupt>(behind(c)); }
  static void* map(void* c, std::uint64_t address, std::uint64_t bytes) {
    return forward<&vdla_transport::map>(behind(c), address, bytes);
  }
  static int hard_reset(void* c) { return forward<&vdla_transport::hard_reset>(behind(c)); }
  static int configured(void* c, const char** said) {
    return forward<&vdla_transport::configured>(behind(c), said);
  }

  static const char* last_error(void* c) {
    StoppableTransport& t = self(c);
    return t.stopped_.empty() ? forward<&vdla_transport::last_error>(t.behind_) : t.stopped_.c_str();
  }

  static vdla_wait_result wait_interrupt(void* c, std::uint64_t timeout, std::uint64_t* spent) {
    StoppableTransport& t = self(c);
    t.stopped_.clear();
    const std::uint32_t second = t.behind_->units_per_second;
    const std::uint64_t piece =
        second == 0 ? kPieceCycles : std::max<std::uint64_t>(1, second / kPiecesPerSecond);
    *spent = 0;
    for (;;) {
      t.stopped_ = t.why_();
      if (!t.stopped_.empty()) return VDLA_WAIT_FAILED;
      const std::uint64_t time = std::min(piece, timeout - *spent);
      std::uint64_t passed = 0;
      const vdla_wait_result result = forward<&vdla_transport::wait_interrupt>(t.behind_, time, &passed);
      *spent += result == VDLA_WAIT_TIMEOUT ? time : passed;
      if (result != VDLA_WAIT_TIMEOUT || *spent >= timeout) return result;
    }
  }
};

StoppableTransport::StoppableTransport(const vdla_transport* behind, std::function<std::string()> why)
    : behind_(behind), why_(std::move(why)), transport_(*behind) {
  transport_.context = this;
  transport_.read32 = Calls::read32;
  transport_.write32 = Calls::write32;
  transport_.alloc = Calls::alloc;
  transport_.free = Calls::free;
  transport_.copy_in = Calls::copy_in;
  transport_.copy_out = Calls::copy_out;
  transport_.sync_for_device = Calls::sync_for_device;
  transport_.sync_for_cpu = Calls::sync_for_cpu;
  transport_.wait_interrupt = Calls::wait_interrupt;
  transport_.last_error = Calls::last_error;
  // Calls that the transport behind leaves out stay out.
  if (behind->arm_interrupt != nullptr) transport_.arm_interrupt = Calls::arm_interrupt;
  if (behind->map != nullptr) transport_.map = Calls::map;
  if (behind->hard_reset != nullptr) transport_.hard_reset = Calls::hard_reset;
  if (behind->configured != nullptr) transport_.configured = Calls::configured;
}

}  // namespace vdla::remote
