// SPDX-License-Identifier: Apache-2.0
// The convolutions of ResNet-18 and ResNet-8 on a variant: ideal GEMM cycles, what the default tiles are
// estimated to take, the busiest unit of the program that came out, and the time to compile it. Weights are
// zero: no time here depends on them.
//
//   bench_compiler_device [VARIANT]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/pipeline/device/lower.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/pipeline/device_segment.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/variants/variants.h"

namespace vdla::pipeline {
namespace {

struct Shape {
  std::int64_t size, in, out, kernel, stride;
};

constexpr Shape kShapes[] = {{224, 3, 64, 7, 2},   {56, 64, 64, 3, 1},   {56, 64, 128, 3, 2},
                             {56, 64, 128, 1, 2},  {28, 128, 128, 3, 1}, {28, 128, 256, 3, 2},
                             {28, 128, 256, 1, 2}, {14, 256, 256, 3, 1}, {14, 256, 512, 3, 2},
                             {14, 256, 512, 1, 2}, {7, 512, 512, 3, 1},  {56, 64, 64, 1, 1},
                             {32, 3, 16, 3, 1},    {32, 16, 16, 3, 1},   {32, 16, 32, 3, 2},
                             {16, 32, 32, 3, 1},   {16, 32, 64, 3, 2},   {8, 64, 64, 3, 1}};

device::Conv2d layer(const Shape& s) {
  device::Conv2d op;
  op.name = fmt::format("{0}x{0} {1}->{2} {3}x{3} /{4}", s.size, s.in, s.out, s.kernel, s.stride);
  const std::int64_t out = (s.size + s.stride - 1) / s.stride;
  const std::int64_t pad = std::max<std::int64_t>(0, (out - 1) * s.stride + s.kernel - s.size) / 2;
  op.in = {s.size, s.size, s.in};
  op.out = {out, out, s.out};
  op.window = {s.kernel, s.kernel, s.stride, s.stride, 1, 1, pad, pad};
  op.weights.resize(static_cast<std::size_t>(s.out * s.kernel * s.kernel * s.in));
  op.stage.multipliers = {{1 << 30, -8}};
  return op;
}

isa::Program compile_layer(const device::Op& op, const isa::Variant& v,
                           const std::vector<tensorize::Intrinsic>& table) {
  const device::DeviceKernel kernel = device::lower(op, v.geometry, v.timing);
  codegen::SegmentBuilder segment(v.geometry);
  const codegen::DramPlace constants = segment.add_constants(kernel.constants);
  for (const device::DevicePart& part : kernel.parts) {
    std::vector<codegen::DramPlace> places;
    for (const device::DeviceParam& param : part.params) {
      codegen::DramPlace place = param.role == device::Role::Constants ? constants
                                 : param.role == device::Role::Output
                                     ? codegen::DramPlace{isa::Window::Output, 0}
                                     : codegen::DramPlace{isa::Window::Input, 0};
      place.offset += static_cast<std::uint64_t>(param.offset);
      places.push_back(place);
    }
    segment.add({device::name_of(op), "conv2d", part.schedule}, tensorize::tensorize(part.func, table),
                places);
  }
  return segment.finish();
}

void print_layer(const device::Conv2d& op, const isa::Variant& v,
                 const std::vector<tensorize::Intrinsic>& table) {
  const auto start = std::chrono::steady_clock::now();
  const isa::Program program = compile_layer(op, v, table);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const device::Space space = device::space_of(op, v.geometry);
  const device::ConvKnobs knobs = device::choose(op.name, space, v.geometry, v.timing);
  const double ideal = double(device::macs_of(op)) / v.geometry.macs();
  const double estimate = device::estimate(space, knobs, v.geometry, v.timing);
  fmt::print("{:24} {:>9.0f} {:>10.0f} {:>6.1f} {:>10.0f} {:>6} {:>8.1f}  {}\n", op.name, ideal, estimate,
             100 * ideal / estimate, estimated_cycles(program, op.name, v.timing), program.insns.size(),
             time.count(), to_string(knobs));
}

}  // namespace
}  // namespace vdla::pipeline

int main(int argc, char** argv) {
  using namespace vdla;
  try {
    const isa::Variant variant = isa::load_variant(argc > 1 ? argv[1] : "paper");
    const auto table = tensorize::device_intrinsics(variant.geometry);
    fmt::print("{:24} {:>9} {:>10} {:>6} {:>10} {:>6} {:>8}  {}\n", "layer", "ideal", "estimate", "%",
               "busiest unit", "insns", "ms", "tiles");
    for (const auto& shape : pipeline::kShapes) pipeline::print_layer(pipeline::layer(shape), variant, table);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
