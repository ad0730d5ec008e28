// SPDX-License-Identifier: Apache-2.0
// Bit-serial convolution against plain loops over the numbers themselves: interpreted and as machine code,
// for bits, codes, strides and channel counts that fill words or do not.
#include "tests/compiler/lowbit/bitserial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/lower/lower.h"
#include "compiler/targets/cpu/code/code.h"
#include "support/error.h"

namespace vdla::lowbit {
namespace {

using Numbers = std::vector<std::uint8_t>;

/// Each below 2^bits, the largest one among them.
Numbers random_numbers(std::int64_t count, int bits, unsigned seed) {
  std::mt19937 random(seed);
  Numbers values(static_cast<std::size_t>(count));
  for (auto& v : values) v = static_cast<std::uint8_t>(random() & ((1u << bits) - 1));
  values[values.size() / 2] = static_cast<std::uint8_t>((1u << bits) - 1);
  return values;
}

std::int32_t meaning(std::uint8_t weight, const BitserialConv& c) {
  return c.weight_code == WeightCode::Unipolar ? weight : 2 * weight - ((1 << c.weight_bits) - 1);
}

std::vector<std::int32_t> plain_loops(const BitserialConv& c, const Numbers& x, const Numbers& w) {
  std::vector<std::int32_t> out;
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t y = 0; y < c.out_height(); ++y)
      for (std::int64_t column = 0; column < c.out_width(); ++column)
        for (std::int64_t o = 0; o < c.out_channels; ++o) {
          std::int32_t sum = 0;
          for (std::int64_t ky = 0; ky < c.kernel_h; ++ky)
            for (std::int64_t kx = 0; kx < c.kernel_w; ++kx) {
              const std::int64_t row = y * c.stride + ky - c.pad, col = column * c.stride + kx - c.pad;
              if (row < 0 || row >= c.height || col < 0 || col >= c.width) continue;
              for (std::int64_t k = 0; k < c.channels; ++k) {
                const auto at =
                    static_cast<std::size_t>(((n * c.height + row) * c.width + col) * c.channels + k);
                const auto weight =
                    static_cast<std::size_t>(((o * c.kernel_h + ky) * c.kernel_w + kx) * c.channels + k);
                sum += x[at] * meaning(w[weight], c);
              }
            }
          out.push_back(sum);
        }
  return out;
}

enum class Engine { Interpreter, MachineCode };

void run(const loop::Func& func, Engine engine, const std::vector<std::span<std::byte>>& memories) {
  if (engine == Engine::Interpreter) return loop::Interpreter(func).run(memories);
  std::vector<void*> arguments;
  for (const auto& memory : memories) arguments.push_back(memory.data());
  host::Jit jit;
  jit.add(func)(arguments.data());
}

template <class T>
std::span<std::byte> bytes(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

void expect_plain(const BitserialConv& c, Engine engine, bool scheduled) {
  Numbers x = random_numbers(c.batch * c.height * c.width * c.channels, c.activation_bits, 1);
  Numbers w = random_numbers(c.out_channels * c.kernel_h * c.kernel_w * c.channels, c.weight_bits, 2);
  const PackedWeights pack = pack_weights(c);
  std::vector<std::uint32_t> packed(
      static_cast<std::size_t>(c.kernel_h * c.kernel_w * c.words() * c.weight_bits * c.out_channels));
  run(lower::lower(schedule::Schedule({pack.packed}), {pack.plain, pack.packed}, "pack"), engine,
      {bytes(w), bytes(packed)});

  const Bitserial b = bitserial_conv2d(c);
  const schedule::Schedule s = scheduled ? default_schedule(b) : schedule::Schedule({b.output});
  const std::vector<std::int32_t> needed = plain_loops(c, x, w);
  std::vector<std::int32_t> got(needed.size());
  run(lower::lower(s, {b.input, b.weights, b.output}, "conv"), engine, {bytes(x), bytes(packed), bytes(got)});
  EXPECT_EQ(got, needed);
}

struct Case {
  const char* name;
  BitserialConv conv;
};

const Case kCases[] = {
    {"TwoBitsByOne", {.height = 9, .width = 11, .channels = 64, .out_channels = 32, .pad = 1}},
    {"Unipolar",
     {.height = 6, .width = 7, .channels = 32, .out_channels = 16, .weight_code = WeightCode::Unipolar}},
    {"ChannelsThatFillNoWord",
     {.batch = 2,
      .height = 5,
      .width = 6,
      .channels = 40,
      .out_channels = 24,
      .kernel_h = 1,
      .kernel_w = 3,
      .pad = 1}},
    {"Stride",
     {.height = 9,
      .width = 16,
      .channels = 33,
      .out_channels = 5,
      .stride = 2,
      .pad = 1,
      .activation_bits = 1}},
    {"OnePixelWithStride",
     {.height = 9,
      .width = 12,
      .channels = 64,
      .out_channels = 16,
      .kernel_h = 1,
      .kernel_w = 1,
      .stride = 2,
      .pad = 1}},
    {"ThreeBitsByTwo",
     {.height = 4, .width = 9, .channels = 8, .out_channels = 17, .activation_bits = 3, .weight_bits = 2}},
    {"EightBitsByEightUnipolar",
     {.height = 4,
      .width = 4,
      .channels = 3,
      .out_channels = 3,
      .kernel_h = 2,
      .kernel_w = 2,
      .activation_bits = 8,
      .weight_bits = 8,
      .weight_code = WeightCode::Unipolar}},
};

class Bitserials : public ::testing::TestWithParam<Case> {};

TEST_P(Bitserials, InterpretedEqualPlainLoops) {
  expect_plain(GetParam().conv, Engine::Interpreter, false);
  expect_plain(GetParam().conv, Engine::Interpreter, true);
}

TEST_P(Bitserials, AsMachineCodeEqualPlainLoops) {
  expect_plain(GetParam().conv, Engine::MachineCode, false);
  expect_plain(GetParam().conv, Engine::MachineCode, true);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bitserials, ::testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Bitserial, SizesThatCannotBeAreRefused) {
  const auto refused = [](BitserialConv c, const char* message) {
    EXPECT_THAT([&] { bitserial_conv2d(c); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(message)));
  };
  refused({.height = 0}, "height 0, needs at least 1");
  refused({.height = 2, .width = 8}, "kernel of 3x3, needs one within the padded image of 2x8");
  refused({.height = 8, .width = 8, .activation_bits = 9}, "numbers of 9 bits, needs 1 to 8");
  refused({.height = 8, .width = 8, .channels = 100'000'000}, "adds 3x3x100000000 products, needs at most");
}

}  // namespace
}  // namespace vdla::lowbit
