// SPDX-License-Identifier: Apache-2.0
// Speed of the CPU's code on one core: F32 convolutions of ResNet-18 at batch 1 and a square matrix product,
// with the templates' default knobs, beside the libraries that the build found. Ours and theirs run in turn,
// many times; the fastest run of each counts.
#include <fmt/format.h>

#include <time.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "bench/compiler/cpu_layers.h"
#include "compiler/targets/cpu/code/code.h"
#include "support/json_dump.h"
#include "support/output_file.h"
#include "tests/compiler/targets/cpu/single_layers.h"

namespace vdla::bench {
namespace {

using pipeline::cpu::Conv2d;
using pipeline::cpu::Conv2dKnobs;
using pipeline::cpu::CpuProfile;
using pipeline::cpu::Matmul;
using pipeline::cpu::MatmulKnobs;

struct Layer {
  const char* name;
  Conv2d conv;
};

Conv2d square(std::int64_t in, std::int64_t size, std::int64_t out, std::int64_t kernel,
              std::int64_t stride) {
  const std::int64_t pad = kernel / 2;
  // With a stride of two, the last row and column of the border are not read.
  const std::int64_t far =
      stride == 1 ? pad : std::max<std::int64_t>(0, pad - (size + 2 * pad - kernel) % stride);
  return {in, size, size, out, kernel, kernel, stride, stride, pad, pad, far, far, true, true};
}

std::vector<Layer> resnet18() {
  return {{"conv1", square(3, 224, 64, 7, 2)},         {"conv2", square(64, 56, 64, 3, 1)},
          {"conv3.down", square(64, 56, 128, 1, 2)},   {"conv3.first", square(64, 56, 128, 3, 2)},
          {"conv3", square(128, 28, 128, 3, 1)},       {"conv4.down", square(128, 28, 256, 1, 2)},
          {"conv4.first", square(128, 28, 256, 3, 2)}, {"conv4", square(256, 14, 256, 3, 1)},
          {"conv5.down", square(256, 14, 512, 1, 2)},  {"conv5.first", square(256, 14, 512, 3, 2)},
          {"conv5", square(512, 7, 512, 3, 1)}};
}

std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& v : result) v = value(random);
  return result;
}

/// Seconds of this thread alone: other work on the machine does not count.
double seconds(const std::function<void()>& run) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}

/// Largest difference over the largest value.
double difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
  }
  return largest / scale;
}

/// All in turn until `budget` seconds have passed; the fastest run of each.
std::vector<double> race(const std::vector<Rival>& rivals, double budget) {
  std::vector<double> best(rivals.size(), 1e30);
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0;
       round < 10 || std::chrono::steady_clock::now() - start < std::chrono::duration<double>(budget);
       ++round) {
    for (std::size_t i = 0; i < rivals.size(); ++i) best[i] = std::min(best[i], seconds(rivals[i].run));
  }
  return best;
}

/// A line of the table, or an object; the ratio is ours to the best of the others.
double report(const std::string& name, double work, const std::vector<Rival>& rivals,
              const std::vector<double>& times, bool json) {
  nlohmann::ordered_json row{{"name", name}};
  std::string line = fmt::format("{:12}", name);
  double best = 1e30;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    row["us"][rivals[i].name] = 1e6 * times[i];
    line += fmt::format("  {:>8} {:8.1f} us {:6.1f} GFLOP/s", rivals[i].name, 1e6 * times[i],
                        2 * work / times[i] / 1e9);
    if (i > 0) best = std::min(best, times[i]);
    const double wrong = difference(rivals[0].result, rivals[i].result);
    if (wrong > 1e-4) line += fmt::format(" (differs by {:.1e})", wrong);
  }
  const double ratio = best / times[0];
  if (rivals.size() > 1) line += fmt::format("  ratio {:.3f}", ratio);
  fmt::print("{}\n", json ? json_dump(row) : line);
  std::fflush(stdout);
  return ratio;
}

std::string knob_text(const Conv2dKnobs& k) {
  return fmt::format("out_tile {} row_tile {} col_tile {} band {}{}", k.out_tile, k.row_tile, k.col_tile,
                     k.band, k.by_block ? " by block" : "");
}

/// Aligned as the runtime's memory is.
struct Image {
  explicit Image(const std::vector<float>& values) : storage(values.size() + 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    data = storage.data() + (64 - address % 64) % 64 / sizeof(float);
    std::ranges::copy(values, data);
  }
  std::vector<float> storage;
  float* data;
};

struct Options {
  double budget = 1.0;
  bool tune = false, print_knobs = false, json = false;
  std::string only, object;
};

/// For a look at the machine code.
void write_object(const loop::Func& func, const std::string& path) {
  const auto object = host::to_object({&func, 1}, codegen::native_target());
  write_output(path, {reinterpret_cast<const char*>(object.data()), object.size()});
}

/// The template's function with packed data; it keeps its memory.
Rival compiled(host::Jit& jit, const Conv2d& c, const Conv2dKnobs& k, const std::string& name,
               const std::vector<std::vector<float>>& plain) {
  namespace cpu = pipeline::cpu;
  const std::int64_t out_channels = (c.out_channels + k.out_block - 1) / k.out_block * k.out_block;
  const auto out = static_cast<std::size_t>(out_channels * c.out_height() * c.out_width());
  auto memory = std::make_shared<std::vector<Image>>();
  memory->emplace_back(cpu::pack_image(c.in_channels, k.in_block, plain[0]));
  memory->emplace_back(cpu::pack_weights(c, k, plain[1]));
  memory->emplace_back(cpu::pack_channels(c.out_channels, k.out_block, plain[2]));
  memory->emplace_back(std::vector<float>(out));
  auto pointers = std::make_shared<std::vector<void*>>();
  for (const Image& i : *memory) pointers->push_back(i.data);
  const auto function = jit.add(cpu::conv2d(c, k, name));
  Rival rival{"ours", [function, memory, pointers] { function(pointers->data()); }, {}};
  rival.run();
  rival.result = cpu::unpack_image(c.out_channels, k.out_block, {memory->back().data, out});
  return rival;
}

