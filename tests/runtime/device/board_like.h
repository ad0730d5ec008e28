// SPDX-License-Identifier: Apache-2.0
// A board made of an engine: between the CPU and the engine's memory stands a cache that nothing keeps
// coherent, the interrupt may not be wired, and registers may be made to read anything.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "driver/sim/sim_transport.h"

namespace vdla::runtime {

class BoardLike {
 public:
  explicit BoardLike(sim::Engine& engine);
  BoardLike(const BoardLike&) = delete;
  BoardLike& operator=(const BoardLike&) = delete;

  vdla_transport transport{};
  bool wired = true;           ///< the interrupt
  std::uint64_t most = ~0ull;  ///< bytes of a block
  /// In the place of what a register reads; unset: as it is.
  std::function<std::optional<std::uint32_t>(std::uint32_t offset)> reads;
  std::function<void()> on_start = [] {};
  std::vector<std::uint32_t> controls;    ///< written to CONTROL, in order; 0: a block was given back
  std::vector<std::uint64_t> alignments;  ///< that blocks were asked for with
  unsigned copies = 0;                    ///< made by the transport

  /// Offers the cache itself, so that nothing has to be copied.
  void offer_map();
  static constexpr std::uint32_t kLine = 64;  ///< bytes of the cache's

 private:
  struct Calls;
  std::byte* cached(std::uint64_t address) { return cache_.data() + (address - engine_.memory_base()); }

  sim::Engine& engine_;
  driver::SimTransport inner_;
  std::vector<std::byte> cache_;
};

}  // namespace vdla::runtime
