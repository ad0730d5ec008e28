// SPDX-License-Identifier: Apache-2.0
// Instructions against values worked out by hand or by an independent formula, and their errors.
#include "isa/semantics/execute.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "isa/codec/codec.h"
#include "isa/spec/errors.h"
#include "isa/spec/operations.h"
#include "support/fixed_point.h"

namespace vdla::isa {
namespace {

Geometry tiny(unsigned batch = 1) {
  Geometry g;
  g.batch = batch;
  g.block_in = g.block_out = 4;
  g.inp_depth = g.wgt_depth = g.acc_depth = g.out_depth = g.par_depth = g.uop_depth = 64;
  return g;
}

class VectorMemory final : public Memory {
 public:
  explicit VectorMemory(std::size_t size) : bytes(size) {
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  }
  bool read(std::uint64_t address, std::span<std::byte> to) override {
    if (address + to.size() > bytes.size()) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), to.size(), to.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> from) override {
    if (address + from.size() > bytes.size()) return false;
    std::copy(from.begin(), from.end(), bytes.begin() + static_cast<std::ptrdiff_t>(address));
    return true;
  }
  std::int8_t at(std::size_t i) const { return static_cast<std::int8_t>(bytes[i]); }
  std::vector<std::byte> bytes;
};

struct Executor {
  explicit Executor(const Geometry& g = tiny()) : sram(g), memory(4096) {
    windows[static_cast<unsigned>(Window::Const)] = {100, 1000};
    windows[static_cast<unsigned>(Window::Act)] = {2000, 1000};
    windows[static_cast<unsigned>(Window::Output)] = {4000, 1000};  // its end is beyond the memory
  }
  std::optional<Fault> run(const Insn& insn) {
    EXPECT_EQ(find_broken_rule(insn, sram.geometry), nullptr);
    return execute(insn, sram, windows, memory);
  }
  Sram sram;
  Windows windows{};
  VectorMemory memory;
};

constexpr auto kNoFault = std::nullopt;

TEST(Load, CopiesARunIntoConsecutiveEntries) {
  Executor m;
  MemoryInsn load;
  load.sram_base = 3;
  load.dram_offset = 11;
  load.run = 2;
  EXPECT_EQ(m.run(load), kNoFault);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(m.sram.inp[3 * 4 + i], m.memory.at(2000 + 11 + i));
  EXPECT_EQ(m.sram.inp[3 * 4 + 8], 0);
}

/// Where every byte of a padded load should come from, by coordinates.
TEST(Load, PadsAroundRowsAndColumns) {
  Executor m;
  MemoryInsn load;
  load.pad_value = -77;
  load.x_count = 3;
  load.y_count = 2;
  load.z_count = 2;
  load.x_pad_before = 1;
  load.x_pad_after = 2;
  load.y_pad_before = 1;
  load.y_sram_stride = 6;
  load.z_sram_stride = 20;
  load.x_dram_stride = 5;
  load.y_dram_stride = 40;
  load.z_dram_stride = 200;
  EXPECT_EQ(m.run(load), kNoFault);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 6; ++x)
        for (int k = 0; k < 4; ++k) {
          const bool inside = y >= 1 && x >= 1 && x < 4;
          const int offset = 2000 + z * 200 + (y - 1) * 40 + (x - 1) * 5 + k;
          EXPECT_EQ(m.sram.inp[static_cast<std::size_t>((z * 20 + y * 6 + x) * 4 + k)],
                    inside ? m.memory.at(static_cast<std::size_t>(offset)) : -77)
              << z << ' ' << y << ' ' << x << ' ' << k;
        }
}

TEST(Load, PureFillReadsNothing) {
  Executor m;
  m.windows[static_cast<unsigned>(Window::Act)].size = 0;
  MemoryInsn load;
  load.x_count = 0;
  load.x_pad_before = 2;
  load.pad_value = 9;
  EXPECT_EQ(m.run(load), kNoFault);
  EXPECT_EQ(m.sram.inp[7], 9);
  EXPECT_EQ(m.sram.inp[8], 0);
}

