// SPDX-License-Identifier: Apache-2.0
// Our machine beside silicon: the convolutions of ResNet-18 as VTA ran them on a Pynq board (xc7z020, 100
// MHz), in VTA's published geometry, with the tiles that its tuner had chosen.
//
// Measured figures and tiles: vta_board.h. Facts about VTA: its HLS source (one compute core for GEMM and
// ALU; GEMM one step a cycle, ALU one entry every second cycle; the accumulator is cleared by a GEMM of its
// own; a load fetches whole rows) and its conv2d template (epilogue shift, max, min).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/validation/vta_board.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "isa/variants/variants.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::bench {
namespace {

namespace device = pipeline::device;
using nlohmann::ordered_json;

constexpr std::int64_t kAluPasses = 3, kAluInterval = 2;

/// VTA's published configuration: our variant `vta`, with an output buffer of as many entries as its
/// accumulator.
isa::Variant vta_variant() {
  isa::Variant v = isa::load_variant("vta");
  v.geometry.out_depth = v.geometry.acc_depth;
  isa::validate(v.geometry);
  return v;
}

device::ConvKnobs knobs_of(const VtaRow& row) {
  device::ConvKnobs k;
  k.tile_h = row.tile_h;
  k.tile_w = row.tile_w;
  k.tile_c = row.tile_ci;
  k.tile_n = k.load_n = k.store_n = row.tile_co;
  k.tile_kh = row.shape.kernel;
  k.reuse = device::Reuse::Stream;
  return k;
}

/// Rows (or columns) of the image that the tiles of one axis fetch in all.
std::int64_t fetched(std::int64_t out, std::int64_t tile, const ConvShape& s, std::int64_t pad) {
  std::int64_t sum = 0;
  for (std::int64_t begin = 0; begin < out; begin += tile) {
    const std::int64_t first = begin * s.stride - pad;
    const std::int64_t last = (std::min(begin + tile, out) - 1) * s.stride - pad + s.kernel;
    sum += std::min(last, s.size) - std::max<std::int64_t>(first, 0);
  }
  return sum;
}

/// Bound that VTA's own structure sets, in closed form.
struct VtaBound {
  double steps = 0;  ///< steps of the GEMM core: the convolution
  double clear = 0;  ///< clearing the accumulator
  double alu = 0;    ///< epilogue on the same core
  double bytes = 0;  ///< to and from DRAM, micro-ops and instructions aside
  double bus = 0;    ///< cycles that the bytes take at the published width

