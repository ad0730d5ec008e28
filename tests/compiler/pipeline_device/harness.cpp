// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/pipeline_device/harness.h"

#include <gtest/gtest.h>

#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/interpret.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"

namespace vdla::pipeline::device {

isa::Geometry tiny() {
  isa::Geometry g;
  g.block_in = g.block_out = 4;
  g.inp_depth = 256;
  g.wgt_depth = 64;
  g.acc_depth = 128;
  g.out_depth = 64;
  g.par_depth = 64;
  g.uop_depth = 256;
  return g;
}

isa::Geometry paper() { return {}; }

Int8s interpret(const Op& op, const DeviceKernel& kernel, const std::vector<Int8s>& inputs,
                const isa::Geometry& g, bool tensorized) {
  const std::vector<tensorize::Intrinsic> table = tensorize::device_intrinsics(g);
  std::vector<Int8s> device;
  const std::vector<Image> images = inputs_of(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) device.push_back(to_device(inputs[i], images[i], g, 91));
  Int8s output(static_cast<std::size_t>(activation_bytes(output_of(op), g)), 33);
  std::vector<std::uint8_t> constants = kernel.constants;
  for (const DevicePart& part : kernel.parts) {
    std::vector<std::span<std::byte>> arguments;
    for (const DeviceParam& param : part.params) {
      std::span<std::byte> whole;
      switch (param.role) {
        case Role::Input:
          whole = std::as_writable_bytes(std::span(device[0]));
          break;
        case Role::SecondInput:
          whole = std::as_writable_bytes(std::span(device[1]));
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
      loop::Interpreter(tensorize::tensorize(part.func, table), tensorize::interpret_calls(table))
          .run(arguments);
    } else {
      loop::Interpreter(part.func).run(arguments);
    }
  }
  return from_device(output, output_of(op), g);
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
  SCOPED_TRACE(kernel.parts[0].schedule);
  const std::vector<Int8s> inputs = random_inputs(op, random);
  const Int8s expected = reference(op, inputs);
  ASSERT_EQ(interpret(op, kernel, inputs, geometry, false), expected)
      << loop::to_string(kernel.parts[0].func);
  ASSERT_EQ(interpret(op, kernel, inputs, geometry, true), expected)
      << loop::to_string(tensorize::tensorize(kernel.parts[0].func, tensorize::device_intrinsics(geometry)));
}

}  // namespace vdla::pipeline::device
