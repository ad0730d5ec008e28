// SPDX-License-Identifier: Apache-2.0
// The convolutions of ResNet-18 and ResNet-8, one at a time on an idle machine: ideal GEMM cycles, the
// estimate that chose the tiles, cycles of the SystemC engine, and the time to compile. Data and weights are
// zero: nothing here depends on them.
//
//   bench_compiler_device [VARIANT]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "bench/compiler/single_layer.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "isa/variants/variants.h"

namespace vdla::pipeline {
namespace {

constexpr bench::ConvShape kShapes[] = {{224, 3, 64, 7, 2},   {56, 64, 64, 3, 1},   {56, 64, 128, 3, 2},
                                        {56, 64, 128, 1, 2},  {28, 128, 128, 3, 1}, {28, 128, 256, 3, 2},
                                        {28, 128, 256, 1, 2}, {14, 256, 256, 3, 1}, {14, 256, 512, 3, 2},
                                        {14, 256, 512, 1, 2}, {7, 512, 512, 3, 1},  {56, 64, 64, 1, 1},
                                        {32, 3, 16, 3, 1},    {32, 16, 16, 3, 1},   {32, 16, 32, 3, 2},
                                        {16, 32, 32, 3, 1},   {16, 32, 64, 3, 2},   {8, 64, 64, 3, 1}};

void print_layer(const device::Conv2d& op, const isa::Variant& v) {
  const auto start = std::chrono::steady_clock::now();
  const isa::Program program = bench::compile_layer(op, v);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const device::Space space = device::space_of(op, v.geometry);
  const device::ConvKnobs knobs = device::choose(op.name, space, v.geometry, v.timing);
  const double ideal = static_cast<double>(device::macs_of(op)) / v.geometry.macs();
  const std::uint64_t cycles = bench::measure_layer(op, program, v);
  fmt::print("{:24} {:>9.0f} {:>9.0f} {:>9} {:>6.1f} {:>6} {:>8.1f}  {}\n", op.name, ideal,
             device::estimate(space, knobs, v.geometry, v.timing), cycles,
             100 * ideal / static_cast<double>(cycles), program.insns.size(), time.count(), to_string(knobs));
}

}  // namespace
}  // namespace vdla::pipeline

int main(int argc, char** argv) {
  using namespace vdla;
  try {
    const isa::Variant variant = isa::load_variant(argc > 1 ? argv[1] : "paper");
    fmt::print("{:24} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8}  {}\n", "layer", "ideal", "estimate", "cycles", "%",
               "insns", "ms", "tiles");
    for (const auto& shape : pipeline::kShapes) pipeline::print_layer(bench::conv_layer(shape), variant);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
