// SPDX-License-Identifier: Apache-2.0
// The rules of streams.
#include "compiler/codegen/vdla/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/codegen/vdla/region.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

void check_tables(const Stream& stream) {
  for (const StreamSource& source : stream.sources)
    VDLA_CHECK_USER(source.layer < stream.layers.size())
        << "a source names layer " << source.layer << " of " << stream.layers.size();
  std::size_t last = 0;
  for (const Mark& mark : stream.marks) {
    VDLA_CHECK_USER(last <= mark.at && mark.at <= stream.insns.size())
        << "a mark stands at instruction " << mark.at << ", needs " << last << " to " << stream.insns.size();
    last = mark.at;
    const std::size_t size = mark.kind == Mark::Kind::Call ? stream.calls.size() : stream.instances.size();
    VDLA_CHECK_USER(mark.id < size) << "a mark names member " << mark.id << " of a table of " << size;
  }
  for (std::size_t i = 0; i < stream.insns.size(); ++i) {
    const StreamInsn& s = stream.insns[i];
    VDLA_CHECK_USER(s.source < stream.sources.size())
        << "instruction " << i << " names source " << s.source << " of " << stream.sources.size();
    VDLA_CHECK_USER(!std::holds_alternative<isa::FinishInsn>(s.insn))
        << "instruction " << i << " is finish, which comes when the stream is encoded; leave it out";
  }
}

/// Lives of instances, and the operands that lie in them.
class InstanceRules {
 public:
  explicit InstanceRules(const Stream& stream) : stream_(stream), lives_(stream.instances.size()) {}

  void check() {
    for_each_item(
        stream_.marks, stream_.insns, [&](const Mark& mark) { visit(mark); },
        [&](std::size_t i) { visit(i); });
  }

 private:
  enum class Life : std::uint8_t { Before, Alive, Ended };

  void visit(const Mark& mark) {
    if (mark.kind == Mark::Kind::Call) {
      for (const auto& place : stream_.calls[mark.id].places)
        if (const auto* storage = std::get_if<StoragePlace>(&place))
          check_alive(storage->instance,
                      [&] { return fmt::format("a parameter of '{}'", stream_.calls[mark.id].func.name); });
      return;
    }
    const Instance& instance = stream_.instances[mark.id];
    const Life needed = mark.kind == Mark::Kind::Begin ? Life::Before : Life::Alive;
    VDLA_CHECK_USER(lives_[mark.id] == needed)
        << "instance '" << instance.name << "' (%" << mark.id << ") "
        << (needed == Life::Before ? "begins twice" : "ends where it does not live");
    VDLA_CHECK_USER(instance.entries > 0 && instance.buffer != isa::Buffer::Uop)
        << "instance '" << instance.name << "' has " << instance.entries << " entries of "
        << isa::to_string(instance.buffer) << ", needs at least 1 of inp, wgt, acc, out or par";
    const std::int64_t depth = stream_.geometry.depth(instance.buffer);
    VDLA_CHECK_USER(!instance.first || (*instance.first >= 0 && *instance.first <= depth - instance.entries))
        << "instance '" << instance.name << "' lies in entries " << *instance.first << " to "
        << *instance.first + instance.entries - 1 << " of " << isa::to_string(instance.buffer)
        << ", which has " << depth;
    lives_[mark.id] = needed == Life::Before ? Life::Alive : Life::Ended;
  }

  template <class What>
  void check_alive(InstanceId id, const What& what) const {
    VDLA_CHECK_USER(id < lives_.size() && lives_[id] == Life::Alive)
        << what() << " lies in instance %" << id << ", which "
        << (id >= lives_.size()          ? "is none of the stream"
            : lives_[id] == Life::Before ? "has not begun"
                                         : "has ended");
  }

  void visit(std::size_t i) {
    const StreamInsn& s = stream_.insns[i];
    const auto what = [&] {
      return fmt::format("instruction {}: {}an operand", i, describe_source(stream_, i));
    };
    std::size_t operand = 0;
    visit_operands(s.insn, [&](isa::Buffer buffer, std::uint16_t) {
      const InstanceId id = s.storage[operand++];
      if (id == kNoInstance) return;
      check_alive(id, what);
      VDLA_CHECK_USER(stream_.instances[id].buffer == buffer)
          << what() << " in " << isa::to_string(buffer) << " lies in instance '" << stream_.instances[id].name
          << "' of " << isa::to_string(stream_.instances[id].buffer);
    });
    check_inside(s, what);
  }

  /// accesses_of() gives operands of vector and gemm in the order of visit_operands(), a copy's first.
  template <class What>
  void check_inside(const StreamInsn& s, const What& what) const {
    const MicroKernel* kernel = s.kernel < stream_.kernels.size() ? &stream_.kernels[s.kernel] : nullptr;
    std::size_t operand = 0;
    for (const Access& access : accesses_of(s.insn, kernel, stream_.geometry)) {
      if (access.dram) continue;
      const InstanceId id = s.storage[operand++];
      const auto buffer = static_cast<isa::Buffer>(access.space);
      const std::int64_t entries =
          id == kNoInstance ? stream_.geometry.depth(buffer) : stream_.instances[id].entries;
      std::int64_t begin = access.box.base, end = access.box.base + access.box.run;
      for (const auto& [count, stride] : access.box.dims) (stride < 0 ? begin : end) += (count - 1) * stride;
      if (begin >= 0 && end <= entries) continue;
      throw OperandOutside(fmt::format("{} lies in entries {} to {} of {}, which has {}", what(), begin,
                                       end - 1,
                                       id == kNoInstance ? std::string(isa::to_string(buffer))
                                                         : "instance '" + stream_.instances[id].name + "'",
                                       entries));
    }
  }

