// SPDX-License-Identifier: Apache-2.0
// Hazards by shadow memory, their transitive reduction by vector clocks, and the bound on tokens in flight.
#include "compiler/codegen/vdla/tokens.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "compiler/codegen/vdla/region.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

constexpr std::int32_t kNever = -1;
/// For each unit the last of its instructions, or kNever.
using Clock = std::array<std::int32_t, isa::kQueueUnits>;
constexpr Clock kNoClock{kNever, kNever, kNever, kNever};

/// Who last read and wrote each cell of one space.
class Shadow {
 public:
  /// `latest` is raised to the instructions that an access must wait for.
  void visit(const Access& access, std::size_t unit, std::int32_t index, std::int64_t granule,
             Clock& latest) {
    for_each_interval(access.box, [&](std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<std::size_t>(begin / granule);
      const auto last = static_cast<std::size_t>((end - 1) / granule);
      if (last >= cells_.size()) cells_.resize(std::max(last + 1, cells_.size() * 2), {kNoClock, kNoClock});
      for (std::size_t c = first; c <= last; ++c) {
        Cell& cell = cells_[c];
        for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
          if (u == unit) continue;
          latest[u] = std::max(latest[u], cell.written[u]);
          if (access.write) latest[u] = std::max(latest[u], cell.read[u]);
        }
        (access.write ? cell.written : cell.read)[unit] = index;
      }
    });
  }

 private:
  struct Cell {
    Clock written, read;
  };
  std::vector<Cell> cells_;
};

/// A token from instruction `from` to instruction `to`.
struct Edge {
  std::int32_t from, to;
};

class TokenPass {
 public:
  TokenPass(Stream& stream, const KernelTable& kernels, const isa::Geometry& geometry, Latency latency)
      : stream_(stream), kernels_(kernels), geometry_(geometry), latency_(latency) {}

  void run() {
    find_written_windows();
    std::vector<Clock> done(stream_.size(), kNoClock);  // what is complete when the instruction is
    std::array<Clock, isa::kQueueUnits> known;
    known.fill(kNoClock);
    std::optional<std::size_t> last_unit;
    for (std::size_t i = 0; i < stream_.size(); ++i) {
      const isa::Unit unit_name = isa::unit_of(stream_[i].insn);
      if (unit_name == isa::Unit::Fetch) continue;
      const auto unit = static_cast<std::size_t>(unit_name);
      const auto index = static_cast<std::int32_t>(i);
      Clock clock = known[unit];
      Clock latest = hazards(i, unit);
      if (latency_ == Latency::Exposed && last_unit) {
        latest[*last_unit] = std::max(latest[*last_unit], index - 1);
      }
      last_unit = unit;
      wait_for(unit, index, latest, done, clock);
      clock[unit] = index;
      known[unit] = clock;
      done[i] = clock;
    }
    write_flags();
  }

 private:
  /// Windows that are only read, or only written, have no hazards between units.
  void find_written_windows() {
    for (const StreamInsn& s : stream_) {
      if (isa::opcode_of(s.insn) == isa::Opcode::Store)
        written_[static_cast<std::size_t>(std::get<isa::MemoryInsn>(s.insn).window)] = true;
      if (isa::opcode_of(s.insn) == isa::Opcode::Load)
        read_[static_cast<std::size_t>(std::get<isa::MemoryInsn>(s.insn).window)] = true;
    }
    granule_ = std::gcd(geometry_.block_in, geometry_.block_out);
  }

  Clock hazards(std::size_t i, std::size_t unit) {
    Clock latest = kNoClock;
    const StreamInsn& s = stream_[i];
    const Kernel* kernel = s.kernel == kNoKernel ? nullptr : &kernels_[s.kernel];
    std::vector<Access> accesses = accesses_of(s.insn, kernel, geometry_);
    if (const auto* gemm = std::get_if<isa::GemmInsn>(&s.insn)) {
      accesses.push_back(
          {false, static_cast<std::size_t>(isa::Buffer::Uop), false, {gemm->uop_begin, gemm->uop_count, {}}});
    }
    for (const Access& access : accesses) {
      if (access.dram && !(written_[access.space] && read_[access.space])) continue;
      Shadow& shadow = access.dram ? windows_[access.space] : buffers_[access.space];
      shadow.visit(access, unit, static_cast<std::int32_t>(i), access.dram ? granule_ : 1, latest);
      if (!access.dram && access.space == static_cast<std::size_t>(isa::Buffer::Acc))
        take_banks(access, unit, static_cast<std::int32_t>(i), latest);
    }
    return latest;
  }

