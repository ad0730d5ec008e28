// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/vdla/harness.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/targets/vdla/table.h"
#include "compiler/tensorize/interpret.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/spec/registers.h"
#include "isa/verify/verify.h"
#include "sim/functional/engine.h"
#include "support/error.h"
#include "tests/compiler/codegen/vdla/machine.h"

namespace vdla::pipeline::device {

isa::Geometry tiny() { return isa::load_variant("tiny").geometry; }
isa::Geometry paper() { return isa::load_variant("paper").geometry; }
isa::Geometry oblong() {
  isa::Geometry g = tiny();
  g.block_in = 8;
  g.out_depth = 256;
  return g;
}

isa::Geometry broad() {
  isa::Geometry g = tiny();
  g.block_out = 8;
  g.out_depth = 256;
  return g;
}

isa::Geometry pairs() {
  isa::Geometry g = tiny();
  g.batch = 2;
  return g;
}
isa::Geometry quads() {
  isa::Geometry g = paper();
  g.batch = 4;
  g.block_in = g.block_out = 8;
  return g;
}

namespace {

/// Elements of a result in DRAM.
Int8s dense(const Int8s& data, const Image& image, std::int64_t pixel_bytes) {
  Int8s elements;
  for (std::int64_t pixel = 0; pixel < image.h * image.w; ++pixel) {
    const auto begin = data.begin() + pixel * pixel_bytes;
    elements.insert(elements.end(), begin, begin + image.c);
  }
  return elements;
}

std::size_t bytes_of(const Image& image, std::int64_t pixel_bytes) {
  return static_cast<std::size_t>(image.h * image.w * pixel_bytes);
}

}  // namespace

Int8s interpret(const Op& op, const DeviceKernel& kernel, const std::vector<Int8s>& inputs,
                const isa::Geometry& g, bool tensorized) {
  const std::vector<intrinsics::Intrinsic> table = intrinsics::device_intrinsics(g);
  std::vector<Int8s> device;
  const std::vector<Image> images = inputs_of(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) device.push_back(to_device(inputs[i], images[i], g, 91));
  Int8s output(bytes_of(output_of(op), pixel_bytes_of(op, g)), 33);
  std::vector<std::uint8_t> constants = kernel.constants;
  const DeviceFunction& function = kernel.function.value();
  std::vector<std::span<std::byte>> arguments;
  for (const DeviceParam& param : function.params) {
    std::span<std::byte> whole;
    switch (param.role) {
      case Role::Input:
        whole = std::as_writable_bytes(std::span(device.at(param.input)));
        break;
      case Role::SecondInput:
        whole = std::as_writable_bytes(std::span(device[1]));
        break;
      case Role::Weights:
      case Role::Scales:
        VDLA_CHECK(false) << "products are compared as graphs (tests/e2e/matmul_test.cpp)";
        break;
      case Role::Constants:
        whole = std::as_writable_bytes(std::span(constants));
        break;
      case Role::Output:
        whole = std::as_writable_bytes(std::span(output));
        break;
    }
    arguments.push_back(whole.subspan(static_cast<std::size_t>(param.offset)));
  }
  if (tensorized) {
    loop::Interpreter(tensorize::tensorize(function.func, table), tensorize::interpret_calls(table))
        .run(arguments);
  } else {
    loop::Interpreter(function.func).run(arguments);
  }
  return dense(output, output_of(op), pixel_bytes_of(op, g));
}

isa::Program program_of(const Op& op, const DeviceKernel& kernel, const isa::Geometry& g, unsigned batch) {
  const passes::Target table = target::device_table(intrinsics::device_intrinsics(g));
  isa::Geometry machine = g;
  if (batch != 0) machine.batch = batch;
  codegen::SegmentBuilder segment(machine, {}, codegen::Latency::Hidden, g.batch);
  const codegen::DramPlace constants = segment.add_constants(kernel.constants);
  const DeviceFunction& function = kernel.function.value();
  std::vector<codegen::Location> places;
  for (const DeviceParam& param : function.params) {
    codegen::DramPlace place{input_window(param.role == Role::SecondInput ? 1 : param.input), 0};
    if (param.role == Role::Constants) place = constants;
    if (param.role == Role::Output) place = {isa::Window::Output, 0};
    place.offset += static_cast<std::uint64_t>(param.offset);
    places.emplace_back(place);
  }
  segment.add({name_of(op), std::string(kind_of(op)), function.schedule}, passes::lower(table, function.func),
              places);
  isa::Program program = segment.finish([](const codegen::StreamPass&, const codegen::Stream&) {});
  isa::require_verified(program);
  return program;
}

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const Int8s& values) {
  Bytes bytes(values.size());
  std::memcpy(bytes.data(), values.data(), values.size());
  return bytes;
}

std::int64_t pixel_of(const Tensors& tensors, const isa::Program& program) {
  return tensors.output_pixel > 0 ? tensors.output_pixel
                                  : padded_channels(tensors.output.c, program.geometry);
}

/// Contents of the data windows, by window. No smaller than what the program reaches, nor than the tensors.
std::vector<Bytes> windows_of(const Tensors& tensors, const isa::Program& program,
                              const std::vector<Int8s>& inputs) {
  std::vector<Bytes> windows(isa::kWindowCount);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    windows[static_cast<std::size_t>(input_window(i))] =
        bytes_of(to_device(inputs[i], tensors.inputs[i], program.geometry, 91));
  }
  windows[static_cast<std::size_t>(isa::Window::Output)].resize(
      bytes_of(tensors.output, pixel_of(tensors, program)));
  return windows;
}

