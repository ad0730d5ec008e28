// SPDX-License-Identifier: Apache-2.0
// Two layers with the activation between them in inp: every kind of layer in front of every kind behind,
// against the kernel contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/tensorize/interpret.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/verify/verify.h"
#include "tests/compiler/codegen/vdla/machine.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

const Image kBetween{6, 5, 16};

Conv2d conv(const Image& in, const Image& out, const SlidingWindow& window, std::mt19937& random,
            std::int64_t groups = 1) {
  Conv2d op;
  op.name = "conv";
  op.in = in;
  op.out = out;
  op.window = window;
  op.groups = groups;
  op.input_zero = static_cast<std::int32_t>(random() % 200) - 100;
  op.stage.zero_point = 3;
  randomise(op, random);
  return op;
}

template <class Layer>
Layer windowed(const Image& in, const Image& out, const SlidingWindow& window) {
  Layer op;
  op.name = "layer";
  op.in = in;
  op.out = out;
  op.window = window;
  return op;
}

Conv2d with_sum(Conv2d op, std::mt19937& random) {
  op.sum = random_add(op.out, random);
  return op;
}

ConvDepthwise chain(const Conv2d& first, const Image& out, const SlidingWindow& window,
                    std::mt19937& random) {
  auto second = windowed<DepthwiseConv2d>(first.out, out, window);
  second.input_zero = first.stage.zero_point;
  second.stage.zero_point = -9;
  randomise(second, random);
  return {"chain", first, second};
}

using Make = Op (*)(std::mt19937&);
struct ChainLayer {
  const char* name;
  Make make;
  std::size_t input = 0;  ///< the one that is on chip
};

// kernel h, w; stride h, w; dilation h, w; pad top, left
constexpr SlidingWindow kSame{3, 3, 1, 1, 1, 1, 1, 1}, kHalf{3, 3, 2, 2, 1, 1, 0, 1};
const Image kFront{6, 5, 12}, kLarge{12, 9, 16};

const ChainLayer kMakers[] = {
    {"pointwise", [](std::mt19937& r) -> Op { return conv(kFront, kBetween, {}, r); }},
    {"conv", [](std::mt19937& r) -> Op { return conv(kLarge, kBetween, kHalf, r); }},
    {"groups", [](std::mt19937& r) -> Op { return conv({6, 5, 32}, {6, 5, 16}, kSame, r, 2); }},
    {"conv_add", [](std::mt19937& r) -> Op { return with_sum(conv(kFront, kBetween, kSame, r), r); }},
    {"depthwise",
     [](std::mt19937& r) -> Op {
       auto op = windowed<DepthwiseConv2d>(kBetween, kBetween, kSame);
       op.input_zero = 8;
       randomise(op, r);
       return op;
     }},
    {"add", [](std::mt19937& r) -> Op { return random_add(kBetween, r); }},
    {"max_pool", [](std::mt19937&) -> Op { return windowed<MaxPool2d>(kLarge, kBetween, kHalf); }},
    {"avg_pool", [](std::mt19937&) -> Op { return windowed<AvgPool2d>(kBetween, kBetween, kSame); }},
    {"requantize",
     [](std::mt19937& r) -> Op {
       Requantize op{"requantize", kBetween, 5, {}};
       randomise(op.stage, kBetween.c, 1.0, r);
       return op;
     }},
    {"conv_depthwise",
     [](std::mt19937& r) -> Op { return chain(conv(kFront, kBetween, kSame, r), kBetween, kSame, r); }},
    {"maximum", [](std::mt19937&) -> Op { return Extremum{"maximum", kBetween, false}; }},
};