TEST(Load, NeighbouringPositionsFillTheRowsOfABatch) {
  Executor m(tiny(2));
  MemoryInsn load;
  load.x_count = 3;
  load.x_dram_stride = 8;
  load.run = 2;
  EXPECT_EQ(m.run(load), kNoFault);
  for (unsigned x = 0; x < 3; ++x)
    for (unsigned r = 0; r < 2; ++r)
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned entry = x / 2 * 2 + r, row = x % 2;
        EXPECT_EQ(m.sram.inp[entry * 8 + row * 4 + k], m.memory.at(2000 + x * 8 + r * 4 + k));
      }
}

TEST(Load, ParametersComeAsWordsOrWidenedBytes) {
  Executor m;
  MemoryInsn load;
  load.buffer = Buffer::Par;
  load.window = Window::Const;
  EXPECT_EQ(m.run(load), kNoFault);
  std::int32_t expected = 0;
  for (unsigned i = 0; i < 4; ++i) expected |= static_cast<std::uint8_t>(m.memory.at(100 + 4 + i)) << (8 * i);
  EXPECT_EQ(m.sram.par[1], expected);
  load.widen = true;
  load.sram_base = 5;
  load.x_pad_after = 1;
  load.pad_value = -3;
  EXPECT_EQ(m.run(load), kNoFault);
  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(m.sram.par[5 * 4 + n], m.memory.at(100 + n));
    EXPECT_EQ(m.sram.par[6 * 4 + n], -3);
  }
}

TEST(Load, WeightAndMicroOpPieces) {
  Executor m;
  MemoryInsn load;
  load.buffer = Buffer::Wgt;
  load.window = Window::Const;
  load.run = 2;
  EXPECT_EQ(m.run(load), kNoFault);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.sram.wgt[i], m.memory.at(100 + i));
  load.buffer = Buffer::Uop;
  EXPECT_EQ(m.run(load), kNoFault);
  EXPECT_EQ(decode_uop(m.sram.uop[1]).acc,
            static_cast<std::uint8_t>(m.memory.at(108)) | static_cast<std::uint8_t>(m.memory.at(109)) << 8);
}

TEST(Load, WindowIsCheckedToTheLastByte) {
  Executor m;
  MemoryInsn load;
  load.dram_offset = 996;
  EXPECT_EQ(m.run(load), kNoFault);
  load.dram_offset = 997;
  EXPECT_EQ(m.run(load), (Fault{ErrorCode::Window, 997}));
  load.dram_offset = 900;
  load.x_count = 3;
  load.x_dram_stride = 60;
  EXPECT_EQ(m.run(load), (Fault{ErrorCode::Window, 1020}));
}

TEST(Load, EntriesBeyondTheBufferAreFaults) {
  Executor m;
  MemoryInsn load;
  load.sram_base = 62;
  load.run = 3;
  EXPECT_EQ(m.run(load), (Fault{ErrorCode::SramBounds, 64}));
}

TEST(Load, NegativeStridesWrapInSram) {
  Executor m;
  MemoryInsn load;
  load.sram_base = 2;
  load.y_count = 3;
  load.y_sram_stride = 65535;
  load.y_dram_stride = 4;
  EXPECT_EQ(m.run(load), kNoFault);
  EXPECT_EQ(m.sram.inp[0], m.memory.at(2008));
  EXPECT_EQ(m.sram.inp[8], m.memory.at(2000));
}

TEST(Store, MirrorsLoad) {
  Executor m(tiny(2));
  for (std::size_t i = 0; i < m.sram.out.size(); ++i) m.sram.out[i] = static_cast<std::int8_t>(i);
  MemoryInsn store;
  store.opcode = Opcode::Store;
  store.buffer = Buffer::Out;
  store.sram_base = 2;
  store.x_count = 3;
  store.x_dram_stride = 16;
  store.run = 2;
  EXPECT_EQ(m.run(store), kNoFault);
  for (unsigned x = 0; x < 3; ++x)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned entry = 2 + x / 2 * 2 + i / 4;
      EXPECT_EQ(m.memory.at(2000 + x * 16 + i), static_cast<std::int8_t>(entry * 8 + x % 2 * 4 + i % 4));
    }
}

