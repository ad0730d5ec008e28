// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/timing/rules.h"
#include "kit/bring_up/probe_program.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

constexpr std::uint64_t kMostBytes = 4096;  ///< most bytes of a transfer
/// Bytes moved by the shorter of two programs, in as many transfers.
constexpr std::uint64_t kMovedBytes = 32'768;
constexpr std::uint64_t kFetched = 256;   ///< instructions of the shorter one
constexpr std::uint64_t kChunkBytes = 8;  ///< bytes that a unit moves to or from a buffer in a cycle
// Bytes of fetch's buffer (docs/timing.md), and about the cycles that a place in it takes beside the memory
// from its use on until it is used again.
constexpr std::uint64_t kFetchBytes = 512, kFetchTurn = 5;
constexpr double kFar = 0.1;  ///< part of the model: nearer is as it says

/// Cycles of a finish alone, beside the latency of the memory (docs/timing.md).
constexpr unsigned kFinishCycles = 1;

class Measurement {
 public:
  Measurement(const vdla_transport& transport, const isa::Variant& variant)
      : transport_(transport), variant_(variant), timing_(variant.timing) {}

  Bandwidth run() {
    Bandwidth b;
    const double finish = cycles_of("");
    VDLA_CHECK_USER(finish > 0)
        << "the device counts no cycles, as engine functional does; needs --engine systemc "
           "or rtl, or a board";
    b.model_latency = timing_.dram_latency;
    b.latency = b.model_latency + finish - (isa::first_dispatch(timing_) + kFinishCycles);
    b.rows.push_back(fetch());
    for (const isa::Unit unit : {isa::Unit::Load, isa::Unit::Store})
      for (std::uint64_t pieces = 1; pieces <= most_pieces(unit); pieces *= 4)
        b.rows.push_back(move(unit, pieces));
    return b;
  }

 private:
  const isa::Geometry& geometry() const { return variant_.geometry; }

  double cycles_of(const std::string& text) {
    ProbeProgram program(transport_, variant_, text + "finish 1\n");
    program.start();
    program.wait();
    return static_cast<double>(program.cycles());
  }

  /// Bytes that an entry of the unit's buffer takes: wgt of load, out of store.
  std::uint64_t piece_bytes(isa::Unit unit) const {
    const std::uint64_t n = geometry().block_out;
    return unit == isa::Unit::Load ? n * geometry().block_in : n * geometry().batch;
  }
  std::uint64_t most_pieces(isa::Unit unit) const {
    const std::uint64_t depth = unit == isa::Unit::Load ? geometry().wgt_depth : geometry().out_depth;
    return std::min<std::uint64_t>(depth, std::max<std::uint64_t>(1, kMostBytes / piece_bytes(unit)));
  }

  /// Measures transfers of `pieces` entries each, one after the other over the same bytes.
  BandwidthRow move(isa::Unit unit, std::uint64_t pieces) {
    const std::uint64_t piece = piece_bytes(unit), bytes = pieces * piece;
    const std::uint64_t times = std::max<std::uint64_t>(16, kMovedBytes / bytes);
    const auto text = [&](std::uint64_t n) {
      return unit == isa::Unit::Load
                 ? fmt::format("load wgt[0] = act[{}*x] for x<{} y<{}\n", piece, pieces, n)
                 : fmt::format("store output[{}*x] = out[0] for x<{} y<{}\n", piece, pieces, n);
    };
    const double cycles = cycles_of(text(2 * times)) - cycles_of(text(times));
    const double model = model_cycles(unit, bytes, 2 * times) - model_cycles(unit, bytes, times);
    const auto moved = static_cast<double>(bytes * times);
    return {unit, bytes, moved / cycles, moved / model};
  }

  double model_cycles(isa::Unit unit, std::uint64_t bytes, std::uint64_t times) const {
    const std::uint64_t chunk = std::min(kChunkBytes, piece_bytes(unit)),
                        burst = std::min<std::uint64_t>(bytes, timing_.dram_burst_bytes),
                        bursts = times * ((bytes + burst - 1) / burst), data = bus_cycles(burst);
    if (unit == isa::Unit::Load)
      return static_cast<double>(std::max(isa::read_cycles(timing_, bursts, data), bytes * times / chunk));
    return static_cast<double>(bursts * (std::max(data, burst / chunk) + isa::write_gap(timing_)));
  }
  std::uint64_t bus_cycles(std::uint64_t bytes) const { return (bytes + 7) / 8 * isa::beat_cycles(timing_); }

  /// Instructions that are done sooner than they come.
  BandwidthRow fetch() {
    const auto text = [](std::uint64_t n) {
      std::string all;
      for (std::uint64_t i = 0; i < n; ++i) all += "vector out[0] = add(acc[0], #0)\n";
      return all;
    };
    const double cycles = (cycles_of(text(2 * kFetched)) - cycles_of(text(kFetched))) / kFetched;
    const auto buffered = kFetchBytes / isa::kInsnBytes;
    const double model = static_cast<double>(std::max(
                             {isa::kNextDispatch * buffered, bus_cycles(kFetchBytes),
                              timing_.dram_latency + bus_cycles(timing_.dram_burst_bytes) + kFetchTurn})) /
                         buffered;
    return {isa::Unit::Fetch, isa::kInsnBytes, isa::kInsnBytes / cycles, isa::kInsnBytes / model};
  }

  const vdla_transport& transport_;
  const isa::Variant& variant_;
  const isa::Timing& timing_;
};

}  // namespace

std::string Bandwidth::finding() const {
  const auto far = [](double a, double b) { return a < b * (1 - kFar); };
  const auto share_of = [&](isa::Unit unit) {
    double share = 0;
    for (const BandwidthRow& row : rows)
      if (row.unit == unit) share = row.share();  // the largest transfer comes last
    return share;
  };
  const double load = share_of(isa::Unit::Load), store = share_of(isa::Unit::Store);
  std::string text;
  if (far(load, 1) || far(store, 1))
    text = fmt::format(
        "large transfers reach {:.0f} % (load) and {:.0f} % (store) of the model: look at the width of the "
        "memory "
        "port on both sides, the clock of the interconnect, its outstanding requests and who else uses the "
        "memory",
        100 * load, 100 * store);
  if (far(model_latency, latency))
    text += fmt::format("{}the first data comes {:.0f} cycles later than the model says",
                        text.empty() ? "" : "; ", latency - model_latency);
  const bool small = std::ranges::any_of(rows, [&](const BandwidthRow& r) { return far(r.share(), 1); });
  if (text.empty() && small)
    text =
        "only short transfers are slower than the model: fewer requests are in flight than dram_outstanding "
        "says";
  if (!text.empty())
    text +=
        "; a variant with this memory's figures (dram_latency, dram_outstanding, dram_bytes_per_cycle) lets "
        "vdla compile choose for it";
  return text;
}

Bandwidth measure_bandwidth(const vdla_transport& transport, const isa::Variant& variant) {
  return Measurement(transport, variant).run();
}

}  // namespace vdla::kit
