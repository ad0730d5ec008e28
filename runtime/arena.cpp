// SPDX-License-Identifier: Apache-2.0
#include "runtime/arena.h"

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

bool is_port(const Module& module, std::size_t tensor) {
  const auto is = [&](const Port& port) { return port.tensor == tensor; };
  return std::ranges::any_of(module.inputs, is) || std::ranges::any_of(module.outputs, is);
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

}  // namespace

/// Largest first, each at the lowest place that is free for its whole life.
ArenaPlan plan_arena(const Module& module, Ports ports) {
  const std::vector<Life> lives = lives_of(module);
  ArenaPlan plan{.offsets = std::vector<std::size_t>(module.tensors.size(), 0)};
  std::vector<std::size_t> order(module.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    return module.tensors[i].constant() || !lives[i].used() || (ports == Ports::Apart && is_port(module, i));
  });
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::size_t bytes_a = module.tensors[a].bytes(), bytes_b = module.tensors[b].bytes();
    return bytes_a != bytes_b ? bytes_a > bytes_b : a < b;
  });

  std::vector<std::size_t> placed;  // by offset
  for (std::size_t i : order) {
    const std::size_t bytes = aligned(module.tensors[i].bytes());
    std::size_t at = 0;
    for (std::size_t other : placed) {
      if (!lives[i].meets(lives[other])) continue;
      if (at + bytes <= plan.offsets[other]) break;
      at = std::max(at, plan.offsets[other] + aligned(module.tensors[other].bytes()));
    }
    plan.offsets[i] = at;
    plan.bytes = std::max(plan.bytes, at + bytes);
    plan.unshared_bytes += bytes;
    placed.insert(std::ranges::upper_bound(placed, at, {}, [&](std::size_t p) { return plan.offsets[p]; }),
                  i);
  }
  return plan;
}

}  // namespace vdla::runtime
