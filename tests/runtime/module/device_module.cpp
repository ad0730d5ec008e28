// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/module/device_module.h"

#include "isa/variants/variants.h"

namespace vdla::runtime {
namespace {

using isa::Buffer;
using isa::Window;

constexpr std::uint8_t kLoad = 1, kGemm = 2, kVector = 4, kStore = 8;  // a bit per unit

isa::MemoryInsn load(Buffer buffer, Window window, std::uint16_t run, std::uint8_t push) {
  isa::MemoryInsn insn;
  insn.push = push;
  insn.buffer = buffer;
  insn.window = window;
  insn.run = run;
  return insn;
}

isa::Program doubling_program(const isa::Geometry& geometry) {
  isa::GemmInsn gemm;
  gemm.pop = kLoad;
  gemm.push = kVector;
  gemm.init = true;
  gemm.uop_count = 2;

  isa::VectorInsn copy;
  copy.pop = kGemm;
  copy.push = kStore;
  copy.dst_buffer = Buffer::Out;
  copy.levels[4] = {.count = 2, .dst_stride = 1, .a_stride = 1, .b_stride = 0};

  isa::MemoryInsn store = load(Buffer::Out, Window::Output, 2, 0);
  store.opcode = isa::Opcode::Store;
  store.pop = kVector;

  isa::FinishInsn finish;
  finish.sequence = 41;

  isa::Program p;
  p.geometry = geometry;
  p.insns = {load(Buffer::Inp, Window::Input, 2, 0),
             load(Buffer::Wgt, Window::Const, 1, 0),
             load(Buffer::Uop, Window::Uop, 2, kGemm),
             gemm,
             copy,
             store,
             finish};
  p.kernels = {{.base = {}, .loops = {{.count = 2, .acc = 1, .inp = 1, .wgt = 0}}}};
  p.constants.assign(16, std::byte{0});
  for (std::size_t n = 0; n < 4; ++n) p.constants[4 * n + n] = std::byte{2};
  p.data_window_sizes[static_cast<std::size_t>(Window::Input)] = 8;
  p.data_window_sizes[static_cast<std::size_t>(Window::Output)] = 8;
  p.source_map.layers = {{.name = "double", .op = "conv2d", .schedule = "whole"}};
  p.source_map.loops = {"pixel=0"};
  p.source_map.insns.assign(7, {.layer = 0, .loop = isa::Source::kNone});
  p.source_map.insns[3].loop = 0;
  p.source_map.insns[6] = {};
  return p;
}

}  // namespace

Module doubling_module() {
  Module m;
  m.model_name = "doubling";
  m.provenance.producer = "test";
  m.target = "vdla";
  m.variant = isa::load_variant("tiny");
  const Shape shape = {1, 1, 2, 3};
  for (const char* name : {"x", "y"})
    m.tensors.push_back(
        {.name = name, .type = DataType::Int8, .shape = shape, .quantization = {}, .data = {}});
  const DeviceLayout layout = padded_layout(shape, DataType::Int8, 4);
  m.steps.push_back(
      DeviceStep{.program = doubling_program(m.variant.geometry),
                 .inputs = {{.tensor = 0, .window = Window::Input, .offset = 0, .layout = layout}},
                 .outputs = {{.tensor = 1, .window = Window::Output, .offset = 0, .layout = layout}}});
  m.inputs = {{.tensor = 0, .name = "x", .model_type = DataType::Int8, .model_shape = shape, .perm = {}}};
  m.outputs = {{.tensor = 1, .name = "y", .model_type = DataType::Int8, .model_shape = shape, .perm = {}}};
  m.nodes = {{.name = "conv",
              .op = "conv2d",
              .place = "vdla",
              .reason = "fits",
              .layer = "double",
              .step = 0,
              .macs = 32}};
  return m;
}

isa::Program& program_of(Module& module) { return std::get<DeviceStep>(module.steps.at(0)).program; }

}  // namespace vdla::runtime