const ChainLayer kReaders[] = {
    {"pointwise", [](std::mt19937& r) -> Op { return conv(kBetween, {6, 5, 20}, {}, r); }},
    {"pointwise_stride",
     [](std::mt19937& r) -> Op { return conv(kBetween, {3, 3, 8}, {1, 1, 2, 2, 1, 1, 0, 0}, r); }},
    {"same_3x3", [](std::mt19937& r) -> Op { return conv(kBetween, {6, 5, 8}, kSame, r); }},
    {"pad_after",
     [](std::mt19937& r) -> Op { return conv(kBetween, {3, 3, 8}, {3, 3, 2, 2, 1, 1, 0, 1}, r); }},
    {"valid", [](std::mt19937& r) -> Op { return conv(kBetween, {2, 2, 8}, {3, 2, 2, 2, 1, 1, 0, 0}, r); }},
    {"dilated", [](std::mt19937& r) -> Op { return conv(kBetween, {6, 5, 4}, {3, 3, 1, 1, 2, 1, 2, 1}, r); }},
    {"weight_zero_point",
     [](std::mt19937& r) -> Op {
       Conv2d op = conv(kBetween, {6, 5, 8}, kSame, r);
       op.weight_zero = 100;
       return op;
     }},
    {"groups", [](std::mt19937& r) -> Op { return conv(kBetween, {6, 5, 32}, kSame, r, 2); }},
    {"conv_add", [](std::mt19937& r) -> Op { return with_sum(conv(kBetween, {6, 5, 8}, kSame, r), r); }},
    {"depthwise",
     [](std::mt19937& r) -> Op {
       auto op = windowed<DepthwiseConv2d>(kBetween, {3, 3, 16}, {3, 3, 2, 2, 1, 1, 1, 1});
       op.input_zero = -30;
       randomise(op, r);
       return op;
     }},
    {"depthwise_multiplier",
     [](std::mt19937& r) -> Op {
       auto op = windowed<DepthwiseConv2d>(kBetween, {6, 5, 32}, kSame);
       op.input_zero = -30;
       randomise(op, r);
       return op;
     }},
    {"add", [](std::mt19937& r) -> Op { return random_add(kBetween, r); }},
    {"add_second", [](std::mt19937& r) -> Op { return random_add(kBetween, r); }, 1},
    {"max_pool", [](std::mt19937&) -> Op { return windowed<MaxPool2d>(kBetween, {3, 3, 16}, kHalf); }},
    {"avg_pool", [](std::mt19937&) -> Op { return windowed<AvgPool2d>(kBetween, kBetween, kSame); }},
    {"avg_pool_offset",
     [](std::mt19937&) -> Op {
       auto op = windowed<AvgPool2d>(kBetween, {3, 3, 16}, kHalf);
       op.offset = 40;
       return op;
     }},
    {"mean",
     [](std::mt19937& r) -> Op {
       auto op = windowed<SumPool2d>(kBetween, {1, 1, 16}, {6, 5, 6, 5, 1, 1, 0, 0});
       op.input_zero = 11;
       randomise(op.stage, 16, 1.0 / 30, r);
       return op;
     }},
    {"conv_depthwise",
     [](std::mt19937& r) -> Op { return chain(conv(kBetween, {6, 5, 8}, kSame, r), {3, 3, 8}, kHalf, r); }},
    {"minimum", [](std::mt19937&) -> Op { return Extremum{"minimum", kBetween, true}; }},
};

/// The second layer's input is the result of the first.
struct Pair {
  Op first, second;
  std::size_t input;  ///< of the second
  Border border;
  DeviceKernel first_kernel, second_kernel;
  std::optional<BorderFill> fill;
  std::int64_t base;  ///< of the activation in inp

  Pair(Op a, Op b, std::size_t on_chip_input, const isa::Geometry& g)
      : first(std::move(a)), second(std::move(b)), input(on_chip_input) {
    const Padding padding = input == 0 ? padding_of(second) : Padding{};
    border = padding.border;
    base = g.inp_depth - entries(g);
    Residence after, before;
    after.output = border;
    (input == 0 ? before.input : before.second_input) = border;
    first_kernel = lower(first, g, {}, after, base);
    second_kernel = lower(second, g, {}, before, base);
    fill = fill_border(output_of(first), border, padding.value, g);
  }

  std::int64_t entries(const isa::Geometry& g) const { return inp_entries(output_of(first), border, g); }
  std::size_t first_inputs() const { return inputs_of(first).size(); }

