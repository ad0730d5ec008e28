// SPDX-License-Identifier: Apache-2.0
// Each instance gets entries of its buffer, in the order in which instances begin: those given back longest
// ago, so that consecutive tiles alternate and loads run ahead as far as there is room; accumulators in turn
// in both banks (compiler/codegen/vdla/sram.h). Nothing else is needed for double buffering. In a layer whose
// instances find no room that way, they take the first entries that are free.
#include "compiler/codegen/vdla/passes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/codegen/vdla/sram.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

constexpr std::int64_t kNowhere = -1;  // not begun yet, or ended

/// Finds entries for the instances of one buffer after the other. In a layer where they find no room that
/// way, since those beside them lie in its middle, they lie as close as they can.
class SramPlacement {
 public:
  explicit SramPlacement(const Stream& stream)
      : stream_(stream), places_(stream.instances.size(), kNowhere) {}

  /// First entries, by instance.
  std::vector<std::int64_t> run() {
    for (const isa::NamedCode& row : isa::kBuffers) {
      std::set<std::size_t> close;
      while (const auto full = place_all(static_cast<isa::Buffer>(row.code), close)) close.insert(*full);
    }
    return std::move(places_);
  }

 private:
  /// `close`: layers where instances lie as close as they can. Such a layer more that is needed, or nothing.
  std::optional<std::size_t> place_all(isa::Buffer which, const std::set<std::size_t>& close) {
    SramAllocator buffer = std::move(allocators(stream_.geometry)[static_cast<std::size_t>(which)]);
    std::set<InstanceId> live;
    for (const Mark& mark : stream_.marks) {
      if (mark.kind == Mark::Kind::Call || stream_.instances[mark.id].buffer != which) continue;
      if (mark.kind == Mark::Kind::End) {
        buffer.give_back(places_[mark.id]);
        live.erase(mark.id);
        continue;
      }
      const Instance& instance = stream_.instances[mark.id];
      const std::size_t layer = layer_at(mark.at);
      const auto first = place(instance, buffer, close.contains(layer), live);
      if (!first && close.contains(layer)) refuse(mark, buffer, live);
      if (!first) return layer;
      places_[mark.id] = *first;
      live.insert(mark.id);
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> place(const Instance& instance, SramAllocator& buffer, bool close,
                                    const std::set<InstanceId>& live) const {
    if (!instance.first) return close ? buffer.take_first(instance.entries) : buffer.take(instance.entries);
    VDLA_CHECK(buffer.take_at(*instance.first, instance.entries))
        << "entries " << *instance.first << " to " << *instance.first + instance.entries - 1 << " of "
        << isa::to_string(instance.buffer) << " are not free" << taken(live);
    return instance.first;
  }

  std::size_t layer_at(std::size_t insn) const {
    if (stream_.insns.empty()) return 0;
    return stream_.sources[stream_.insns[std::min(insn, stream_.insns.size() - 1)].source].layer;
  }

  void refuse(const Mark& mark, const SramAllocator& buffer, const std::set<InstanceId>& live) const {
    const Instance& instance = stream_.instances[mark.id];
    VDLA_CHECK_USER(false) << describe_source(stream_, mark.at) << "buffer '" << instance.name << "' needs "
                           << instance.entries << " entries of " << isa::to_string(instance.buffer)
                           << ", which has " << buffer.largest_gap() << " together free of " << buffer.depth()
                           << taken(live) << "; use a tile of at most " << buffer.largest_gap() << " entries";
  }

  std::string taken(const std::set<InstanceId>& live) const {
    std::vector<std::string> others;
    for (const InstanceId id : live)
      others.push_back(fmt::format("'{}' {}", stream_.instances[id].name, stream_.instances[id].entries));
    std::ranges::sort(others);
    return others.empty() ? "" : fmt::format(" (taken: {})", fmt::join(others, ", "));
  }

  const Stream& stream_;
  std::vector<std::int64_t> places_;
};

/// Bases of operands count from the first entry of the buffer from here on.
void place(const Stream& stream, const std::vector<std::int64_t>& places, StreamInsn& s) {
  std::size_t operand = 0;
  visit_operands(s.insn, [&](isa::Buffer, std::uint16_t& base) {
    InstanceId& instance = s.storage[operand++];
    if (instance == kNoInstance) return;
    const std::int64_t entry = places[instance] + base;
    VDLA_CHECK(places[instance] != kNowhere && entry <= kMaxCount)
        << "instance '" << stream.instances[instance].name << "' is used at entry " << entry;
    base = static_cast<std::uint16_t>(entry);
    instance = kNoInstance;
  });
}

}  // namespace

/// Leaves no instance and no mark. UserError where a buffer has no room: names it, need, have, layer and a
/// remedy.
void place_sram(Stream& stream) {
  const std::vector<std::int64_t> places = SramPlacement(stream).run();
  for (StreamInsn& s : stream.insns) place(stream, places, s);
  std::erase_if(stream.marks, [](const Mark& mark) { return mark.kind != Mark::Kind::Call; });
  stream.instances.clear();
}

}  // namespace vdla::codegen