  /// Gemm waits for what the vector unit did before in the banks of its accumulators.
  void take_banks(const Access& access, std::size_t unit, std::int32_t index, Clock& latest) {
    constexpr auto kVector = static_cast<std::size_t>(isa::Unit::Vector);
    std::int64_t last = access.box.base + access.box.run - 1;
    for (const auto& [count, stride] : access.box.dims) last += (count - 1) * stride;
    const std::int64_t bank = geometry_.acc_depth / isa::kAccBanks;
    for (std::int64_t b = access.box.base / bank; b <= last / bank; ++b) {
      std::int32_t& reader = last_in_bank_[static_cast<std::size_t>(b)];
      if (unit == kVector) {
        reader = index;
      } else {
        latest[kVector] = std::max(latest[kVector], reader);
      }
    }
  }

  /// Adds the tokens that `latest` needs beyond what `clock` knows; the latest producer first, as it may know
  /// of the others.
  void wait_for(std::size_t unit, std::int32_t index, const Clock& latest, const std::vector<Clock>& done,
                Clock& clock) {
    std::array<std::size_t, isa::kQueueUnits> order;
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, std::greater{}, [&](std::size_t u) { return latest[u]; });
    for (std::size_t from : order) {
      if (from == unit || latest[from] <= clock[from]) continue;
      add_edge(edges_[from][unit], {latest[from], index});
      const Clock& learnt = done[static_cast<std::size_t>(latest[from])];
      for (std::size_t u = 0; u < isa::kQueueUnits; ++u) clock[u] = std::max(clock[u], learnt[u]);
    }
  }

  /// Where the channel would overflow in program order, the last waiting consumer takes the new token instead
  /// of its own: it waits for more than it needs, and the new consumer, which comes after it, needs no token.
  void add_edge(std::vector<Edge>& channel, Edge edge) {
    std::size_t waiting = 0;
    for (auto it = channel.rbegin(); it != channel.rend() && it->to > edge.from; ++it) ++waiting;
    if (waiting < geometry_.token_depth) {
      channel.push_back(edge);
    } else {
      channel.back().from = edge.from;
    }
  }

  void write_flags() {
    std::vector<std::pair<unsigned, unsigned>> flags(stream_.size());
    for (std::size_t from = 0; from < isa::kQueueUnits; ++from) {
      for (std::size_t to = 0; to < isa::kQueueUnits; ++to) {
        for (const Edge& edge : edges_[from][to]) {
          flags[static_cast<std::size_t>(edge.from)].second |= 1u << to;
          flags[static_cast<std::size_t>(edge.to)].first |= 1u << from;
        }
      }
    }
    for (std::size_t i = 0; i < stream_.size(); ++i)
      isa::set_tokens(stream_[i].insn, flags[i].first, flags[i].second);
  }

  Stream& stream_;
  const KernelTable& kernels_;
  const isa::Geometry& geometry_;
  const Latency latency_;
  std::array<std::int32_t, isa::kAccBanks> last_in_bank_ = [] {
    std::array<std::int32_t, isa::kAccBanks> none{};
    none.fill(kNever);
    return none;
  }();
  std::array<bool, isa::kWindows.size()> written_{}, read_{};
  std::int64_t granule_ = 1;
  std::array<Shadow, isa::kBuffers.size()> buffers_;
  std::array<Shadow, isa::kWindows.size()> windows_;
  std::array<std::array<std::vector<Edge>, isa::kQueueUnits>, isa::kQueueUnits> edges_;
};

}  // namespace

void insert_tokens(Stream& stream, const KernelTable& kernels, const isa::Geometry& geometry,
                   Latency latency) {
  TokenPass(stream, kernels, geometry, latency).run();
}

}  // namespace vdla::codegen