  Tensors tensors() const {
    Tensors t{inputs_of(first), output_of(second)};
    const std::vector<Image> second_inputs = inputs_of(second);
    for (std::size_t i = 0; i < second_inputs.size(); ++i)
      if (i != input) t.inputs.push_back(second_inputs[i]);
    return t;
  }

  Int8s expected(const std::vector<Int8s>& inputs) const {
    const auto split = inputs.begin() + static_cast<std::ptrdiff_t>(first_inputs());
    std::vector<Int8s> then(split, inputs.end());
    then.insert(then.begin() + static_cast<std::ptrdiff_t>(input), reference(first, {inputs.begin(), split}));
    return reference(second, then);
  }

  /// The input of the whole that a role of the first or second layer means; nothing: the one between.
  std::optional<std::size_t> outer_input(bool is_second, Role role) const {
    const std::size_t i = role == Role::SecondInput ? 1 : 0;
    if (!is_second) return i;
    if (i == input) return std::nullopt;
    return first_inputs();
  }
};

isa::Program program_of(const Pair& pair, const isa::Geometry& g) {
  const auto table = intrinsics::device_intrinsics(g);
  codegen::SegmentBuilder segment(g);
  const auto entry = [&](std::int64_t offset) {
    return codegen::SramEntry{pair.base + inp_entry(offset, g)};
  };
  const auto add = [&](const Op& op, const DeviceKernel& kernel, bool is_second) {
    const codegen::DramPlace constants = segment.add_constants(kernel.constants);
    const DeviceFunction& function = kernel.function.value();
    std::vector<codegen::Location> places;
    for (const DeviceParam& param : function.params) {
      const auto offset = static_cast<std::uint64_t>(param.offset);
      if (param.role == Role::Constants) {
        places.emplace_back(constants.window, constants.offset + offset);
      } else if (param.role == Role::Output && is_second) {
        places.emplace_back(isa::Window::Output, offset);
      } else if (const auto i = pair.outer_input(is_second, param.role); i && param.role != Role::Output) {
        places.emplace_back(input_window(*i), offset);
      } else {
        places.emplace_back(entry(param.offset));
      }
    }
    segment.add({name_of(op), std::string(kind_of(op)), function.schedule},
                tensorize::tensorize(function.func, table), places);
  };
  segment.keep(isa::Buffer::Inp, pair.base, pair.entries(g));
  add(pair.first, pair.first_kernel, false);
  if (pair.fill) {
    std::vector<codegen::Location> sides;
    for (const std::int64_t offset : pair.fill->offsets) sides.emplace_back(entry(offset));
    segment.add({"border", "", ""}, tensorize::tensorize(pair.fill->func, table), sides);
  }
  add(pair.second, pair.second_kernel, true);
  isa::Program program = segment.finish([](const codegen::StreamPass&, const codegen::Stream&) {});
  isa::require_verified(program);
  return program;
}

Int8s interpret(const Pair& pair, const std::vector<Int8s>& inputs, const isa::Geometry& g, bool tensorized) {
  const auto table = intrinsics::device_intrinsics(g);
  const Tensors tensors = pair.tensors();
  std::vector<Int8s> outer;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    outer.push_back(to_device(inputs[i], tensors.inputs[i], g, 91));
  Int8s between(static_cast<std::size_t>(pair.entries(g) * g.batch * g.block_in), 55);
  Int8s output(static_cast<std::size_t>(activation_bytes(tensors.output, g)));
  const auto run = [&](const loop::Func& func, std::vector<std::span<std::byte>> arguments) {
    if (tensorized) {
      loop::Interpreter(tensorize::tensorize(func, table), tensorize::interpret_calls(table)).run(arguments);
    } else {
      loop::Interpreter(func).run(arguments);
    }
  };
  const auto run_all = [&](DeviceKernel kernel, bool is_second) {
    const DeviceFunction& function = kernel.function.value();
    std::vector<std::span<std::byte>> arguments;
    for (const DeviceParam& param : function.params) {
      std::span<std::byte> whole = std::as_writable_bytes(std::span(between));
      if (param.role == Role::Constants) {
        whole = std::as_writable_bytes(std::span(kernel.constants));
      } else if (param.role == Role::Output) {
        if (is_second) whole = std::as_writable_bytes(std::span(output));
      } else if (const auto i = pair.outer_input(is_second, param.role)) {
        whole = std::as_writable_bytes(std::span(outer[*i]));
      }
      arguments.push_back(whole.subspan(static_cast<std::size_t>(param.offset)));
    }
    run(function.func, arguments);
  };
  run_all(pair.first_kernel, false);
  if (pair.fill) {
    std::vector<std::span<std::byte>> sides;
    for (const std::int64_t offset : pair.fill->offsets)
      sides.push_back(std::as_writable_bytes(std::span(between)).subspan(static_cast<std::size_t>(offset)));
    run(pair.fill->func, sides);
  }
  run_all(pair.second_kernel, true);
  return from_device(output, tensors.output, g);
}