  double core() const { return steps + clear + alu; }
  double overlapped() const { return std::max(core(), bus); }
  double serial() const { return core() + bus; }
};

VtaBound vta_bound(const VtaRow& row, const device::Conv2d& op, const isa::Variant& variant) {
  const isa::Geometry& g = variant.geometry;
  const std::int64_t entries = op.out.h * op.out.w * op.out.c / g.block_out;
  const std::int64_t tiles = (op.out.h / row.tile_h) * (op.out.w / row.tile_w);
  const std::int64_t co_tiles = op.out.c / g.block_out / row.tile_co;
  VtaBound b;
  b.steps = static_cast<double>(device::macs_of(op)) / g.macs();
  b.clear = static_cast<double>(entries);
  b.alu = static_cast<double>(entries * kAluPasses * kAluInterval);
  b.bytes =
      static_cast<double>(co_tiles * op.in.c * fetched(op.out.h, row.tile_h, row.shape, op.window.pad_top) *
                              fetched(op.out.w, row.tile_w, row.shape, op.window.pad_left) +
                          tiles * static_cast<std::int64_t>(op.weights.size()) + entries * g.block_out);
  b.bus = b.bytes / variant.timing.dram_bytes_per_cycle;
  return b;
}

struct Ours {
  std::uint64_t cycles = 0;
  trace::Cycle vector_busy = 0;
  std::uint64_t bytes = 0;
};

Ours measure_ours(const VtaRow& row, const device::Conv2d& op, const isa::Variant& variant) {
  const isa::Program program = compile_layer(op, variant, knobs_of(row));
  trace::Recorder recorder;
  Ours ours;
  ours.cycles = measure_layer(op, program, variant, &recorder);
  const trace::Statistics statistics = trace::summarize(recorder.events());
  ours.vector_busy = statistics[isa::Unit::Vector][trace::Activity::Busy];
  ours.bytes = statistics[isa::Unit::Load].read_bytes + statistics[isa::Unit::Store].write_bytes;
  return ours;
}

struct Line {
  std::string name;
  double measured = 0;  ///< cycles on the board
  VtaBound vta;
  Ours ours;
};

Line compare(const VtaRow& row, const isa::Variant& variant) {
  const device::Conv2d op = conv_layer(row.shape);
  Line line;
  line.name = op.name;
  line.measured = row.milliseconds * 1e3 * kVtaMhz;
  line.vta = vta_bound(row, op, variant);
  line.ours = measure_ours(row, op, variant);
  return line;
}

double percent(double value, double of) { return 100 * (value / of - 1); }

ordered_json to_json(const Line& l) {
  return {{"layer", l.name},
          {"ideal_cycles", l.vta.steps},
          {"vta_measured_cycles", l.measured},
          {"cycles", l.ours.cycles},
          {"vector_busy_cycles", l.ours.vector_busy},
          {"bytes", l.ours.bytes},
          {"vta_gemm_cycles", l.vta.steps + l.vta.clear},
          {"vta_core_cycles", l.vta.core()},
          {"vta_bus_cycles", l.vta.bus},
          {"vta_overlapped_cycles", l.vta.overlapped()},
          {"vta_serial_cycles", l.vta.serial()},
          {"vta_bytes", l.vta.bytes}};
}

void print(const std::vector<Line>& lines) {
  fmt::print("{:22} {:>7} {:>7} | {:>7} {:>6} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>9} {:>9} {:>7}\n", "", "",
             "VTA", "ours", "", "vector", "", "VTA:", "+ ALU =", "", "core, bus", "core, bus", "VTA");
  fmt::print("{:22} {:>7} {:>7} | {:>7} {:>6} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>9} {:>9} {:>7}\n", "kcycles",
             "ideal", "board", "", "", "busy", "KB", "GEMM", "core", "bus", "overlap", "in turn", "KB");
  for (const Line& l : lines) {
    fmt::print(
        "{:22} {:>7.1f} {:>7.1f} | {:>7.1f} {:>+5.0f}% {:>7.1f} {:>6.0f} | {:>7.1f} {:>7.1f} {:>7.1f} "
        "{:>+8.0f}% {:>+8.0f}% {:>7.0f}\n",
        l.name, l.vta.steps / 1e3, l.measured / 1e3, static_cast<double>(l.ours.cycles) / 1e3,
        percent(static_cast<double>(l.ours.cycles), l.measured),
        static_cast<double>(l.ours.vector_busy) / 1e3, static_cast<double>(l.ours.bytes) / 1e3,
        (l.vta.steps + l.vta.clear) / 1e3, l.vta.core() / 1e3, l.vta.bus / 1e3,
        percent(l.vta.overlapped(), l.measured), percent(l.vta.serial(), l.measured), l.vta.bytes / 1e3);
  }
}

/// Over the 17 layers of the network.
ordered_json totals(const std::vector<Line>& lines) {
  double measured = 0, ideal = 0, ours = 0, overlapped = 0, serial = 0;
  int layers = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int n = kVtaBoard[i].layers;
    layers += n;
    measured += n * lines[i].measured;
    ideal += n * lines[i].vta.steps;
    ours += n * static_cast<double>(lines[i].ours.cycles);
    overlapped += n * lines[i].vta.overlapped();
    serial += n * lines[i].vta.serial();
  }
  return {{"layers", layers},
          {"ideal_cycles", ideal},
          {"vta_measured_cycles", measured},
          {"cycles", ours},
          {"vta_overlapped_cycles", overlapped},
          {"vta_serial_cycles", serial},
          {"vta_utilisation", ideal / measured},
          {"utilisation", ideal / ours}};
}

void print_totals(const ordered_json& t) {
  const double measured = t["vta_measured_cycles"], ours = t["cycles"];
  fmt::print(
      "\nAll {} layers: VTA on the board {:.0f} kcycles ({:.1f} %), ours {:.0f} ({:.1f} %, {:+.1f} % of "
      "VTA). What VTA's structure "
      "asks for: {:.0f} ({:+.1f} %)\nwith core and bus overlapped, {:.0f} ({:+.1f} %) with one after the "
      "other.\n",
      t["layers"].get<int>(), measured / 1e3, 100 * t["vta_utilisation"].get<double>(), ours / 1e3,
      100 * t["utilisation"].get<double>(), percent(ours, measured),
      t["vta_overlapped_cycles"].get<double>() / 1e3, percent(t["vta_overlapped_cycles"], measured),
      t["vta_serial_cycles"].get<double>() / 1e3, percent(t["vta_serial_cycles"], measured));
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  using namespace vdla;
  using namespace vdla::bench;
  CLI::App app{
      "ResNet-18's convolutions on our cycle model beside VTA's measured times on a Pynq board, in VTA's "
      "geometry and with its tuned "
      "tiles.\nColumns: our cycles and their difference from the board, how long our vector unit works "
      "beside the array, bytes moved; "
      "then what\nVTA's structure asks for: GEMM with clearing, with the ALU that shares its core, the bus, "
      "and how far the board is from "
      "both\noverlapped and from one after the other."};
  bool json = false;
  app.add_flag("--json", json, "one JSON object instead of a table");
  CLI11_PARSE(app, argc, argv);
  try {
    const isa::Variant variant = vta_variant();
    std::vector<Line> lines;
    for (const VtaRow& row : kVtaBoard) lines.push_back(compare(row, variant));
    const nlohmann::ordered_json all = totals(lines);
    if (json) {
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      for (const Line& l : lines) rows.push_back(to_json(l));
      fmt::print("{}\n", json_dump(nlohmann::ordered_json{{"layers", rows}, {"total", all}}, 2));
    } else {
      print(lines);
      print_totals(all);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
