// SPDX-License-Identifier: Apache-2.0
// Every kernel of the functional engine against isa/semantics: random legal instructions, all flags, all
// geometries, all instruction sets of this host.
#include <gmock/gmock.h>

#include <random>

#include "isa/codec/codec.h"
#include "isa/semantics/execute.h"
#include "isa/spec/operations.h"
#include "sim/functional/core.h"
#include "sim/functional/move.h"
#include "sim/functional/vector.h"

namespace vdla::sim {
namespace {

struct Setup {
  std::string name;
  isa::Geometry geometry;
  Simd simd;
};

isa::Geometry small(unsigned batch, unsigned block_in, unsigned block_out) {
  isa::Geometry g;
  g.batch = batch;
  g.block_in = block_in;
  g.block_out = block_out;
  g.inp_depth = 64;
  g.wgt_depth = 32;
  g.acc_depth = 64;
  g.out_depth = 32;
  g.par_depth = 32;
  g.uop_depth = 32;
  return g;
}

std::vector<Setup> setups() {
  std::vector<Setup> all;
  for (const Simd simd : available_simd())
    for (const auto& [b, k, n] : {std::array{1u, 16u, 16u},
                                  {1u, 4u, 4u},
                                  {2u, 16u, 16u},
                                  {1u, 32u, 32u},
                                  {4u, 8u, 8u},
                                  {2u, 4u, 16u},
                                  {1u, 64u, 8u},
                                  {1u, 8u, 64u}})
      all.push_back({"b" + std::to_string(b) + "k" + std::to_string(k) + "n" + std::to_string(n) + "_simd" +
                         std::to_string(static_cast<int>(simd)),
                     small(b, k, n), simd});
  return all;
}

class Kernels : public testing::TestWithParam<Setup> {
 protected:
  static constexpr std::uint64_t kBytes = 1 << 16;

  Kernels()
      : core_memory_(kBytes),
        reference_memory_(kBytes),
        core_(GetParam().geometry, core_memory_, GetParam().simd),
        reference_(GetParam().geometry) {
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      windows_[w] = {kMemoryBase + w * (kBytes / 8), kBytes / 8};
    std::vector<std::byte> bytes(kBytes);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_());
    core_memory_.write(kMemoryBase, bytes);
    reference_memory_.write(kMemoryBase, bytes);
  }

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  /// Mostly small, sometimes backwards, sometimes anything.
  std::uint16_t stride() {
    const unsigned kind = below(40);
    return static_cast<std::uint16_t>(kind == 0 ? random_() : kind < 6 ? 0x10000u - below(3) : below(3));
  }
  std::uint16_t count() { return static_cast<std::uint16_t>(1 + below(below(3) == 0 ? 4 : 2)); }
  /// Mostly in the middle of a buffer.
  std::uint16_t base(unsigned depth) {
    return static_cast<std::uint16_t>(below(4) == 0 ? below(depth) : depth / 4 + below(depth / 4));
  }

  isa::MemoryInsn load() {
    const isa::Geometry& g = GetParam().geometry;
    isa::MemoryInsn i;
    constexpr std::array kBuffers{isa::Buffer::Inp, isa::Buffer::Wgt, isa::Buffer::Out, isa::Buffer::Par,
                                  isa::Buffer::Uop};
    i.buffer = kBuffers[below(4 + (below(10) == 0))];
    i.window = static_cast<isa::Window>(1 + below(7));
    i.widen = i.buffer == isa::Buffer::Par && below(2) == 0;
    i.pad_value = static_cast<std::int8_t>(random_());
    i.run = static_cast<std::uint16_t>(1 + below(3));
    i.x_count = static_cast<std::uint16_t>(below(5));
    i.y_count = static_cast<std::uint16_t>(below(4));
    i.z_count = static_cast<std::uint16_t>(1 + below(2));
    i.x_pad_before = static_cast<std::uint16_t>(below(3));
    i.x_pad_after = static_cast<std::uint16_t>(below(3));
    i.y_pad_before = static_cast<std::uint16_t>(below(2));
    i.y_pad_after = static_cast<std::uint16_t>(below(2));
    if (i.x_total() == 0) i.x_count = 1;
    if (i.y_total() == 0) i.y_count = 1;
    i.sram_base = base(g.depth(i.buffer));
    i.dram_offset = below(1000);
    i.x_dram_stride = below(2) == 0 ? i.run * isa::piece_bytes(i, g) : below(300);
    i.y_dram_stride = below(600);
    i.z_dram_stride = below(1000);
    i.y_sram_stride = stride();
    i.z_sram_stride = stride();
    return i;
  }

