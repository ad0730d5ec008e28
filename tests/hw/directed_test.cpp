// SPDX-License-Identifier: Apache-2.0
// Each opcode with each of its flags on extreme values, one instruction at a time, against isa/semantics.
// SRAM is seen through DRAM alone: results in inp, par and acc are moved to out by vector instructions and
// stored.
#include <gtest/gtest.h>

#include <random>

#include "isa/semantics/execute.h"
#include "isa/spec/operations.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/rtl/engine.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/program.h"

namespace vdla::sim {
namespace {

using isa::Buffer;
using isa::VectorB;
using isa::VectorInsn;
using isa::VectorOp;
using isa::Window;

constexpr std::uint64_t kDirectedMemory = 16 << 20;
constexpr unsigned kEntries = 16;  ///< of each buffer that the tests use

class ModelMemory final : public isa::Memory {
 public:
  bool read(std::uint64_t address, std::span<std::byte> bytes) override {
    std::copy_n(at(address), bytes.size(), bytes.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, at(address));
    return true;
  }
  std::vector<std::byte>::iterator at(std::uint64_t address) {
    return bytes_.begin() + static_cast<std::ptrdiff_t>(address - kMemoryBase);
  }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kDirectedMemory);
};

/// The machine and its model, given the same instructions one by one.
class Pair {
 public:
  explicit Pair(const std::string& variant)
      : variant_(isa::load_variant(variant)),
        engine_(make_rtl_engine(variant_, kDirectedMemory, built_rtl(RtlBuild::Check))),
        bench_(*engine_),
        sram_(variant_.geometry) {
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      windows_[w] = {Bench::window_base(w), Bench::kWindowBytes};
  }

  const isa::Geometry& geometry() const { return variant_.geometry; }

  template <class T>
  void put(Window w, const std::vector<T>& values) {
    bench_.put(w, 0, values);
    memory_.write(Bench::window_base(w), std::as_bytes(std::span(values)));
  }

  void run(const isa::Insn& insn) {
    ASSERT_EQ(bench_.run({insn, isa::FinishInsn{}}), Stop::Interrupt);
    ASSERT_EQ(bench_.reg(isa::Register::ERROR_CODE), 0u);
    ASSERT_FALSE(isa::execute(insn, sram_, windows_, memory_));
  }

  /// Whether the whole window `output` is the same.
  void compare_output() {
    const auto seen = bench_.get<std::byte>(Window::Output, 0, 1 << 16);
    const auto begin = memory_.at(Bench::window_base(Window::Output));
    const auto wrong = std::ranges::mismatch(seen, std::span(begin, 1 << 16)).in1;
    ASSERT_EQ(wrong - seen.begin(), static_cast<std::ptrdiff_t>(seen.size())) << "first byte that differs";
  }

  /// Stores out, then acc as four views of eight bits each (par entries `view`.. hold bias, multiplier and
  /// shifts of each), then inp.
  void observe(unsigned view) {
    run(store_insn(Window::Output, 0, 0, kEntries));
    const unsigned bytes = kEntries * geometry().entry_bytes(Buffer::Out);
    for (unsigned i = 0; i < 4; ++i) {
      VectorInsn scale;
      scale.op = VectorOp::Scale;
      scale.dst_buffer = Buffer::Out;
      scale.dst_base = scale.a_base = 0;
      scale.b_kind = VectorB::Par;
      scale.b_base = static_cast<std::uint16_t>(view + 3 * i);
      scale.init = true;
      scale.clamp_min = -128;
      scale.clamp_max = 127;
      scale.levels[4] = {kEntries, 1, 1, 0};
      run(scale);
      run(store_insn(Window::Output, 0, (i + 1) * bytes, kEntries));
    }
    VectorInsn copy;
    copy.op = VectorOp::Add;
    copy.dst_buffer = Buffer::Out;
    copy.a_buffer = Buffer::Inp;
    copy.init = true;
    copy.clamp_min = -128;
    copy.clamp_max = 127;
    copy.levels[4] = {kEntries, 1, 1, 0};
    run(copy);
    run(store_insn(Window::Output, 0, 5 * bytes, kEntries));
    compare_output();
  }