TEST(Store, BusAndWindowErrors) {
  Executor m;
  MemoryInsn store;
  store.opcode = Opcode::Store;
  store.buffer = Buffer::Out;
  store.window = Window::Output;
  store.dram_offset = 96;
  EXPECT_EQ(m.run(store), (Fault{ErrorCode::BusWrite, 4096}));
  store.dram_offset = 998;
  EXPECT_EQ(m.run(store), (Fault{ErrorCode::Window, 998}));
}

TEST(Gemm, StepIsAMatrixVectorProduct) {
  Executor m(tiny(2));
  std::mt19937 random(5);
  for (auto& v : m.sram.inp) v = static_cast<std::int8_t>(random());
  for (auto& v : m.sram.wgt) v = static_cast<std::int8_t>(random());
  for (auto& v : m.sram.acc) v = static_cast<std::int32_t>(random());
  const Sram before = m.sram;
  m.sram.uop[7] = encode_uop({1, 2, 3});
  GemmInsn gemm;
  gemm.uop_begin = 7;
  gemm.acc_base = 10;
  gemm.inp_base = 20;
  gemm.wgt_base = 30;
  EXPECT_EQ(m.run(gemm), kNoFault);
  for (unsigned b = 0; b < 2; ++b)
    for (unsigned n = 0; n < 4; ++n) {
      std::int32_t sum = 0;
      for (unsigned k = 0; k < 4; ++k)
        sum += before.inp[22 * 8 + b * 4 + k] * before.wgt[33 * 16 + n * 4 + k];
      const std::size_t at = 11 * 8 + b * 4 + n;
      EXPECT_EQ(m.sram.acc[at], wrap_add(before.acc[at], sum));
    }
  EXPECT_EQ(m.sram.acc[10 * 8], before.acc[10 * 8]);
}

/// A convolution of a 5x4 image of 8 channels by a 3x3 kernel to 4 channels: reduction over two levels and
/// the micro-ops.
TEST(Gemm, NestAndMicroOpsMakeAConvolution) {
  Executor m;
  std::mt19937 random(6);
  for (auto& v : m.sram.inp) v = static_cast<std::int8_t>(random());
  for (auto& v : m.sram.wgt) v = static_cast<std::int8_t>(random());
  for (auto& v : m.sram.acc) v = 12345;
  m.sram.uop[0] = encode_uop({0, 0, 0});
  m.sram.uop[1] = encode_uop({0, 1, 1});
  GemmInsn gemm;
  gemm.init = true;
  gemm.uop_count = 2;
  gemm.levels[1] = {3, 2, 8, 0};  // y: entries of a row of 4 pixels x 2 blocks
  gemm.levels[2] = {2, 1, 2, 0};  // x
  gemm.levels[3] = {3, 0, 8, 6};  // ky
  gemm.levels[4] = {3, 0, 2, 2};  // kx
  gemm.reduce_mask = 1u << 3 | 1u << 4 | 1u << kReduceUopBit;
  EXPECT_EQ(m.run(gemm), kNoFault);
  for (unsigned y = 0; y < 3; ++y)
    for (unsigned x = 0; x < 2; ++x)
      for (unsigned n = 0; n < 4; ++n) {
        std::int32_t sum = 0;
        for (unsigned ky = 0; ky < 3; ++ky)
          for (unsigned kx = 0; kx < 3; ++kx)
            for (unsigned c = 0; c < 8; ++c)
              sum += m.sram.inp[((y + ky) * 4 + x + kx) * 8 + c] *
                     m.sram.wgt[(((ky * 3 + kx) * 2 + c / 4) * 4 + n) * 4 + c % 4];
        EXPECT_EQ(m.sram.acc[(y * 2 + x) * 4 + n], sum);
      }
  EXPECT_EQ(m.sram.acc[6 * 4], 12345);
}

