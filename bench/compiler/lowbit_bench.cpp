// SPDX-License-Identifier: Apache-2.0
// Bit-serial convolutions of ResNet-18 (2-bit activations, 1-bit weights) on one core, packing of the input
// included, beside the kit's own F32 code for the same layers. Both run in turn; the fastest run of each
// counts.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "compiler/lower/lower.h"
#include "compiler/targets/cpu/code/code.h"
#include "support/json_dump.h"
#include "tests/compiler/lowbit/bitserial.h"
#include "tests/compiler/targets/cpu/single_layers.h"

namespace vdla::bench {
namespace {

struct Layer {
  const char* name;
  std::int64_t channels, size, out_channels, kernel, stride;
};

/// Layers of ResNet-18 behind the first.
constexpr Layer kLayers[] = {{"conv2", 64, 56, 64, 3, 1},         {"conv3.down", 64, 56, 128, 1, 2},
                             {"conv3.first", 64, 56, 128, 3, 2},  {"conv3", 128, 28, 128, 3, 1},
                             {"conv4.down", 128, 28, 256, 1, 2},  {"conv4.first", 128, 28, 256, 3, 2},
                             {"conv4", 256, 14, 256, 3, 1},       {"conv5.down", 256, 14, 512, 1, 2},
                             {"conv5.first", 256, 14, 512, 3, 2}, {"conv5", 512, 7, 512, 3, 1}};

/// A compiled function with memory for its parameters, at 64 bytes' alignment.
class Program {
 public:
  explicit Program(const loop::Func& func) : function_(jit_.add(func)) {
    for (const loop::Param& param : func.params) {
      const auto bytes = expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype);
      std::vector<std::byte>& memory = memories_.emplace_back(static_cast<std::size_t>(bytes) + 64);
      const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
      arguments_.push_back(memory.data() + (64 - address % 64) % 64);
    }
  }
  /// Seconds of this thread alone.
  double seconds() const {
    const auto now = [] {
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    const double start = now();
    function_(arguments_.data());
    return now() - start;
  }

 private:
  host::Jit jit_;
  codegen::HostFunction function_;
  std::vector<std::vector<std::byte>> memories_;
  std::vector<void*> arguments_;
};

Program bitserial(const Layer& l) {
  const lowbit::Bitserial b = lowbit::bitserial_conv2d({.height = l.size,
                                                        .width = l.size,
                                                        .channels = l.channels,
                                                        .out_channels = l.out_channels,
                                                        .kernel_h = l.kernel,
                                                        .kernel_w = l.kernel,
                                                        .stride = l.stride,
                                                        .pad = l.kernel / 2});
  return Program(lower::lower(lowbit::default_schedule(b), {b.input, b.weights, b.output}, "bitserial"));
}

pipeline::cpu::Conv2d float_layer(const Layer& l) {
  const std::int64_t pad = l.kernel / 2;
  return {.in_channels = l.channels,
          .in_height = l.size,
          .in_width = l.size,
          .out_channels = l.out_channels,
          .kernel_height = l.kernel,
          .kernel_width = l.kernel,
          .stride_height = l.stride,
          .stride_width = l.stride,
          .pad_top = pad,
          .pad_left = pad,
          .pad_bottom = pad,
          .pad_right = pad};
}

nlohmann::ordered_json run(int rounds, bool print) {
  auto all = nlohmann::ordered_json::array();
  const pipeline::cpu::CpuProfile profile = pipeline::cpu::host_profile();
  double logarithms = 0;
  for (const Layer& l : kLayers) {
    const pipeline::cpu::Conv2d conv = float_layer(l);
    const Program low = bitserial(l);
    const Program real(
        pipeline::cpu::conv2d(conv, pipeline::cpu::conv2d_default(conv, profile), "convolution"));
    double low_time = 1e30, real_time = 1e30;
    for (int round = 0; round < rounds; ++round) {
      low_time = std::min(low_time, low.seconds());
      real_time = std::min(real_time, real.seconds());
    }
    const double work = static_cast<double>(conv.work());
    all.push_back({{"layer", fmt::format("{0}x{0} {1}->{2} {3}x{3}{4}", l.size, l.channels, l.out_channels,
                                         l.kernel, l.stride == 1 ? "" : fmt::format(" /{}", l.stride))},
                   {"bitserial_microseconds", 1e6 * low_time},
                   {"f32_microseconds", 1e6 * real_time},
                   {"ratio", real_time / low_time}});
    if (print)
      fmt::print("{:12} 2x1 bit {:8.1f} us {:6.1f} GMAC/s   F32 {:8.1f} us {:6.1f} GMAC/s   ratio {:.2f}\n",
                 l.name, 1e6 * low_time, work / low_time / 1e9, 1e6 * real_time, work / real_time / 1e9,
                 real_time / low_time);
    logarithms += std::log(real_time / low_time);
  }
  if (print) fmt::print("geometric mean of the ratios {:.2f}\n", std::exp(logarithms / std::size(kLayers)));
  return all;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("Bit-serial convolutions (2-bit activations, 1-bit weights) beside F32 ones, on one core");
  int rounds = 200;
  bool json = false;
  app.add_option("--rounds", rounds, "runs of each, in turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", json, "one JSON array instead of lines");
  CLI11_PARSE(app, argc, argv);
  const auto all = vdla::bench::run(rounds, !json);
  if (json) fmt::print("{}\n", vdla::json_dump(all, 2));
  return 0;
}