Int8s output_from(const Tensors& tensors, const isa::Program& program, const Bytes& window) {
  Int8s values(window.size());
  std::memcpy(values.data(), window.data(), window.size());
  return dense(values, tensors.output, pixel_of(tensors, program));
}

}  // namespace

isa::Window input_window(std::size_t input) {
  static constexpr isa::Window kWindows[] = {isa::Window::Input, isa::Window::Act, isa::Window::Spare0,
                                             isa::Window::Spare1};
  return kWindows[input];
}

Int8s run_semantics(const Op& op, const isa::Program& program, const std::vector<Int8s>& inputs,
                    std::mt19937& random) {
  return run_semantics({inputs_of(op), output_of(op), pixel_bytes_of(op, program.geometry)}, program, inputs,
                       random);
}

Int8s run_functional(const Op& op, const isa::Program& program, const std::vector<Int8s>& inputs) {
  return run_functional({inputs_of(op), output_of(op), pixel_bytes_of(op, program.geometry)}, program,
                        inputs);
}

Int8s run_semantics(const Tensors& tensors, const isa::Program& program, const std::vector<Int8s>& inputs,
                    std::mt19937& random) {
  std::vector<Bytes> windows = windows_of(tensors, program, inputs);
  codegen::testing::run_units(program, windows, random);
  return output_from(tensors, program, windows[static_cast<std::size_t>(isa::Window::Output)]);
}

Int8s run_functional(const Tensors& tensors, const isa::Program& program, const std::vector<Int8s>& inputs) {
  std::vector<Bytes> windows = windows_of(tensors, program, inputs);
  windows[static_cast<std::size_t>(isa::Window::Insn)] = isa::insn_image(program);
  windows[static_cast<std::size_t>(isa::Window::Uop)] = isa::uop_image(program);
  windows[static_cast<std::size_t>(isa::Window::Const)] = program.constants;
  isa::Variant variant;
  variant.name = "test";
  variant.geometry = program.geometry;
  const auto engine = sim::make_functional_engine(variant, 64 << 20);
  const auto set = [&](isa::Register r, std::uint32_t distance, std::uint64_t value) {
    engine->write_register(static_cast<std::uint32_t>(r) + distance, static_cast<std::uint32_t>(value));
    engine->write_register(static_cast<std::uint32_t>(r) + distance + 4,
                           static_cast<std::uint32_t>(value >> 32));
  };
  std::uint64_t address = engine->memory_base();
  std::uint64_t output = 0;
  for (std::uint32_t w = 0; w < isa::kWindowCount; ++w) {
    engine->write_memory(address, windows[w]);
    set(isa::Register::WINDOW0_BASE_LO, w * isa::kWindowStride, address);
    set(isa::Register::WINDOW0_SIZE_LO, w * isa::kWindowStride, windows[w].size());
    if (static_cast<isa::Window>(w) == isa::Window::Output) output = address;
    address += (windows[w].size() + 255) / 256 * 256;
  }
  engine->write_register(static_cast<std::uint32_t>(isa::Register::INSN_COUNT),
                         static_cast<std::uint32_t>(program.insns.size()));
  engine->write_register(static_cast<std::uint32_t>(isa::Register::CONTROL), isa::kControlStart);
  EXPECT_EQ(engine->run(100'000'000), sim::Stop::Interrupt) << sim::describe(engine->unit_states());
  const std::uint32_t status = engine->read_register(static_cast<std::uint32_t>(isa::Register::STATUS));
  EXPECT_EQ(status & (isa::kStatusDone | isa::kStatusError), isa::kStatusDone)
      << "error " << engine->read_register(static_cast<std::uint32_t>(isa::Register::ERROR_CODE))
      << " at instruction " << engine->read_register(static_cast<std::uint32_t>(isa::Register::ERROR_INSN));
  Bytes& result = windows[static_cast<std::size_t>(isa::Window::Output)];
  engine->read_memory(output, result);
  return output_from(tensors, program, result);
}

std::vector<Int8s> random_inputs(const Op& op, std::mt19937& random) {
  std::vector<Int8s> inputs;
  for (const Image& i : inputs_of(op))
    inputs.push_back(random_int8(static_cast<std::size_t>(i.h * i.w * i.c), random));
  return inputs;
}

void expect_exact(const Op& op, const isa::Geometry& geometry, std::mt19937& random, const Knobs& knobs) {
  SCOPED_TRACE(name_of(op));
  const DeviceKernel kernel = lower(op, geometry, {}, knobs);
  SCOPED_TRACE(kernel.function.value().schedule);
  const std::vector<Int8s> inputs = random_inputs(op, random);
  const Int8s expected = reference(op, inputs);
  ASSERT_EQ(interpret(op, kernel, inputs, geometry, false), expected)
      << loop::to_string(kernel.function->func);
  ASSERT_EQ(interpret(op, kernel, inputs, geometry, true), expected) << loop::to_string(
      tensorize::tensorize(kernel.function->func, intrinsics::device_intrinsics(geometry)));
  const isa::Program program = program_of(op, kernel, geometry);
  ASSERT_EQ(run_semantics(op, program, inputs, random), expected) << codegen::testing::to_text(program);
  ASSERT_EQ(run_functional(op, program, inputs), expected) << codegen::testing::to_text(program);
  if (geometry.batch > 1) return;
  const isa::Program one_row = program_of(op, kernel, geometry, 4);
  ASSERT_EQ(run_functional(op, one_row, inputs), expected) << codegen::testing::to_text(one_row);
}

}  // namespace vdla::pipeline::device