  isa::MemoryInsn store() {
    isa::MemoryInsn i = load();
    i.opcode = isa::Opcode::Store;
    i.buffer = isa::Buffer::Out;
    i.window =
        std::array{isa::Window::Act, isa::Window::Output, isa::Window::Spare0, isa::Window::Spare1}[below(4)];
    i.widen = false;
    i.pad_value = 0;
    i.x_pad_before = i.x_pad_after = i.y_pad_before = i.y_pad_after = 0;
    i.x_count = std::max<std::uint16_t>(i.x_count, 1);
    i.y_count = std::max<std::uint16_t>(i.y_count, 1);
    i.sram_base = base(GetParam().geometry.out_depth);
    return i;
  }

  isa::GemmInsn gemm() {
    const isa::Geometry& g = GetParam().geometry;
    isa::GemmInsn i;
    i.init = below(2) == 0;
    i.reduce_mask = static_cast<std::uint8_t>(below(64));
    i.uop_count = static_cast<std::uint16_t>(1 + below(5));
    i.uop_begin = static_cast<std::uint16_t>(below(g.uop_depth - i.uop_count + 1u));
    i.acc_base = base(g.acc_depth);
    i.inp_base = base(g.inp_depth);
    i.wgt_base = base(g.wgt_depth);
    for (isa::GemmLevel& l : i.levels) l = {count(), stride(), stride(), stride()};
    return i;
  }

  isa::VectorInsn vector() {
    const isa::Geometry& g = GetParam().geometry;
    isa::VectorInsn i;
    const isa::Operation& row = isa::kOperations[below(isa::kOperations.size())];
    i.op = row.op;
    constexpr std::array kBuffers{isa::Buffer::Acc, isa::Buffer::Inp, isa::Buffer::Out};
    i.dst_buffer = kBuffers[below(3)];
    i.a_buffer = row.a == isa::OperandA::Row ? isa::Buffer::Inp : kBuffers[below(3)];
    i.b_kind = row.b.only().value_or(static_cast<isa::VectorB>(below(3)));
    if (row.fields.contains("shift")) i.shift = static_cast<std::uint8_t>(below(64));
    if (row.fields.contains("half")) i.half = static_cast<std::uint16_t>(random_());
    i.init = i.dst_buffer != isa::Buffer::Acc || below(2) == 0;
    i.reduce_mask = static_cast<std::uint8_t>(i.dst_buffer != isa::Buffer::Acc ? 0 : below(32));
    i.dst_base = base(g.depth(i.dst_buffer));
    i.a_base = base(g.depth(i.a_buffer));
    i.b_base = base(g.par_depth);
    i.a_offset = static_cast<std::int16_t>(random_());
    i.imm = static_cast<std::int32_t>(random_());
    i.out_zero = static_cast<std::int16_t>(below(2) == 0 ? random_() : below(256) - 128);
    i.clamp_min = static_cast<std::int8_t>(-static_cast<int>(below(129)));
    i.clamp_max = static_cast<std::int8_t>(below(128));
    for (isa::VectorLevel& l : i.levels) l = {count(), stride(), stride(), stride()};
    return i;
  }