  const Stream& stream_;
  std::vector<Life> lives_;
};

/// Rules for the places of window uop's micro-ops in the buffer.
class MicroKernelRules {
 public:
  explicit MicroKernelRules(const Stream& stream)
      : stream_(stream), buffer_(stream.geometry.uop_depth, kEmpty) {
    std::int64_t next = 0;
    for (std::size_t k = 0; k < stream.kernels.size(); ++k) {
      firsts_.push_back(next);
      next += size_of(stream.kernels[k]);
    }
  }

  void check() {
    for (std::size_t i = 0; i < stream_.insns.size(); ++i) {
      const StreamInsn& s = stream_.insns[i];
      const auto* copy = std::get_if<isa::MemoryInsn>(&s.insn);
      if (copy && copy->buffer == isa::Buffer::Uop) load(*copy);
      if (const auto* gemm = std::get_if<isa::GemmInsn>(&s.insn)) check(s, *gemm, i);
    }
  }

 private:
  static constexpr std::int64_t kEmpty = -1;

  void load(const isa::MemoryInsn& load) {
    for (std::int64_t u = 0; u < load.run; ++u)
      buffer_[static_cast<std::size_t>(load.sram_base + u)] =
          static_cast<std::int64_t>(load.dram_offset / isa::kUopBytes) + u;
  }

  void check(const StreamInsn& s, const isa::GemmInsn& gemm, std::size_t i) const {
    VDLA_CHECK_USER(s.kernel < stream_.kernels.size())
        << "instruction " << i << ": a gemm names its micro-kernel, one of " << stream_.kernels.size();
    const std::int64_t size = size_of(stream_.kernels[s.kernel]);
    VDLA_CHECK_USER(gemm.uop_count == size) << "instruction " << i << ": a gemm of " << gemm.uop_count
                                            << " micro-ops has a micro-kernel of " << size;
    if (!s.loaded) return;
    for (std::int64_t u = 0; u < size; ++u) {
      const auto entry = static_cast<std::size_t>(gemm.uop_begin + u);
      VDLA_CHECK_USER(entry < buffer_.size() && buffer_[entry] == firsts_[s.kernel] + u)
          << "instruction " << i << ": micro-op " << u << " of micro-kernel " << s.kernel
          << " is not loaded to entry " << entry << " of uop";
    }
  }

  const Stream& stream_;
  std::vector<std::int64_t> firsts_;  ///< first micro-ops of kernels, in window uop
  std::vector<std::int64_t> buffer_;
};

void check_waits(const Stream& stream) {
  for (std::size_t i = 0; i < stream.insns.size(); ++i) {
    const StreamInsn& s = stream.insns[i];
    for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
      if (s.after[u] == kNever) continue;
      const auto from = static_cast<std::size_t>(s.after[u]);
      VDLA_CHECK_USER(stream.marks.empty()) << "instruction " << i << " waits for another in a stream with "
                                            << "marks; instructions are ordered when all have their places";
      VDLA_CHECK_USER(from < i && static_cast<std::size_t>(isa::unit_of(stream.insns[from].insn)) == u &&
                      isa::unit_of(s.insn) != isa::unit_of(stream.insns[from].insn))
          << "instruction " << i << " waits for instruction " << from
          << ", needs one before it on another unit";
    }
  }
}

void check_tokens(const Stream& stream) {
  std::array<std::array<unsigned, isa::kQueueUnits>, isa::kQueueUnits> channels{};
  for (std::size_t i = 0; i < stream.insns.size(); ++i) {
    const isa::Insn& insn = stream.insns[i].insn;
    const auto unit = static_cast<std::size_t>(isa::unit_of(insn));
    for (std::size_t other = 0; other < isa::kQueueUnits; ++other) {
      const bool pops = (isa::pops_of(insn) >> other & 1u) != 0;
      const bool pushes = (isa::pushes_of(insn) >> other & 1u) != 0;
      VDLA_CHECK_USER(!pops || channels[other][unit]-- > 0)
          << "instruction " << i << " pops a token of " << isa::to_string(static_cast<isa::Unit>(other))
          << " that none before it pushes";
      VDLA_CHECK_USER(!pushes || ++channels[unit][other] <= stream.geometry.token_depth)
          << "instruction " << i << " pushes a token to " << isa::to_string(static_cast<isa::Unit>(other))
          << " where " << stream.geometry.token_depth << " are in flight, as many as a channel holds";
    }
  }
}

}  // namespace

void verify(const Stream& stream, Forms may) {
  check_tables(stream);
  check_forms(stream, may);
  InstanceRules(stream).check();
  MicroKernelRules(stream).check();
  check_waits(stream);
  check_tokens(stream);
}

}  // namespace vdla::codegen