TEST(Gemm, IndicesBeyondTheBufferAreFaults) {
  Executor m;
  GemmInsn gemm;
  gemm.levels[4] = {5, 0, 20, 0};
  EXPECT_EQ(m.run(gemm), (Fault{ErrorCode::SramBounds, 80}));
  m.sram.uop[0] = encode_uop({65, 0, 0});
  EXPECT_EQ(m.run(gemm), (Fault{ErrorCode::SramBounds, 65}));
}

VectorInsn vector_insn(VectorOp op) {
  VectorInsn insn;
  insn.op = op;
  return insn;
}

TEST(Vector, ScaleIsTheRequantisationOfTheReferenceKernels) {
  Executor m;
  const std::int32_t bias[] = {7, -100, 0, 1 << 20};
  const QuantizedMultiplier q[] = {quantize_multiplier(0.0037), quantize_multiplier(1.5),
                                   quantize_multiplier(0.25), quantize_multiplier(1e-5)};
  for (unsigned n = 0; n < 4; ++n) {
    m.sram.par[n] = bias[n];
    m.sram.par[4 + n] = q[n].multiplier;
    m.sram.par[8 + n] = pack_shifts(q[n].left_shift(), q[n].right_shift());
    m.sram.acc[n] = 1000 * static_cast<std::int32_t>(n + 1);
  }
  VectorInsn insn = vector_insn(VectorOp::Scale);
  insn.b_kind = VectorB::Par;
  insn.dst_buffer = Buffer::Out;
  insn.out_zero = -5;
  insn.clamp_max = 100;
  EXPECT_EQ(m.run(insn), kNoFault);
  // round(1007 * 0.0037) - 5; 2850 clamped; 750 clamped; round(1052576 * 1e-5) - 5
  EXPECT_EQ(std::vector<std::int8_t>(m.sram.out.begin(), m.sram.out.begin() + 4),
            (std::vector<std::int8_t>{-1, 100, 100, 6}));
  const std::vector<std::int32_t> before(m.sram.acc.begin(), m.sram.acc.begin() + 4);
  insn.dst_buffer = Buffer::Acc;
  EXPECT_EQ(m.run(insn), kNoFault);
  for (unsigned n = 0; n < 4; ++n)
    EXPECT_EQ(m.sram.acc[n],
              multiply_by_quantized_multiplier(before[n] + bias[n], q[n].multiplier, q[n].shift));
}

TEST(Vector, ScaleAccumulatesWhenNotFirst) {
  Executor m;
  m.sram.par[4] = 1 << 30;
  m.sram.par[8] = pack_shifts(1, 0);
  m.sram.acc[0] = 40;
  m.sram.acc[4] = 2;
  VectorInsn insn = vector_insn(VectorOp::Scale);
  insn.b_kind = VectorB::Par;
  insn.init = false;
  insn.a_base = 1;
  insn.a_offset = 3;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 45);
}