  Bench& bench() { return bench_; }

 private:
  isa::Variant variant_;
  std::unique_ptr<Engine> engine_;
  Bench bench_;
  isa::Sram sram_;
  isa::Windows windows_{};
  ModelMemory memory_;
};

class Directed : public testing::TestWithParam<std::string> {
 protected:
  Directed() : pair_(GetParam()), n_(pair_.geometry().block_out) {}

  std::int32_t extreme() {
    static constexpr std::int32_t kValues[] = {INT32_MIN, INT32_MIN + 1, -1 << 30, -129, -1, 0, 1, 127, 128,
                                               1 << 30,   INT32_MAX - 1, INT32_MAX};
    const auto r = random_();
    return r % 3 == 0 ? static_cast<std::int32_t>(random_()) : kValues[r / 3 % std::size(kValues)];
  }

  /// inp, out: random bytes with extremes. par: views in 0..11, then triples of extreme parameters. acc:
  /// extremes.
  void fill() {
    std::vector<std::int8_t> bytes(kEntries * pair_.geometry().entry_bytes(Buffer::Inp));
    for (auto& b : bytes) b = static_cast<std::int8_t>(random_() % 8 == 0 ? -128 : random_());
    pair_.put(Window::Input, bytes);
    pair_.run(load_insn(Buffer::Inp, Window::Input, 0, 0, kEntries));
    pair_.run(load_insn(Buffer::Out, Window::Input, 0, 0, kEntries));
    std::vector<std::int32_t> par;
    for (unsigned i = 0; i < 4; ++i)
      for (std::int32_t v : {0, 1 << 30, isa::pack_shifts(8 * i, 23)}) par.insert(par.end(), n_, v);
    for (unsigned i = 0; i < 12 * n_; ++i) par.push_back(extreme());
    pair_.put(Window::Const, par);
    pair_.run(load_insn(Buffer::Par, Window::Const, 0, 0, 24));
    VectorInsn add = base(VectorOp::Add);
    add.a_buffer = Buffer::Acc;
    add.op = VectorOp::Mac;  // acc = x * 0, whatever was there
    add.b_kind = VectorB::Imm;
    add.imm = 0;
    pair_.run(add);
    add.op = VectorOp::Add;
    add.b_kind = VectorB::Par;
    add.b_base = 12;
    add.levels[4] = {12, 1, 0, 1};
    pair_.run(add);
  }

  VectorInsn base(VectorOp op) const {
    VectorInsn v;
    v.op = op;
    v.init = true;
    v.levels[4] = {kEntries, 1, 1, 0};
    v.clamp_min = -128;
    v.clamp_max = 127;
    return v;
  }

  /// Every combination of buffers and operand b for an operation, with random immediates.
  void sweep(VectorOp op);