class OnChipPairs : public ::testing::TestWithParam<std::tuple<ChainLayer, ChainLayer>> {
 protected:
  void expect_exact(const isa::Geometry& g) {
    const auto& [maker, reader] = GetParam();
    std::mt19937 random(3);
    const Pair pair(maker.make(random), reader.make(random), reader.input, g);
    std::vector<Int8s> inputs;
    for (const Image& i : pair.tensors().inputs)
      inputs.push_back(random_int8(static_cast<std::size_t>(i.h * i.w * i.c), random));
    const Int8s expected = pair.expected(inputs);
    ASSERT_EQ(interpret(pair, inputs, g, false), expected);
    ASSERT_EQ(interpret(pair, inputs, g, true), expected);
    const isa::Program program = program_of(pair, g);
    ASSERT_EQ(run_semantics(pair.tensors(), program, inputs, random), expected)
        << codegen::testing::to_text(program);
    ASSERT_EQ(run_functional(pair.tensors(), program, inputs), expected)
        << codegen::testing::to_text(program);
  }
};

TEST_P(OnChipPairs, EqualTheKernelContractOnPaper) { expect_exact(paper()); }

TEST_P(OnChipPairs, EqualTheKernelContractOnTiny) {
  isa::Geometry g = tiny();
  g.inp_depth = 512;
  expect_exact(g);
}