  /// Fills the buffers with whatever memory holds; multipliers and accumulators get all their bits this way.
  void fill() {
    const isa::Geometry& g = GetParam().geometry;
    for (const isa::Buffer buffer :
         {isa::Buffer::Inp, isa::Buffer::Wgt, isa::Buffer::Out, isa::Buffer::Par}) {
      for (unsigned e = 0; e < g.depth(buffer); ++e) {
        isa::MemoryInsn i;
        i.buffer = buffer;
        i.x_count = static_cast<std::uint16_t>(g.rows(buffer));
        i.x_dram_stride = g.piece_bytes(buffer);
        i.sram_base = static_cast<std::uint16_t>(e);
        i.dram_offset = below(3000);
        run(i);
      }
    }
    small_uops();
  }

  /// Micro-ops with small fields, so that most gemms stay inside.
  void small_uops() {
    const isa::Geometry& g = GetParam().geometry;
    for (unsigned u = 0; u < g.uop_depth; ++u) {
      const auto field = [&] { return static_cast<std::uint16_t>(below(4)); };
      const isa::Uop uop{field(), field(), field()};
      const auto bytes = isa::encode_uops({&uop, 1});
      core_memory_.write(windows_[1].base, bytes);
      reference_memory_.write(windows_[1].base, bytes);
      isa::MemoryInsn i;
      i.buffer = isa::Buffer::Uop;
      i.window = isa::Window::Uop;
      i.sram_base = static_cast<std::uint16_t>(u);
      run(i);
    }
  }

  void run(const isa::Insn& insn) {
    if (isa::find_broken_rule(insn, GetParam().geometry) != nullptr) return;
    BusMemory bus(reference_memory_);
    const auto expected = isa::execute(insn, reference_, windows_, bus);
    const auto got = core_.execute(insn, windows_);
    ASSERT_EQ(got, expected);
    (expected ? faults_ : completed_) += 1;
    ASSERT_TRUE(core_.sram() == reference_) << "opcode " << static_cast<int>(isa::opcode_of(insn));
  }

  void compare_memory() {
    std::vector<std::byte> a(kBytes), b(kBytes);
    core_memory_.read(kMemoryBase, a);
    reference_memory_.read(kMemoryBase, b);
    ASSERT_TRUE(a == b);
  }

  std::mt19937 random_{7};
  Memory core_memory_, reference_memory_;
  Core core_;
  isa::Sram reference_;
  isa::Windows windows_{};
  int faults_ = 0, completed_ = 0;
};

TEST_P(Kernels, PropertyEqualSemantics) {
  fill();
  completed_ = 0;
  std::array<int, 4> done{};
  for (int round = 0; round < 3000 && !HasFatalFailure(); ++round) {
    const int before = completed_;
    const unsigned kind = below(4);
    switch (kind) {
      case 0:
        run(load());
        break;
      case 1:
        run(store());
        break;
      case 2:
        run(gemm());
        break;
      default:
        run(vector());
        break;
    }
    done[kind] += completed_ - before;
    if (round % 500 == 0) compare_memory();
    if (round % 50 == 0) small_uops();
  }
  compare_memory();
  for (const int n : done) EXPECT_GT(n, 150);
  EXPECT_GT(faults_, 50);
}

/// Both made pointers outside of what they point into; the sanitizers name them.
TEST(Move, OfPaddingAloneAndFromAWindowThatBeginsOutsideOfMemory) {
  Memory memory(4096);
  const std::vector<std::byte> data(16, std::byte{5});
  memory.write(memory.base(), data);
  isa::Sram sram(small(1, 16, 16));
  isa::Windows windows{};
  isa::MemoryInsn insn;
  insn.buffer = isa::Buffer::Inp;
  insn.window = isa::Window::Input;
  insn.x_count = 0;
  insn.x_pad_before = 2;
  insn.pad_value = 7;
  EXPECT_EQ(run_move(insn, sram, windows, memory), std::nullopt);
  EXPECT_EQ(sram.inp[31], 7);
  insn.x_count = 1;
  insn.x_pad_before = 0;
  insn.dram_offset = 64;
  windows[static_cast<unsigned>(isa::Window::Input)] = {memory.base() - 64, 80};
  EXPECT_EQ(run_move(insn, sram, windows, memory), std::nullopt);
  EXPECT_EQ(sram.inp[15], 5);
  EXPECT_EQ(sram.inp[16], 7);
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(setups()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace vdla::sim
