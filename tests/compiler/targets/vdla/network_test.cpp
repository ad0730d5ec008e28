// SPDX-License-Identifier: Apache-2.0
// The convolutions of ResNet-18 and ResNet-8 in full size on the functional engine; and what the default
// tiles promise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/targets/vdla/templates/templates.h"
#include "isa/timing/work.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

struct NetworkLayer {
  std::int64_t size, in, out, kernel, stride;
  std::string name() const { return fmt::format("s{}_{}to{}_k{}_s{}", size, in, out, kernel, stride); }
};

const NetworkLayer kLayers[] = {
    {224, 3, 64, 7, 2},   {56, 64, 64, 3, 1},   {56, 64, 128, 3, 2},  {56, 64, 128, 1, 2},
    {28, 128, 128, 3, 1}, {28, 128, 256, 3, 2}, {28, 128, 256, 1, 2}, {14, 256, 256, 3, 1},
    {14, 256, 512, 3, 2}, {14, 256, 512, 1, 2}, {7, 512, 512, 3, 1},  {56, 64, 64, 1, 1},
    {1, 512, 1000, 1, 1}, {32, 3, 16, 3, 1},    {32, 16, 16, 3, 1},   {32, 16, 32, 3, 2},
    {16, 32, 32, 3, 1},   {16, 32, 64, 3, 2},   {8, 64, 64, 3, 1}};

Conv2d same_padded(const NetworkLayer& l, std::mt19937& random) {
  Conv2d op;
  op.name = l.name();
  const std::int64_t out = (l.size + l.stride - 1) / l.stride;
  const std::int64_t pad = std::max<std::int64_t>(0, (out - 1) * l.stride + l.kernel - l.size) / 2;
  op.in = {l.size, l.size, l.in};
  op.out = {out, out, l.out};
  op.window = {l.kernel, l.kernel, l.stride, l.stride, 1, 1, pad, pad};
  op.input_zero = -5;
  randomise(op, random);
  return op;
}

class Network : public ::testing::TestWithParam<NetworkLayer> {};

TEST_P(Network, IsExactAndDoesNoMoreStepsThanItsBlocks) {
  std::mt19937 random(6);
  const isa::Geometry g = paper();
  const Conv2d op = same_padded(GetParam(), random);
  const isa::Program program = program_of(op, lower(op, g, {}), g);
  const std::vector<Int8s> inputs = random_inputs(op, random);
  EXPECT_TRUE(run_functional(op, program, inputs) == reference(op, inputs));

  std::uint64_t steps = 0;
  for (const isa::Insn& insn : program.insns) {
    if (isa::macs_of(insn, g) > 0) steps += isa::steps_of(insn);
  }
  const Space s = space_of(op, g);
  EXPECT_EQ(steps, static_cast<std::uint64_t>(s.out_h * s.out_w * s.out_blocks * s.in_blocks *
                                              s.window.kernel_h * s.window.kernel_w));
}

INSTANTIATE_TEST_SUITE_P(Layers, Network, ::testing::ValuesIn(kLayers),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace vdla::pipeline::device
