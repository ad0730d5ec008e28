// SPDX-License-Identifier: Apache-2.0
#include "driver/sim/sim_transport.h"

#include <span>

#include "support/error.h"

namespace vdla::driver {

/// Runs what an engine may throw from; an exception becomes status 1 and its text.
template <class Body>
int SimTransport::guarded(Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    last_error_ = e.what();
    return 1;
  }
}

/// The functions of the C interface.
struct SimTransport::Calls {
  static SimTransport& self(void* context) { return *static_cast<SimTransport*>(context); }

  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    return self(context).guarded([&] { *value = self(context).engine_.read_register(offset); });
  }

  static int write32(void* context, std::uint32_t offset, std::uint32_t value) {
    return self(context).guarded([&] { self(context).engine_.write_register(offset, value); });
  }

  static int alloc(void* context, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    return self(context).guarded([&] { *address = self(context).allocate(bytes, alignment); });
  }

  static void free(void* context, std::uint64_t address) {
    vdla_arena_give_back(&self(context).arena_, address);
  }

  static int copy_in(void* context, std::uint64_t address, const void* from, std::uint64_t bytes) {
    return self(context).guarded([&] {
      self(context).engine_.write_memory(
          address, std::span(static_cast<const std::byte*>(from), static_cast<std::size_t>(bytes)));
    });
  }

  static int copy_out(void* context, void* to, std::uint64_t address, std::uint64_t bytes) {
    return self(context).guarded([&] {
      self(context).engine_.read_memory(
          address, std::span(static_cast<std::byte*>(to), static_cast<std::size_t>(bytes)));
    });
  }

  /// A simulated machine has no caches.
  static int sync(void*, std::uint64_t, std::uint64_t) { return 0; }

  static vdla_wait_result wait_interrupt(void* context, std::uint64_t timeout, std::uint64_t* spent) {
    SimTransport& t = self(context);
    *spent = 0;  // the engine says only whether the limit was reached
    vdla_wait_result result = VDLA_WAIT_INTERRUPT;
    const int failed = t.guarded([&] {
      switch (t.engine_.run(timeout)) {
        case sim::Stop::Interrupt:
          result = VDLA_WAIT_INTERRUPT;
          break;
        case sim::Stop::Deadlock:
          result = VDLA_WAIT_STUCK;
          break;
        case sim::Stop::CycleLimit:
          result = VDLA_WAIT_TIMEOUT;
          *spent = timeout;
          break;
      }
    });
    return failed ? VDLA_WAIT_FAILED : result;
  }

  static const char* last_error(void* context) { return self(context).last_error_.c_str(); }
};

SimTransport::SimTransport(sim::Engine& engine)
    : engine_(engine),
      transport_{.context = this,
                 .time_unit = "cycles",
                 .read32 = Calls::read32,
                 .write32 = Calls::write32,
                 .alloc = Calls::alloc,
                 .free = Calls::free,
                 .copy_in = Calls::copy_in,
                 .copy_out = Calls::copy_out,
                 .sync_for_device = Calls::sync,
                 .sync_for_cpu = Calls::sync,
                 .wait_interrupt = Calls::wait_interrupt,
                 .last_error = Calls::last_error},
      arena_{.first = engine.memory_base(),
             .bytes = engine.memory_size(),
             .line = 1,
             .blocks = nullptr,
             .used = 0,
             .capacity = 0} {}

std::uint64_t SimTransport::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (arena_.used == arena_.capacity) {
    blocks_.resize(2 * blocks_.size() + 16);
    arena_.blocks = blocks_.data();
    arena_.capacity = static_cast<std::uint32_t>(blocks_.size());
  }
  std::uint64_t address = 0;
  const vdla_arena_result result = vdla_arena_take(&arena_, bytes, alignment, &address);
  VDLA_CHECK_USER(result != VDLA_ARENA_ALIGNMENT)
      << "DMA memory is aligned to a power of two, got " << alignment;
  VDLA_CHECK_USER(result == VDLA_ARENA_OK)
      << "the device's memory is full: " << bytes << " bytes wanted, " << allocated_bytes() << " of "
      << arena_.bytes << " bytes in use; give the engine more memory";
  return address;
}

}  // namespace vdla::driver
