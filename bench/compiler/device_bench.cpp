// SPDX-License-Identifier: Apache-2.0
// The convolutions of ResNet-18 and ResNet-8, one at a time on an idle machine: ideal GEMM cycles, the
// estimate that chose the tiles, cycles of the SystemC engine, and the time to compile. Data and weights are
// zero: nothing here depends on them.
//
//   bench_compiler_device [VARIANT]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/pipeline/device/lower.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/variants/variants.h"
#include "sim/cycle/engine.h"
#include "support/error.h"

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

std::uint32_t offset_of(isa::Register r) { return static_cast<std::uint32_t>(r); }

/// Cycles from start to done, over memory that is all zero but for the program.
std::uint64_t measure(const device::Op& op, const isa::Program& program, const isa::Variant& v) {
  const auto engine = sim::make_cycle_engine(v, 64 << 20);
  std::vector<std::vector<std::byte>> windows(isa::kWindowCount);
  const auto window = [&](isa::Window w) -> std::vector<std::byte>& {
    return windows[static_cast<std::size_t>(w)];
  };
  window(isa::Window::Insn) = isa::insn_image(program);
  window(isa::Window::Uop) = isa::uop_image(program);
  window(isa::Window::Const) = program.constants;
  window(isa::Window::Input)
      .resize(static_cast<std::size_t>(device::activation_bytes(device::inputs_of(op)[0], v.geometry)));
  window(isa::Window::Output)
      .resize(static_cast<std::size_t>(device::activation_bytes(device::output_of(op), v.geometry)));
  std::uint64_t address = engine->memory_base();
  for (std::uint32_t w = 0; w < isa::kWindowCount; ++w) {
    const std::uint32_t group = w * isa::kWindowStride;
    engine->write_memory(address, windows[w]);
    engine->write_register(offset_of(isa::Register::WINDOW0_BASE_LO) + group,
                           static_cast<std::uint32_t>(address));
    engine->write_register(offset_of(isa::Register::WINDOW0_SIZE_LO) + group,
                           static_cast<std::uint32_t>(windows[w].size()));
    address += (windows[w].size() + 4095) / 4096 * 4096;
  }
  engine->write_register(offset_of(isa::Register::INSN_COUNT),
                         static_cast<std::uint32_t>(program.insns.size()));
  engine->write_register(offset_of(isa::Register::CONTROL), isa::kControlStart);
  engine->run(1'000'000'000);
  VDLA_CHECK(engine->read_register(offset_of(isa::Register::STATUS)) & isa::kStatusDone);
  return engine->read_register(offset_of(isa::Register::CYCLES_LO));
}

void print_layer(const device::Conv2d& op, const isa::Variant& v,
                 const std::vector<tensorize::Intrinsic>& table) {
  const auto start = std::chrono::steady_clock::now();
  const isa::Program program = compile_layer(op, v, table);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const device::Space space = device::space_of(op, v.geometry);
  const device::ConvKnobs knobs = device::choose(op.name, space, v.geometry, v.timing);
  const double ideal = static_cast<double>(device::macs_of(op)) / v.geometry.macs();
  const std::uint64_t cycles = measure(op, program, v);
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
    const auto table = tensorize::device_intrinsics(variant.geometry);
    fmt::print("{:24} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8}  {}\n", "layer", "ideal", "estimate", "cycles", "%",
               "insns", "ms", "tiles");
    for (const auto& shape : pipeline::kShapes) pipeline::print_layer(pipeline::layer(shape), variant, table);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
