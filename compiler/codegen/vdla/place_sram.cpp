// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/place_sram.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/codegen/vdla/sram.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

class SramPlacement {
 public:
  explicit SramPlacement(Stream& stream) : stream_(stream), firsts_(stream.instances.size(), kNowhere) {
    for (const isa::NamedCode& row : isa::kBuffers) {
      const auto buffer = static_cast<isa::Buffer>(row.code);
      buffers_.emplace_back(stream.geometry.depth(buffer), buffer == isa::Buffer::Acc ? isa::kAccBanks : 1);
    }
  }

  void run() {
    for_each_item(
        stream_.marks, stream_.insns,
        [&](const Mark& mark) {
          if (mark.kind == Mark::Kind::Begin) begin(mark);
          if (mark.kind == Mark::Kind::End) end(mark.id);
        },
        [&](std::size_t i) { place(stream_.insns[i]); });
    std::erase_if(stream_.marks, [](const Mark& mark) { return mark.kind != Mark::Kind::Call; });
    stream_.instances.clear();
  }

 private:
  static constexpr std::int64_t kNowhere = -1;  // not begun yet, or ended

  SramAllocator& buffer_of(const Instance& instance) {
    return buffers_[static_cast<std::size_t>(instance.buffer)];
  }

  void begin(const Mark& mark) {
    const Instance& instance = stream_.instances[mark.id];
    SramAllocator& buffer = buffer_of(instance);
    if (instance.first) {
      VDLA_CHECK(buffer.take_at(*instance.first, instance.entries))
          << "entries " << *instance.first << " to " << *instance.first + instance.entries - 1 << " of "
          << isa::to_string(instance.buffer) << " are not free" << taken(instance.buffer);
      firsts_[mark.id] = *instance.first;
      return;
    }
    const auto first = buffer.take(instance.entries);
    VDLA_CHECK_USER(first) << describe_source(stream_, mark.at) << "buffer '" << instance.name << "' needs "
                           << instance.entries << " entries of " << isa::to_string(instance.buffer)
                           << ", which has " << buffer.largest_gap() << " together free of " << buffer.depth()
                           << taken(instance.buffer) << "; use a tile of at most " << buffer.largest_gap()
                           << " entries";
    firsts_[mark.id] = *first;
  }

  void end(InstanceId id) {
    buffer_of(stream_.instances[id]).give_back(firsts_[id]);
    firsts_[id] = kNowhere;
  }

  std::string taken(isa::Buffer buffer) const {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const Instance& other = stream_.instances[i];
      if (other.buffer == buffer && firsts_[i] != kNowhere)
        others.push_back(fmt::format("'{}' {}", other.name, other.entries));
    }
    std::ranges::sort(others);
    return others.empty() ? "" : fmt::format(" (taken: {})", fmt::join(others, ", "));
  }

  void place(StreamInsn& s) {
    std::size_t operand = 0;
    visit_operands(s.insn, [&](isa::Buffer, std::uint16_t& base) {
      InstanceId& instance = s.storage[operand++];
      if (instance == kNoInstance) return;
      const std::int64_t entry = firsts_[instance] + base;
      VDLA_CHECK(firsts_[instance] != kNowhere && entry <= kMaxCount)
          << "instance '" << stream_.instances[instance].name << "' is used at entry " << entry;
      base = static_cast<std::uint16_t>(entry);
      instance = kNoInstance;
    });
  }

  Stream& stream_;
  std::vector<SramAllocator> buffers_;
  std::vector<std::int64_t> firsts_;  ///< by instance
};

}  // namespace

void place_sram(Stream& stream) { SramPlacement(stream).run(); }

}  // namespace vdla::codegen