/// The fastest of the best few by the model.
Conv2dKnobs tuned(host::Jit& jit, const Layer& layer, const CpuProfile& profile,
                  const std::vector<std::vector<float>>& plain) {
  const Conv2d& c = layer.conv;
  auto space = conv2d_space(c, profile);
  std::ranges::sort(space, {}, [&](const Conv2dKnobs& k) { return conv2d_cost(c, k, profile); });
  Conv2dKnobs knobs = space[0];
  double best = 1e30;
  for (std::size_t i = 0; i < std::min<std::size_t>(space.size(), 24); ++i) {
    const double time =
        race({compiled(jit, c, space[i], fmt::format("{}_{}", layer.name, i), plain)}, 0.05)[0];
    if (time >= best) continue;
    best = time;
    knobs = space[i];
    fmt::print("  #{} {:.1f} us, model {:.3f}: {}\n", i, 1e6 * time, conv2d_cost(c, knobs, profile),
               knob_text(knobs));
  }
  return knobs;
}

double bench_convolution(host::Jit& jit, const Layer& layer, const CpuProfile& profile,
                         const Options& options) {
  const Conv2d& c = layer.conv;
  const std::vector<std::vector<float>> plain{
      numbers(c.in_channels * c.in_height * c.in_width, 1),
      numbers(c.out_channels * c.in_channels * c.kernel_height * c.kernel_width, 2),
      numbers(c.out_channels, 3)};
  const Conv2dKnobs knobs = options.tune ? tuned(jit, layer, profile, plain) : conv2d_default(c, profile);
  if (options.print_knobs) fmt::print("{}: {}\n", layer.name, knob_text(knobs));
  if (!options.object.empty()) write_object(conv2d(c, knobs, layer.name), options.object);
  std::vector<Rival> rivals{compiled(jit, c, knobs, layer.name, plain)};
  for (Rival& r : convolution_rivals(c, plain[0], plain[1], plain[2])) rivals.push_back(std::move(r));
  return report(layer.name, static_cast<double>(c.work()), rivals, race(rivals, options.budget),
                options.json);
}

double bench_product(host::Jit& jit, std::int64_t size, const CpuProfile& profile, const Options& options) {
  const auto a = numbers(size * size, 1), b = numbers(size * size, 2);
  const Image x(a), y(b), z{std::vector<float>(static_cast<std::size_t>(size * size))};
  const Matmul matmul{size, size, size};
  const MatmulKnobs knobs = matmul_default(matmul, profile);
  if (options.print_knobs)
    fmt::print("sgemm: panel {} row_tile {} row_band {}\n", knobs.panel, knobs.row_tile, knobs.row_band);
  const auto function = jit.add(pipeline::cpu::matmul(matmul, knobs, fmt::format("sgemm_{}", size)));
  std::vector<void*> pointers{x.data, y.data, z.data};
  std::vector<Rival> rivals{{"ours", [&] { function(pointers.data()); }, {}}};
  rivals[0].run();
  rivals[0].result.assign(z.data, z.data + size * size);
  for (Rival& r : product_rivals(size, size, size, a, b)) rivals.push_back(std::move(r));
  return report(fmt::format("sgemm {}", size), static_cast<double>(size * size * size), rivals,
                race(rivals, options.budget), options.json);
}

int run(const Options& options) {
  const CpuProfile profile = pipeline::cpu::host_profile();
  if (!options.json)
    fmt::print("vectors of {} bytes, {} registers, caches {} {} {} KiB\n", profile.vector_bytes,
               profile.vector_registers, profile.l1_bytes >> 10, profile.l2_bytes >> 10,
               profile.l3_bytes >> 10);
  host::Jit jit;
  double log_sum = 0;
  int count = 0;
  for (const Layer& layer : resnet18()) {
    if (!options.only.empty() && options.only != layer.name) continue;
    log_sum += std::log(bench_convolution(jit, layer, profile, options));
    ++count;
  }
  if (count > 1 && !options.json)
    fmt::print("convolutions, geometric mean of the ratios: {:.3f}\n", std::exp(log_sum / count));
  if (options.only.empty() || options.only == "sgemm") bench_product(jit, 1024, profile, options);
  return 0;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("Convolutions and a matrix product on one core, beside the libraries that the build found");
  vdla::bench::Options options;
  app.add_option("--seconds", options.budget, "time for each line of the table")->capture_default_str();
  app.add_option("--only", options.only, "one layer, or sgemm");
  app.add_option("--object", options.object, "write the object code of the last convolution here");
  app.add_flag("--tune", options.tune,
               "take the fastest of the 24 best knobs by the model, not the best by the model");
  app.add_flag("--json", options.json, "one JSON object for each line of the table");
  app.add_flag("--knobs", options.print_knobs, "print the knobs");
  CLI11_PARSE(app, argc, argv);
  try {
    return vdla::bench::run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_compiler_cpu: error: {}\n", e.what());
    return 1;
  }
}