  std::mt19937 random_{7};
  Pair pair_;
  unsigned n_;
};

void Directed::sweep(VectorOp op) {
  const isa::OwnFields fields = isa::operation_of(op).fields;
  for (const Buffer dst : {Buffer::Acc, Buffer::Inp, Buffer::Out}) {
    for (const Buffer a : {Buffer::Acc, Buffer::Inp, Buffer::Out}) {
      for (const VectorB b : {VectorB::None, VectorB::Par, VectorB::Imm}) {
        for (const bool reduce : {false, true}) {
          VectorInsn v = base(op);
          v.dst_buffer = dst;
          v.a_buffer = a;
          v.b_kind = b;
          v.b_base = 12;
          v.levels[3] = {3, 1, 2, 3};
          v.levels[4] = {5, static_cast<std::uint16_t>(reduce ? 0 : 2), 1, 0};
          if (reduce) v.reduce_mask = 1 << 4;
          v.init = dst != Buffer::Acc || reduce || random_() % 2 == 0;
          v.a_offset = static_cast<std::int16_t>(random_());
          v.imm = extreme();
          v.half = static_cast<std::uint16_t>(fields.contains("half") ? random_() : 0);
          v.shift = static_cast<std::uint8_t>(fields.contains("shift") ? random_() % 64 : 0);
          v.out_zero = static_cast<std::int16_t>(dst == Buffer::Acc ? 0 : random_());
          v.clamp_min = -100;
          v.clamp_max = 90;
          if (isa::find_broken_rule(isa::encode(v), pair_.geometry()) != nullptr) continue;
          fill();
          SCOPED_TRACE(std::string(isa::to_string(op)) + " dst " + std::string(isa::to_string(dst)) + " a " +
                       std::string(isa::to_string(a)) + " b " + std::string(isa::to_string(b)) +
                       (reduce ? " reduce" : ""));
          ASSERT_NO_FATAL_FAILURE(pair_.run(v));
          ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
        }
      }
    }
  }
}

TEST_P(Directed, EveryVectorOperation) {
  for (const isa::NamedCode& op : isa::kVectorOps) sweep(static_cast<VectorOp>(op.code));
}

TEST_P(Directed, AStepReadsWhatTheOneBeforeWrote) {
  for (const Buffer buffer : {Buffer::Acc, Buffer::Inp, Buffer::Out}) {
    for (unsigned distance = 1; distance < 12; ++distance) {
      fill();
      VectorInsn v = base(VectorOp::Add);
      v.dst_buffer = v.a_buffer = buffer;
      v.dst_base = static_cast<std::uint16_t>(distance);
      v.levels[4] = {static_cast<std::uint16_t>(kEntries - distance), 1, 1, 0};
      v.a_offset = 1;
      SCOPED_TRACE(distance);
      ASSERT_NO_FATAL_FAILURE(pair_.run(v));
      ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
    }
  }
}

TEST_P(Directed, GemmOverEveryLevelAndReduction) {
  std::vector<std::int8_t> weights(kEntries * pair_.geometry().entry_bytes(Buffer::Wgt));
  for (auto& w : weights) w = static_cast<std::int8_t>(random_() % 4 == 0 ? -128 : random_());
  std::vector<std::uint64_t> uops;
  for (unsigned i = 0; i < kEntries; ++i)
    uops.push_back(i % 3 | std::uint64_t{i % 4} << 16 | std::uint64_t{i % 5} << 32);
  for (unsigned mask = 0; mask < 64; ++mask) {
    fill();
    pair_.put(Window::Const, weights);
    pair_.run(load_insn(Buffer::Wgt, Window::Const, 0, 0, kEntries));
    pair_.put(Window::Uop, uops);
    pair_.run(load_insn(Buffer::Uop, Window::Uop, 0, 0, kEntries));
    isa::GemmInsn g;
    g.init = mask % 5 != 4;
    g.reduce_mask = static_cast<std::uint8_t>(mask);
    g.uop_begin = 3;
    g.uop_count = 4;
    g.levels = {isa::GemmLevel{2, 1, 1, 0}, {1, 3, 3, 3}, {3, 2, 0, 2}, {2, 0, 3, 1}, {2, 1, 2, 3}};
    SCOPED_TRACE(mask);
    ASSERT_NO_FATAL_FAILURE(pair_.run(g));
    ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
  }
}

TEST_P(Directed, GemmAccumulatesIntoTheSameEntryInEveryCycle) {
  std::vector<std::int8_t> weights(kEntries * pair_.geometry().entry_bytes(Buffer::Wgt));
  for (auto& w : weights) w = static_cast<std::int8_t>(random_());
  for (unsigned distance = 1; distance < 5; ++distance) {
    fill();
    pair_.put(Window::Const, weights);
    pair_.run(load_insn(Buffer::Wgt, Window::Const, 0, 0, kEntries));
    pair_.put(Window::Uop, std::vector<std::uint64_t>{0});
    pair_.run(load_insn(Buffer::Uop, Window::Uop, 0, 0, 1));
    isa::GemmInsn g;
    g.levels[3] = {7, 0, 1, 2};
    g.levels[4] = {static_cast<std::uint16_t>(distance), 1, 1, 1};
    SCOPED_TRACE(distance);
    ASSERT_NO_FATAL_FAILURE(pair_.run(g));
    ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
  }
}

TEST_P(Directed, LoadsAndStoresOfEveryAlignment) {
  for (unsigned offset = 0; offset < 8; ++offset) {
    for (unsigned run = 1; run < 4; ++run) {
      fill();
      isa::MemoryInsn load = load_insn(Buffer::Out, Window::Input, 0, offset, run);
      load.x_count = 2;
      load.y_count = 2;
      load.x_dram_stride = run * n_ + offset;
      load.y_dram_stride = 5 * n_ + 1;
      load.y_sram_stride = static_cast<std::uint16_t>(3 * run);
      load.x_pad_before = 1;
      load.y_pad_after = offset % 2;
      load.pad_value = -7;
      if (3 * run * 3 > kEntries) load.y_pad_after = 0;
      if (6 * run > kEntries) load.y_count = 1;
      isa::MemoryInsn store = store_insn(Window::Output, 1, 40'000 + 7 * offset, run);
      store.x_count = 3;
      store.x_dram_stride = run * n_ + (offset + run) % 4;
      SCOPED_TRACE(offset * 10 + run);
      ASSERT_NO_FATAL_FAILURE(pair_.run(load));
      ASSERT_NO_FATAL_FAILURE(pair_.run(store));
      ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
    }
  }
}

/// Runs that lie a multiple of 256 bytes apart end and begin at the same place of a burst; they still must
/// not join.
TEST_P(Directed, RunsThatDifferOnlyInHighAddressBitsStayApart) {
  std::vector<std::int8_t> data(32 << 10);
  for (auto& b : data) b = static_cast<std::int8_t>(random_());
  for (const unsigned apart : {256u, 512u, 4096u}) {
    fill();
    pair_.put(Window::Input, data);
    isa::MemoryInsn load = load_insn(Buffer::Out, Window::Input, 0, 8, 2);
    load.x_count = 4;
    load.x_dram_stride = 2 * n_ + apart;
    isa::MemoryInsn store = store_insn(Window::Output, 0, 40'008, 2);
    store.x_count = 4;
    store.x_dram_stride = 2 * n_ + apart;
    SCOPED_TRACE(apart);
    ASSERT_NO_FATAL_FAILURE(pair_.run(load));
    ASSERT_NO_FATAL_FAILURE(pair_.run(store));
    ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
  }
}

TEST_P(Directed, WidenedParametersAndTheirPadding) {
  std::vector<std::int8_t> bytes(16 * n_);
  for (auto& b : bytes) b = static_cast<std::int8_t>(random_());
  for (unsigned pad = 0; pad < 3; ++pad) {
    fill();
    pair_.put(Window::Const, bytes);
    isa::MemoryInsn load = load_insn(Buffer::Par, Window::Const, 12, 3, 2);
    load.widen = true;
    load.x_count = 3;
    load.x_pad_before = static_cast<std::uint16_t>(pad);
    load.x_dram_stride = 2 * n_ + 1;
    load.pad_value = -77;
    pair_.run(load);
    VectorInsn copy = base(VectorOp::Mac);
    copy.a_buffer = Buffer::Inp;
    copy.b_kind = VectorB::Par;
    copy.b_base = 12;
    copy.levels[4] = {10, 1, 0, 1};
    pair_.run(copy);
    ASSERT_NO_FATAL_FAILURE(pair_.observe(0));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Directed, testing::Values("tiny", "paper"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vdla::sim