/// TFLite's ADD in three instructions against its formula.
TEST(Vector, ThreeInstructionsMakeAQuantizedAdd) {
  Executor m;
  const double scale1 = 0.11, scale2 = 0.07, scale_out = 0.15;
  const int zero1 = 4, zero2 = -9, zero_out = 3;
  const double twice = 2 * std::max(scale1, scale2);
  const QuantizedMultiplier q1 = quantize_multiplier(scale1 / twice),
                            q2 = quantize_multiplier(scale2 / twice),
                            q3 = quantize_multiplier(twice / ((1 << 20) * scale_out));
  const QuantizedMultiplier qs[] = {q1, q2, q3};
  for (unsigned s = 0; s < 3; ++s)
    for (unsigned n = 0; n < 4; ++n) {
      m.sram.par[(3 * s + 1) * 4 + n] = qs[s].multiplier;
      const unsigned left = (s < 2 ? 20 : 0) + qs[s].left_shift();
      m.sram.par[(3 * s + 2) * 4 + n] = pack_shifts(left, qs[s].right_shift());
    }
  std::mt19937 random(8);
  for (unsigned i = 0; i < 4 * 30; ++i) m.sram.inp[i] = static_cast<std::int8_t>(random());
  for (unsigned i = 0; i < 4 * 30; ++i) m.sram.out[i] = static_cast<std::int8_t>(random());
  const Sram before = m.sram;
  VectorInsn one = vector_insn(VectorOp::Scale);
  one.b_kind = VectorB::Par;
  one.a_buffer = Buffer::Inp;
  one.a_offset = -zero1;
  one.levels[4] = {30, 1, 1, 0};
  VectorInsn two = one;
  two.a_buffer = Buffer::Out;
  two.a_offset = -zero2;
  two.b_base = 3;
  two.init = false;
  VectorInsn three = one;
  three.a_buffer = Buffer::Acc;
  three.dst_buffer = Buffer::Out;
  three.a_offset = 0;
  three.b_base = 6;
  three.out_zero = zero_out;
  for (const Insn& insn : {Insn(one), Insn(two), Insn(three)}) EXPECT_EQ(m.run(insn), kNoFault);
  for (unsigned i = 0; i < 4 * 30; ++i) {
    const std::int32_t a =
        multiply_by_quantized_multiplier((before.inp[i] - zero1) * (1 << 20), q1.multiplier, q1.shift);
    const std::int32_t b =
        multiply_by_quantized_multiplier((before.out[i] - zero2) * (1 << 20), q2.multiplier, q2.shift);
    const std::int32_t raw = multiply_by_quantized_multiplier(a + b, q3.multiplier, q3.shift) + zero_out;
    EXPECT_EQ(m.sram.out[i], std::clamp(raw, -128, 127));
    const double real = (before.inp[i] - zero1) * scale1 + (before.out[i] - zero2) * scale2;
    EXPECT_NEAR(m.sram.out[i], std::clamp(real / scale_out + zero_out, -128.0, 127.0), 1.0);
  }
}

TEST(Vector, MacAccumulatesOverTheReducedLevels) {
  Executor m;
  for (unsigned i = 0; i < 64 * 4; ++i) m.sram.inp[i] = static_cast<std::int8_t>(i % 23 - 11);
  for (unsigned i = 0; i < 9 * 4; ++i) m.sram.par[i] = static_cast<std::int32_t>(i % 7) - 3;
  VectorInsn insn = vector_insn(VectorOp::Mac);  // depthwise 3x3 over a 6x6 image, output 4x4
  insn.a_buffer = Buffer::Inp;
  insn.b_kind = VectorB::Par;
  insn.a_offset = 2;
  insn.levels[1] = {4, 4, 6, 0};
  insn.levels[2] = {4, 1, 1, 0};
  insn.levels[3] = {3, 0, 6, 3};
  insn.levels[4] = {3, 0, 1, 1};
  insn.reduce_mask = 1u << 3 | 1u << 4;
  EXPECT_EQ(m.run(insn), kNoFault);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x)
      for (unsigned n = 0; n < 4; ++n) {
        std::int32_t sum = 0;
        for (unsigned k = 0; k < 9; ++k)
          sum += (m.sram.inp[((y + k / 3) * 6 + x + k % 3) * 4 + n] + 2) * m.sram.par[k * 4 + n];
        EXPECT_EQ(m.sram.acc[(y * 4 + x) * 4 + n], sum);
      }
}

TEST(Vector, MaxAndMinStartWithTheOperandOrWithB) {
  Executor m;
  m.sram.acc[4] = -7;
  m.sram.acc[8] = 5;
  VectorInsn insn = vector_insn(VectorOp::Max);
  insn.a_base = 1;
  insn.levels[4] = {2, 0, 1, 0};
  insn.reduce_mask = 1u << 4;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 5);
  insn.op = VectorOp::Min;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], -7);
  insn.b_kind = VectorB::Imm;
  insn.imm = -20;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], -20);
  insn.op = VectorOp::Max;
  insn.imm = 6;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 6);
}