TEST_P(OnChipPairs, EqualTheKernelContractWhereAnEntryHoldsSeveralPixels) {
  std::mt19937 random(3);
  isa::Geometry two = pairs();
  two.inp_depth = 512;
  const auto& [maker, reader] = GetParam();
  for (const isa::Geometry& g : {two, quads()}) {
    const Op first = maker.make(random), second = reader.make(random);
    if (unsupported(first, g) || unsupported(second, g)) continue;
    if (bound_to_dram(first, g) || unreadable_in_inp(second, reader.input, g)) continue;
    expect_exact(g);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, OnChipPairs,
                         ::testing::Combine(::testing::ValuesIn(kMakers), ::testing::ValuesIn(kReaders)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_then_" +
                                  std::get<1>(info.param).name;
                         });

TEST(OnChip, NothingOfTheActivationBetweenGoesThroughDram) {
  std::mt19937 random(4);
  const isa::Geometry g = paper();
  const Pair pair(conv(kFront, kBetween, {}, random), conv(kBetween, {6, 5, 8}, kSame, random), 0, g);
  const isa::Program program = program_of(pair, g);
  std::size_t stored = 0;
  for (const isa::Insn& insn : program.insns) {
    const auto* memory = std::get_if<isa::MemoryInsn>(&insn);
    if (memory == nullptr) continue;
    EXPECT_NE(memory->window, isa::Window::Act);
    if (memory->opcode == isa::Opcode::Store) stored += memory->run * memory->x_count * memory->y_count;
  }
  EXPECT_EQ(stored, 6u * 5) << "the result alone, an entry for each pixel";
}

TEST(OnChip, LayersWhoseEntriesHoldSomethingElseKeepToDram) {
  std::mt19937 random(4);
  const Op op = conv(kFront, kBetween, {}, random);
  EXPECT_EQ(bound_to_dram(op, paper()), std::nullopt);
  EXPECT_EQ(bound_to_dram(op, quads()), std::nullopt);
  EXPECT_THAT(bound_to_dram(op, oblong()).value_or(""),
              ::testing::HasSubstr("only where K equals N (rules 57 and 58 of the manual)"));
  Conv2d many = conv(kFront, kBetween, {}, random);
  many.images = 2;
  EXPECT_THAT(bound_to_dram(many, paper()).value_or(""), ::testing::HasSubstr("several images"));
}

/// Of a batch: a pixel of the result is made of one pixel, in the same entry of the activation.
TEST(OnChip, EntriesOfSeveralPixelsHaveReadersThatTakeThemAsTheyAre) {
  const auto takes = [](const ChainLayer& layer) {
    std::mt19937 random(4);
    const Op op = layer.make(random);
    EXPECT_EQ(unreadable_in_inp(op, layer.input, paper()), std::nullopt) << layer.name;
    return !unreadable_in_inp(op, layer.input, quads());
  };
  std::vector<std::string> readers;
  for (const ChainLayer& layer : kReaders)
    if (takes(layer)) readers.emplace_back(layer.name);
  EXPECT_THAT(readers, ::testing::ElementsAre("pointwise", "add", "add_second", "minimum"));
  std::mt19937 random(4);
  EXPECT_THAT(unreadable_in_inp(kReaders[2].make(random), 0, quads()).value_or(""),
              ::testing::HasSubstr("other pixels together than the 4 of an entry"));
  EXPECT_THAT(
      unreadable_in_inp(with_sum(conv(kBetween, {6, 5, 8}, {}, random), random), 1, paper()).value_or(""),
      ::testing::HasSubstr("adds it from out"));
  EXPECT_THAT(bound_to_dram(windowed<AvgPool2d>(kBetween, kBetween, kSame), quads()).value_or(""),
              ::testing::HasSubstr("begin within an entry of 4 pixels"));
}

TEST(OnChip, TilesHaveTheEntriesThatAreLeft) {
  std::mt19937 random(4);
  const isa::Geometry g = paper();
  const Op op = conv({12, 12, 64}, {12, 12, 64}, kSame, random);
  const auto whole = estimate(op, g, {}, {}, g.inp_depth), little = estimate(op, g, {}, {}, 40);
  ASSERT_TRUE(whole && little);
  EXPECT_LT(*whole, *little);
  EXPECT_EQ(estimate(op, g, {}, {}, 2), std::nullopt) << "a row of a window of one block has 3 entries";
  EXPECT_TRUE(estimate(op, g, {}, {.input = true}, 0)) << "it loads nothing into inp";
}

TEST(Estimate, IsOfAllLayersThatLoweringMakes) {
  std::mt19937 random(5);
  const isa::Geometry g = paper();
  const auto cycles = [&](const Op& op) { return estimate(op, g, {}, {}, g.inp_depth).value(); };
  Conv2d op = conv({12, 12, 32}, {12, 12, 32}, kSame, random);
  const double one = cycles(op);
  op.images = 3;
  EXPECT_EQ(cycles(op), 3 * one);
  const double half = cycles(conv({12, 12, 16}, {12, 12, 16}, kSame, random));
  op.groups = 2;
  EXPECT_EQ(cycles(op), 3 * 2 * half) << "each group is a layer of its own";
  const Image narrow{12, 12, 8};
  Conv2d little = conv(narrow, narrow, kSame, random);
  const double whole = cycles(little);
  little.groups = 2;
  EXPECT_EQ(cycles(little), whole) << "groups of four channels are one layer";
  MatMul product;
  product.in = {1, 20, 32};
  product.columns = 48;
  const double once = cycles(product);
  product.batch = {{2, 0, 1}, {2, 1, 0}};
  EXPECT_EQ(cycles(product), 4 * once);
}

}  // namespace
}  // namespace vdla::pipeline::device
