// SPDX-License-Identifier: Apache-2.0
// Figure 21: ResNet-18 on a CPU, with convolutions offloaded, and wholly on the device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/paper/experiments.h"
#include "bench/paper/published.h"
#include "bench/paper/svg.h"
#include "bench/validation/network_cycles.h"
#include "bench/validation/vta_board.h"
#include "compiler/zoo/network.h"
#include "support/error.h"

namespace vdla::bench::paper {
namespace {

constexpr double kCyclesPerMs = 1e5;  ///< at 100 MHz

struct LayerTime {
  std::string name, what;
  double hidden = 0, exposed = 0;  ///< ms
  double board = 0;                ///< ms that VTA took on a board; 0: it did not run there
};

/// The zoo's layer of that name; the device adds a sum on the way out of the convolution in front of it.
const zoo::Layer* zoo_layer(const zoo::Network& network, std::string name) {
  if (name.ends_with("_add")) name.replace(name.size() - 4, 4, "_conv2");
  const auto found = std::ranges::find(network.layers, name, &zoo::Layer::name);
  return found == network.layers.end() ? nullptr : &*found;
}

std::string kind_of(zoo::Kind kind) {
  switch (kind) {
    case zoo::Kind::Conv:
      return "convolution";
    case zoo::Kind::Depthwise:
      return "depthwise convolution";
    case zoo::Kind::Dense:
      return "dense";
    case zoo::Kind::Add:
      return "sum";
    case zoo::Kind::MaxPool:
      return "maximum pooling";
    case zoo::Kind::GlobalAveragePool:
      return "mean pooling";
    default:
      throw InternalError("a kind of layer that ResNet-18 does not have");
  }
}

double board_ms(const ConvShape& s) {
  for (const VtaRow& row : kVtaBoard) {
    const ConvShape& r = row.shape;
    if (r.size == s.size && r.in == s.in && r.out == s.out && r.kernel == s.kernel && r.stride == s.stride)
      return row.milliseconds;
  }
  return 0;
}

std::vector<LayerTime> times_of(const Run& run) {
  const zoo::Network network = zoo::network("resnet18");
  std::vector<LayerTime> times;
  for (const Layer& l : run.layers) {
    LayerTime time{l.name, {}, l.hidden / kCyclesPerMs, l.exposed / kCyclesPerMs};
    const zoo::Layer* layer = zoo_layer(network, l.name);
    if (layer != nullptr && layer->kind == zoo::Kind::Conv) {
      const ConvShape shape{layer->in.h, layer->in.c, layer->out.c, layer->kernel.h, layer->stride.h};
      time.what = name_of(shape) + (l.op == "conv2d+add" ? " + sum" : "");
      time.board = board_ms(shape);
    }
    if (time.what.empty()) time.what = layer == nullptr ? l.op : kind_of(layer->kind);
    times.push_back(time);
  }
  return times;
}

NetworkTime sum_of(const Run& run, const std::vector<LayerTime>& layers, double LayerTime::* time,
                   double cycles) {
  NetworkTime sum{};
  for (const LayerTime& l : layers) {
    if (l.name == "conv1") sum.first += l.*time;
    if (l.board > 0) sum.convolutions += l.*time;
  }
  VDLA_CHECK(!run.layers.empty());
  // The rest takes what is before the first layer, too: fetching.
  sum.rest = cycles / kCyclesPerMs - sum.first - sum.convolutions;
  return sum;
}

constexpr std::string_view kFirst = "#c98a2b", kConvolutions = "#1f5fa8", kRest = "#9a9a9a",
                           kExposed = "#8fb8e6", kBoard = "#b8b8b8";

void draw_totals(Svg& svg, const NetworkTime& hidden, const NetworkTime& exposed) {
  const std::pair<std::string, NetworkTime> bars[] = {{"paper: Cortex-A9 alone", kFigure21Cpu},
                                                      {"paper: Cortex-A9 + VDLA", kFigure21Fpga},
                                                      {"this kit: VDLA, hiding off", exposed},
                                                      {"this kit: VDLA", hidden}};
  constexpr double kLeft = 200, kTop = 64, kScale = 780 / 3300.;
  for (std::size_t i = 0; i < std::size(bars); ++i) {
    const NetworkTime& t = bars[i].second;
    const double y = kTop + 26 * static_cast<double>(i);
    svg.words(kLeft - 8, y + 15, bars[i].first, Anchor::End);
    double x = kLeft;
    const auto part = [&](double ms, std::string_view colour) {
      svg.box(x, y, ms * kScale, 20, colour);
      x += ms * kScale;
    };
    part(t.first, kFirst);
    part(t.convolutions, kConvolutions);
    part(t.rest, kRest);
    svg.words(x + 6, y + 15, fmt::format("{:.1f} ms", t.total()));
  }
  double x = kLeft;
  const auto key = [&](std::string_view colour, std::string_view text, double width) {
    svg.box(x, kTop + 110, 12, 12, colour);
    svg.words(x + 18, kTop + 121, text);
    x += width;
  };
  key(kFirst, "first convolution", 140);
  key(kConvolutions, "other convolutions (this kit: with the residual sums)", 350);
  key(kRest, "everything else", 100);
}

void draw_layers(Svg& svg, const std::vector<LayerTime>& layers) {
  constexpr double kLeft = 250, kTop = 250, kStep = 30, kWidth = 700;
  double most = 0;
  for (const LayerTime& l : layers) most = std::max({most, l.hidden, l.exposed, l.board});
  const double height = kStep * static_cast<double>(layers.size()), scale = kWidth / std::ceil(most);
  svg.words(20, kTop - 14, "by layer, ms at 100 MHz", Anchor::Start, 13);
  for (double ms = 0; ms <= std::ceil(most); ++ms) {
    svg.line(kLeft + ms * scale, kTop, kLeft + ms * scale, kTop + height, "#e4e4e4");
    svg.words(kLeft + ms * scale, kTop + height + 16, fmt::format("{}", ms), Anchor::Middle, 11);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerTime& l = layers[i];
    const double y = kTop + kStep * static_cast<double>(i) + 3;
    svg.words(kLeft - 8, y + 15, l.what, Anchor::End, 11);
    const auto bar = [&](double at, double ms, std::string_view colour) {
      if (ms == 0) return;
      svg.box(kLeft, at, ms * scale, 7, colour);
      svg.words(kLeft + ms * scale + 4, at + 7, fmt::format("{:.2f}", ms), Anchor::Start, 9);
    };
    bar(y, l.board, kBoard);
    bar(y + 8, l.exposed, kExposed);
    bar(y + 16, l.hidden, kConvolutions);
  }
  double x = kLeft;
  const auto key = [&](std::string_view colour, std::string_view text, double width) {
    svg.box(x, kTop + height + 28, 12, 12, colour);
    svg.words(x + 18, kTop + height + 39, text);
    x += width;
  };
  key(kBoard, "VTA on a Pynq board, tuned (TopHub)", 270);
  key(kExposed, "this kit, latency hiding off", 200);
  key(kConvolutions, "this kit", 80);
}

std::string draw(const std::vector<LayerTime>& layers, const NetworkTime& hidden,
                 const NetworkTime& exposed) {
  Svg svg(1100, 310 + 30 * static_cast<double>(layers.size()));
  svg.words(20, 32, "Figure 21: ResNet-18, one image", Anchor::Start, 16);
  draw_totals(svg, hidden, exposed);
  draw_layers(svg, layers);
  return svg.finish();
}

Table totals_table(const NetworkTime& hidden, const NetworkTime& exposed) {
  Table table{"ResNet-18, 224x224, one image, ms",
              {{"part", "part"},
               {"paper_cpu_ms", "paper: A9 alone"},
               {"paper_fpga_ms", "A9 + VDLA"},
               {"exposed_ms", "ours: hiding off", 2},
               {"hidden_ms", "ours", 2},
               {"to_paper_cpu", "A9 alone / ours"},
               {"to_paper_fpga", "A9 + VDLA / ours"}},
              {}};
  const auto row = [&](const char* name, auto part) {
    table.rows.push_back({name, part(kFigure21Cpu), part(kFigure21Fpga), part(exposed), part(hidden),
                          part(kFigure21Cpu) / part(hidden), part(kFigure21Fpga) / part(hidden)});
  };
  row("first convolution", [](const NetworkTime& t) { return t.first; });
  row("other convolutions", [](const NetworkTime& t) { return t.convolutions; });
  row("everything else", [](const NetworkTime& t) { return t.rest; });
  row("total", [](const NetworkTime& t) { return t.total(); });
  return table;
}

Table speedup_table(const NetworkTime& hidden) {
  Table table{
      "Speed-up of the offloaded convolutions over the Cortex-A9",
      {{"baseline", "A9's time"}, {"paper", "paper"}, {"vta_board", "VTA on a board"}, {"ours", "ours"}},
      {}};
  double board = 0;
  for (const VtaRow& row : kVtaBoard) board += row.layers * row.milliseconds;
  const double cpu = kFigure21Cpu.convolutions;
  table.rows.push_back({"the paper's text", kFigure21Speedup, {}, {}});
  table.rows.push_back({fmt::format("{} ms: the figure", cpu), cpu / kFigure21Fpga.convolutions, cpu / board,
                        cpu / hidden.convolutions});
  for (double tuned : kTunedA9Ms)
    table.rows.push_back(
        {fmt::format("{} ms: tuned (TopHub)", tuned), {}, tuned / board, tuned / hidden.convolutions});
  return table;
}

Table layers_table(const std::vector<LayerTime>& layers) {
  Table table{"By layer, ms at 100 MHz",
              {{"layer", "layer"},
               {"shape", "shape"},
               {"vta_board_ms", "VTA on a board", 2},
               {"exposed_ms", "ours: hiding off", 2},
               {"hidden_ms", "ours", 2}},
              {}};
  for (const LayerTime& l : layers)
    table.rows.push_back({l.name, l.what, l.board > 0 ? Cell(l.board) : Cell(), l.exposed, l.hidden});
  return table;
}

}  // namespace

Report figure21(const Settings& settings) {
  const Run run = measure_network(resnet18(), settings.engine);
  const std::vector<LayerTime> layers = times_of(run);
  const NetworkTime hidden = sum_of(run, layers, &LayerTime::hidden, run.hidden),
                    exposed = sum_of(run, layers, &LayerTime::exposed, run.exposed);
  Report report;
  report.tables = {totals_table(hidden, exposed), speedup_table(hidden), layers_table(layers)};
  report.claims = {{"other convolutions, speed-up over the paper's A9, times", kFigure21Speedup,
                    kFigure21Cpu.convolutions / hidden.convolutions, true},
                   {"whole network, ms", kFigure21Fpga.total(), hidden.total(), false}};
  report.conditions = {
      "Ours: the zoo's ResNet-18 (seeded weights), int8, every layer on variant paper at 100 MHz, 8 bytes of "
      "DRAM a "
      "cycle, engine " +
          settings.engine +
          ". The host's conversions (packing the first layer's taps, layouts) and "
          "softmax are not counted.",
      "Layers overlap: a layer's time runs from the previous layer's last instruction to its own.",
      "Paper: vector data of VTA's resnet18_e2e.pdf (uwsampl/web-data): Pynq, Cortex-A9 at 667 MHz.",
      "VTA by layer: TopHub vta_v0.10.log, Pynq at 100 MHz, the schedules that its tuner chose."};
  report.not_comparable = {
      "The paper's and VTA's times are of a board; ours are cycles of a machine model at an assumed 100 MHz, "
      "which "
      "no FPGA has run yet.",
      "The paper's offloaded convolutions take 73.0 ms, less than its roofline data (Figure 10) allow: two "
      "bitstreams.",
      "The 40 times hang on the baseline: over the tuned code of the same A9 it is half.",
      "The paper leaves the first convolution, residual sums and activations on the CPU, our device runs "
      "them; its "
      "other convolutions are listed without sums, ours with."};
  report.svg = draw(layers, hidden, exposed);
  return report;
}

}  // namespace vdla::bench::paper
