// SPDX-License-Identifier: Apache-2.0
#include "bench/compiler/single_layer.h"

#include <fmt/format.h>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/targets/vdla/table.h"
#include "isa/spec/registers.h"
#include "sim/cycle/engine.h"
#include "support/error.h"

namespace vdla::bench {

namespace device = pipeline::device;

device::Conv2d conv_layer(const ConvShape& s) {
  device::Conv2d op;
  op.name = fmt::format("{0}x{0} {1}->{2} {3}x{3} /{4}", s.size, s.in, s.out, s.kernel, s.stride);
  const std::int64_t out = (s.size + s.stride - 1) / s.stride;
  const std::int64_t pad = std::max<std::int64_t>(0, (out - 1) * s.stride + s.kernel - s.size) / 2;
  op.in = {s.size, s.size, s.in};
  op.out = {out, out, s.out};
  op.window = {s.kernel, s.kernel, s.stride, s.stride, 1, 1, pad, pad};
  op.weights = std::vector<std::int8_t>(static_cast<std::size_t>(s.out * s.kernel * s.kernel * s.in));
  op.stage.multiplier = {{1 << 30, -8}};
  return op;
}

isa::Program compile_layer(const device::Op& op, const isa::Variant& v, const device::Knobs& knobs) {
  const passes::Target table = target::device_table(intrinsics::device_intrinsics(v.geometry));
  const device::DeviceKernel kernel = device::lower(op, v.geometry, v.timing, knobs);
  codegen::SegmentBuilder segment(v.geometry);
  const codegen::DramPlace constants = segment.add_constants(kernel.constants);
  const device::DeviceFunction& function = kernel.function.value();
  std::vector<codegen::Location> places;
  for (const device::DeviceParam& param : function.params) {
    codegen::DramPlace place = param.role == device::Role::Constants ? constants
                               : param.role == device::Role::Output
                                   ? codegen::DramPlace{isa::Window::Output, 0}
                                   : codegen::DramPlace{isa::Window::Input, 0};
    place.offset += static_cast<std::uint64_t>(param.offset);
    places.push_back(place);
  }
  segment.add({device::name_of(op), "conv2d", function.schedule}, passes::lower(table, function.func),
              places);
  return segment.finish();
}

namespace {
std::uint32_t offset_of(isa::Register r) { return static_cast<std::uint32_t>(r); }
}  // namespace

std::uint64_t measure_layer(const device::Op& op, const isa::Program& program, const isa::Variant& v,
                            trace::Sink* sink) {
  const auto engine = sim::make_cycle_engine(v, 64 << 20);
  engine->set_trace(sink);
  return measure_layer(op, program, *engine);
}

std::uint64_t measure_layer(const device::Op& op, const isa::Program& program, sim::Engine& engine) {
  std::vector<std::vector<std::byte>> windows(isa::kWindowCount);
  const auto window = [&](isa::Window w) -> std::vector<std::byte>& {
    return windows[static_cast<std::size_t>(w)];
  };
  window(isa::Window::Insn) = isa::insn_image(program);
  window(isa::Window::Uop) = isa::uop_image(program);
  window(isa::Window::Const) = program.constants;
  window(isa::Window::Input)
      .resize(static_cast<std::size_t>(device::activation_bytes(device::inputs_of(op)[0], program.geometry)));
  window(isa::Window::Output)
      .resize(static_cast<std::size_t>(device::activation_bytes(device::output_of(op), program.geometry)));
  std::uint64_t address = engine.memory_base();
  for (std::uint32_t w = 0; w < isa::kWindowCount; ++w) {
    const std::uint32_t group = w * isa::kWindowStride;
    engine.write_memory(address, windows[w]);
    engine.write_register(offset_of(isa::Register::WINDOW0_BASE_LO) + group,
                          static_cast<std::uint32_t>(address));
    engine.write_register(offset_of(isa::Register::WINDOW0_SIZE_LO) + group,
                          static_cast<std::uint32_t>(windows[w].size()));
    address += (windows[w].size() + 4095) / 4096 * 4096;
  }
  engine.write_register(offset_of(isa::Register::INSN_COUNT),
                        static_cast<std::uint32_t>(program.insns.size()));
  engine.write_register(offset_of(isa::Register::CONTROL), isa::kControlStart);
  engine.run(1'000'000'000);
  VDLA_CHECK(engine.read_register(offset_of(isa::Register::STATUS)) & isa::kStatusDone);
  return engine.read_register(offset_of(isa::Register::CYCLES_LO));
}

}  // namespace vdla::bench
