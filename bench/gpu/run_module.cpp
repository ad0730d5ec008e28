// SPDX-License-Identifier: Apache-2.0
// Runs a module for a GPU (vdla compile --target cuda) on one that is elsewhere, by a program without the
// compiler: its outputs against those of the module's own code for the CPU, the time of each layer, and of
// whole runs, copies included.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "runtime/container/module_file.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "runtime/session/port.h"
#include "runtime/session/session.h"
#include "support/error.h"

namespace vdla::bench::gpu {
namespace {

using runtime::Bytes;

struct Flags {
  std::string module, device = vdla::gpu::kCuda;
  unsigned runs = 100;
};

std::vector<Bytes> drawn_inputs(const runtime::Module& module) {
  std::mt19937 random(1);
  std::vector<Bytes> inputs;
  for (const runtime::Port& port : module.inputs) {
    Bytes bytes(runtime::model_bytes(port));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(random());
    if (port.model_type == runtime::DataType::Float32)
      for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const float value = std::uniform_real_distribution<float>(-1, 1)(random);
        std::memcpy(bytes.data() + i, &value, sizeof value);
      }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

/// "equal", or how far apart.
std::string compared(const runtime::Port& port, const Bytes& cpu, const Bytes& gpu) {
  if (cpu == gpu) return "equal to the CPU's";
  if (port.model_type != runtime::DataType::Float32) return "DIFFERENT from the CPU's";
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i + 4 <= cpu.size(); i += 4) {
    float a = 0, b = 0;
    std::memcpy(&a, cpu.data() + i, sizeof a);
    std::memcpy(&b, gpu.data() + i, sizeof b);
    largest = std::max(largest, static_cast<double>(std::abs(a)));
    apart = std::max(apart, std::isnan(a - b) ? INFINITY : static_cast<double>(std::abs(a - b)));
  }
  return fmt::format("{:.1e} of the largest value from the CPU's", apart / largest);
}

void run(const Flags& flags) {
  const runtime::Module module = runtime::load(flags.module);
  VDLA_CHECK_USER(!module.gpu.empty())
      << flags.module << ": has no programs of a GPU; compile the network with "
      << "vdla compile --target cuda";
  const auto device =
      flags.device == vdla::gpu::kEmulator ? vdla::gpu::open_emulator(1) : vdla::gpu::open_cuda(flags.device);
  const std::vector<Bytes> inputs = drawn_inputs(module);
  runtime::Session on_cpu(module, nullptr, {.interpreter = {}, .cpu_for_gpu = true});
  const runtime::Result cpu = on_cpu.run_model(inputs);
  runtime::Session timed(module, nullptr, {.interpreter = {}, .gpu = device.get(), .gpu_times = true});
  const runtime::Result gpu = timed.run_model(inputs);
  double kernels = 0;
  for (const runtime::GpuResult& r : gpu.gpu)
    for (std::size_t i = 0; i < r.layer_seconds.size(); ++i) {
      const runtime::GpuSegment& segment = module.gpu[r.segment];
      const runtime::NodeInfo* node = runtime::main_node(module, segment.first_step + i);
      fmt::print("{:<40} {:<12} {:>9.1f} us\n", node ? node->name : "", segment.layers[i].by,
                 1e6 * r.layer_seconds[i]);
      kernels += r.layer_seconds[i];
    }
  runtime::Session session(module, nullptr, {.interpreter = {}, .gpu = device.get()});
  std::vector<double> seconds;
  runtime::Result last;
  for (unsigned i = 0; i < flags.runs; ++i) {
    last = session.run_model(inputs);
    double all = 0;
    for (const runtime::GpuResult& r : last.gpu) all += r.seconds;
    seconds.push_back(all);
  }
  std::ranges::sort(seconds);
  fmt::print("{} on {}: kernels one by one {:.1f} us by {}; a run with copies {:.1f} us, the median of {}\n",
             module.model_name, device->name(), 1e6 * kernels, device->clock(),
             1e6 * seconds[seconds.size() / 2], seconds.size());
  for (std::size_t i = 0; i < module.outputs.size(); ++i)
    fmt::print("output '{}': {}, {} after the last run\n", module.outputs[i].name,
               compared(module.outputs[i], cpu.outputs[i], gpu.outputs[i]),
               gpu.outputs[i] == last.outputs[i] ? "the same" : "ANOTHER ONE");
}

}  // namespace
}  // namespace vdla::bench::gpu

int main(int argc, char** argv) {
  vdla::bench::gpu::Flags flags;
  CLI::App app("Runs a module for a GPU here: outputs against the CPU's, times of layers and of runs");
  app.add_option("module", flags.module, "Of vdla compile --target cuda, all of it on the GPU")->required();
  app.add_option("--device", flags.device, "cuda, cuda:N, or emulator")->capture_default_str();
  app.add_option("--runs", flags.runs, "Runs whose time is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    vdla::bench::gpu::run(flags);
    return 0;
  } catch (const vdla::UserError& error) {
    fmt::print(stderr, "bench_gpu_run_module: error: {}\n", error.what());
    return 1;
  }
}
