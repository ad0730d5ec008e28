// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/device/board_like.h"

#include <cstring>

#include "isa/spec/registers.h"

namespace vdla::runtime {

struct BoardLike::Calls {
  static BoardLike& self(void* context) { return *static_cast<BoardLike*>(context); }
  static const vdla_transport& inner(void* context) { return *self(context).inner_.transport(); }

  static int read32(void* c, std::uint32_t offset, std::uint32_t* value) {
    if (const auto instead = self(c).reads ? self(c).reads(offset) : std::nullopt) {
      *value = *instead;
      return 0;
    }
    return inner(c).read32(inner(c).context, offset, value);
  }
  static int write32(void* c, std::uint32_t offset, std::uint32_t value) {
    const int result = inner(c).write32(inner(c).context, offset, value);
    if (offset == static_cast<std::uint32_t>(isa::Register::CONTROL)) {
      self(c).controls.push_back(value);
      if ((value & isa::kControlStart) != 0) self(c).on_start();
    }
    return result;
  }
  static int alloc(void* c, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    self(c).alignments.push_back(alignment);
    const std::uint64_t wanted = bytes > self(c).most ? self(c).engine_.memory_size() + 1 : bytes;
    return inner(c).alloc(inner(c).context, (wanted + kLine - 1) / kLine * kLine, alignment, address);
  }
  static void free(void* c, std::uint64_t address) {
    self(c).controls.push_back(0);
    inner(c).free(inner(c).context, address);
  }
  static int copy_in(void* c, std::uint64_t address, const void* from, std::uint64_t bytes) {
    ++self(c).copies;
    std::memcpy(self(c).cached(address), from, bytes);
    return 0;
  }
  static int copy_out(void* c, void* to, std::uint64_t address, std::uint64_t bytes) {
    ++self(c).copies;
    std::memcpy(to, self(c).cached(address), bytes);
    return 0;
  }
  static void* map(void* c, std::uint64_t address, std::uint64_t) { return self(c).cached(address); }

  /// Whole lines, as caches have them.
  static std::pair<std::uint64_t, std::span<std::byte>> lines(void* c, std::uint64_t address,
                                                              std::uint64_t bytes) {
    const std::uint64_t begin = address / kLine * kLine, end = (address + bytes + kLine - 1) / kLine * kLine;
    return {begin, {self(c).cached(begin), end - begin}};
  }
  static int sync_for_device(void* c, std::uint64_t address, std::uint64_t bytes) {
    const auto [begin, line] = lines(c, address, bytes);
    self(c).engine_.write_memory(begin, line);
    return 0;
  }
  static int sync_for_cpu(void* c, std::uint64_t address, std::uint64_t bytes) {
    const auto [begin, line] = lines(c, address, bytes);
    self(c).engine_.read_memory(begin, line);
    return 0;
  }
  static vdla_wait_result wait_interrupt(void* c, std::uint64_t timeout, std::uint64_t* spent) {
    const vdla_wait_result result = inner(c).wait_interrupt(inner(c).context, timeout, spent);
    if (result != VDLA_WAIT_INTERRUPT || self(c).wired) return result;
    *spent = timeout;
    return VDLA_WAIT_TIMEOUT;
  }
  static const char* last_error(void* c) { return inner(c).last_error(inner(c).context); }
};

BoardLike::BoardLike(sim::Engine& engine)
    : transport{.context = this,
                .time_unit = "us",
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
                .units_per_second = 1'000'000,
                .first_wait = 1000,
                .cache_line = kLine},
      engine_(engine),
      inner_(engine),
      cache_(engine.memory_size(), std::byte{0xcc}) {}

void BoardLike::offer_map() { transport.map = Calls::map; }

}  // namespace vdla::runtime