TEST(Vector, AddOfAllKindsOfB) {
  Executor m;
  m.sram.acc[4] = 100;
  m.sram.par[4 * 3] = 11;
  VectorInsn insn = vector_insn(VectorOp::Add);
  insn.a_base = 1;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 100);
  insn.init = false;
  insn.b_kind = VectorB::Imm;
  insn.imm = -1;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 199);
  insn.b_kind = VectorB::Par;
  insn.b_base = 3;
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[0], 310);
}

TEST(Vector, AvgDividesWithHalvesAwayFromZero) {
  Executor m;
  for (int count : {1, 2, 3, 9, 49, 64}) {
    const Reciprocal r = reciprocal_of(static_cast<std::uint32_t>(count));
    VectorInsn insn = vector_insn(VectorOp::Avg);
    insn.half = static_cast<std::uint16_t>(r.half);
    insn.imm = static_cast<std::int32_t>(r.multiplier);
    insn.shift = static_cast<std::uint8_t>(r.shift);
    insn.dst_buffer = Buffer::Out;
    for (int sum = -128 * count; sum <= 127 * count; sum += 1 + count / 9) {
      m.sram.acc[0] = sum;
      EXPECT_EQ(m.run(insn), kNoFault);
      const int expected = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
      ASSERT_EQ(m.sram.out[0], expected) << sum << " / " << count;
    }
  }
}

TEST(Vector, HsumAddsTheChannelsOfAnEntry) {
  Executor m;
  for (unsigned k = 0; k < 4; ++k) m.sram.inp[4 + k] = static_cast<std::int8_t>(10 * k - 3);
  VectorInsn insn = vector_insn(VectorOp::Hsum);
  insn.a_buffer = Buffer::Inp;
  insn.a_base = 1;
  insn.a_offset = 2;
  insn.b_kind = VectorB::Imm;
  insn.imm = -3;
  EXPECT_EQ(m.run(insn), kNoFault);
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(m.sram.acc[n], -3 * (48 + 2));
  insn.dst_buffer = Buffer::Inp;
  insn.dst_base = 1;
  insn.b_kind = VectorB::None;
  EXPECT_EQ(m.run(insn), kNoFault);
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(m.sram.inp[4 + n], 50);
}

TEST(Vector, StepsSeeWhatEarlierStepsWrote) {
  Executor m;
  m.sram.acc[0] = 1;
  VectorInsn insn = vector_insn(VectorOp::Add);  // acc[i + 1] = 2 * acc[i], as a chain
  insn.op = VectorOp::Mac;
  insn.b_kind = VectorB::Imm;
  insn.imm = 2;
  insn.dst_base = 1;
  insn.levels[4] = {8, 1, 1, 0};
  EXPECT_EQ(m.run(insn), kNoFault);
  EXPECT_EQ(m.sram.acc[8 * 4], 256);
}

TEST(Vector, IndicesBeyondTheBufferAreFaultsInOrder) {
  Executor m;
  VectorInsn insn = vector_insn(VectorOp::Add);
  insn.levels[4] = {2, 70, 80, 0};
  EXPECT_EQ(m.run(insn), (Fault{ErrorCode::SramBounds, 70}));
  insn.levels[4] = {2, 1, 80, 0};
  EXPECT_EQ(m.run(insn), (Fault{ErrorCode::SramBounds, 80}));
  insn = vector_insn(VectorOp::Scale);
  insn.b_kind = VectorB::Par;
  insn.levels[4] = {2, 1, 1, 62};
  EXPECT_EQ(m.run(insn), (Fault{ErrorCode::SramBounds, 64}));
}

}  // namespace
}  // namespace vdla::isa
