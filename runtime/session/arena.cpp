// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/overloaded.h"

namespace vdla::runtime {
namespace {

struct Life {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();

  void at(std::int64_t time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  bool used() const { return begin <= end; }
  bool meets(const Life& other) const { return begin <= other.end && other.begin <= end; }
};

std::vector<Life> lives_of(const Module& module) {
  std::vector<Life> lives(module.tensors.size());
  const auto end = static_cast<std::int64_t>(module.steps.size());
  for (const Port& p : module.inputs) lives[p.tensor].at(-1);
  for (const Port& p : module.outputs) lives[p.tensor].at(end);
  for (const State& s : module.states) {
    for (const std::int64_t time : {std::int64_t{-1}, end}) lives[s.begin].at(time);
    lives[s.end].at(end);
  }
  for (std::int64_t time = 0; time < end; ++time) {
    std::visit(overloaded{[&](const DeviceStep& s) {
                            for (const DeviceTensor& d : s.inputs) lives[d.tensor].at(time);
                            for (const DeviceTensor& d : s.outputs) lives[d.tensor].at(time);
                          },
                          [&](const HostStep& s) {
                            for (TensorIndex t : s.arguments) lives[t].at(time);
                          }},
               module.steps[static_cast<std::size_t>(time)]);
  }
  return lives;
}

/// Tells for each tensor whether it lies with the caller, who gives or takes it.
std::vector<bool> ports_of(const Module& module) {
  std::vector<bool> is_port(module.tensors.size());
  for (const auto* ports : {&module.inputs, &module.outputs})
    for (const Port& port : *ports) is_port[port.tensor] = true;
  for (const State& s : module.states) is_port[s.begin] = false;  // it is kept
  return is_port;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// Places that are taken, by their offsets. A search looks at blocks of them: it passes one whose places are
/// all of other times, and one whose places all are of its time and leave no gap that is wide enough.
class Taken {
 public:
  /// The lowest offset that is free for a whole life.
  std::size_t free_place(const Life& life, std::size_t bytes) const {
    std::size_t at = 0;
    for (const Block& block : blocks_) {
      if (!block.all.meets(life)) continue;
      if (block.always(life) && block.places.front().begin < at + bytes && block.widest_gap < bytes) {
        at = std::max(at, block.end);
        continue;
      }
      for (const Place& place : block.places) {
        if (!place.life.meets(life)) continue;
        if (at + bytes <= place.begin) return at;
        at = std::max(at, place.end);
      }
    }
    return at;
  }

  /// Behind those with the same offset.
  void add(const Life& life, std::size_t begin, std::size_t bytes) {
    if (blocks_.empty()) blocks_.emplace_back();
    auto block = std::ranges::find_if(
        blocks_, [&](const Block& b) { return !b.places.empty() && b.places.back().begin > begin; });
    if (block == blocks_.end()) --block;
    const auto at = std::ranges::upper_bound(block->places, begin, {}, &Place::begin);
    block->places.insert(at, {life, begin, begin + bytes});
    if (block->places.size() > kMostInABlock) {
      const auto half = block->places.begin() + kMostInABlock / 2;
      Block rest;
      rest.places.assign(half, block->places.end());
      block->places.erase(half, block->places.end());
      rest.count();
      block->count();
      blocks_.insert(block + 1, std::move(rest));
    } else {
      block->count();
    }
  }

 private:
  static constexpr std::ptrdiff_t kMostInABlock = 256;
  struct Place {
    Life life;
    std::size_t begin, end;
  };
  struct Block {
    std::vector<Place> places;
    Life all;     ///< from the first begin to the last end of a life
    Life common;  ///< from the last begin to the first end
    std::size_t end = 0, widest_gap = 0;

    bool always(const Life& life) const { return common.begin <= life.end && life.begin <= common.end; }
    void count() {
      all = Life();
      common = places.front().life;
      end = places.front().end;
      widest_gap = 0;
      for (const Place& place : places) {
        all.at(place.life.begin);
        all.at(place.life.end);
        common.begin = std::max(common.begin, place.life.begin);
        common.end = std::min(common.end, place.life.end);
        if (place.begin > end) widest_gap = std::max(widest_gap, place.begin - end);
        end = std::max(end, place.end);
      }
    }
  };

  std::vector<Block> blocks_;
};

}  // namespace

/// Largest first, each at the lowest place that is free for its whole life.
ArenaPlan plan_arena(const Module& module, Ports ports) {
  const std::vector<Life> lives = lives_of(module);
  const std::vector<bool> is_port = ports_of(module);
  ArenaPlan plan{.offsets = std::vector<std::size_t>(module.tensors.size(), 0)};
  std::vector<std::size_t> order(module.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    return module.tensors[i].constant() || !lives[i].used() || (ports == Ports::Apart && is_port[i]);
  });
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::size_t bytes_a = module.tensors[a].bytes(), bytes_b = module.tensors[b].bytes();
    return bytes_a != bytes_b ? bytes_a > bytes_b : a < b;
  });

  Taken taken;
  for (std::size_t i : order) {
    const std::size_t bytes = aligned(module.tensors[i].bytes());
    plan.offsets[i] = taken.free_place(lives[i], bytes);
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + bytes);
    plan.unshared_bytes += bytes;
    taken.add(lives[i], plan.offsets[i], bytes);
  }
  return plan;
}

}  // namespace vdla::runtime
