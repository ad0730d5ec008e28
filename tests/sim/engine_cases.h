// SPDX-License-Identifier: Apache-2.0
// What every engine must do, whatever its timing: one list of cases that each engine's test instantiates with
// its factory.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <random>

#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "isa/spec/operations.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "sim/memory.h"
#include "tests/sim/program.h"

namespace vdla::sim {

using EngineOverMemory = std::function<std::unique_ptr<Engine>(const isa::Variant&, Memory)>;

class EngineCases : public testing::TestWithParam<EngineOverMemory> {
 protected:
  EngineCases() : engine_(GetParam()(isa::load_variant("tiny"), 16 << 20)), bench_(*engine_) {}

  unsigned block() const { return engine_->variant().geometry.block_out; }

  /// out = clamp(inp * wgt), one entry, the tokens that it needs.
  std::vector<isa::Insn> dense(std::uint32_t sequence = 1) const {
    isa::GemmInsn gemm;
    gemm.init = true;
    gemm.pop = kToLoad;
    gemm.push = kToVector;
    isa::VectorInsn copy;
    copy.dst_buffer = isa::Buffer::Out;
    copy.pop = kToGemm;
    copy.push = kToStore;
    isa::FinishInsn finish;
    finish.sequence = sequence;
    return {load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 1),
            load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1),
            load_insn(isa::Buffer::Wgt, isa::Window::Const, 0, 0, 1, 0, kToGemm),
            gemm,
            copy,
            store_insn(isa::Window::Output, 0, 0, 1, kToVector),
            finish};
  }

  /// Puts operands of dense() into memory and returns what it computes.
  std::vector<std::int8_t> put_dense(unsigned seed = 1) {
    std::mt19937 random(seed);
    const unsigned n = block();
    std::vector<std::int8_t> inp(n), wgt(n * n), expected;
    for (auto& v : inp) v = static_cast<std::int8_t>(random() % 11) - 5;
    for (auto& v : wgt) v = static_cast<std::int8_t>(random() % 11) - 5;
    for (unsigned o = 0; o < n; ++o) {
      int sum = 0;
      for (unsigned k = 0; k < n; ++k) sum += inp[k] * wgt[o * n + k];
      expected.push_back(static_cast<std::int8_t>(std::clamp(sum, -128, 127)));
    }
    bench_.put(isa::Window::Input, 0, inp);
    bench_.put(isa::Window::Const, 0, wgt);
    bench_.put(isa::Window::Uop, 0, std::vector<std::uint64_t>{0});
    return expected;
  }

  void expect_error(isa::ErrorCode code, isa::Unit unit, std::uint32_t insn, std::uint64_t address) {
    EXPECT_EQ(bench_.reg(isa::Register::STATUS) & (isa::kStatusError | isa::kStatusDone), isa::kStatusError);
    EXPECT_EQ(bench_.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(code));
    EXPECT_EQ(bench_.reg(isa::Register::ERROR_UNIT), static_cast<unsigned>(unit));
    EXPECT_EQ(bench_.reg(isa::Register::ERROR_INSN), insn);
    EXPECT_EQ(bench_.reg(isa::Register::ERROR_ADDR_LO) |
                  std::uint64_t{bench_.reg(isa::Register::ERROR_ADDR_HI)} << 32,
              address);
    EXPECT_EQ(bench_.reg(isa::Register::IRQ_STATUS), isa::kIrqError);
  }

  std::unique_ptr<Engine> engine_;
  Bench bench_;
};

TEST_P(EngineCases, IdentifiesItself) {
  EXPECT_EQ(bench_.reg(isa::Register::MAGIC), isa::kMagic);
  EXPECT_EQ(bench_.reg(isa::Register::ISA_VERSION), isa::kIsaVersion);
  const std::uint64_t hash = isa::geometry_hash(engine_->variant().geometry);
  EXPECT_EQ(bench_.reg(isa::Register::GEOMETRY_HASH_LO), static_cast<std::uint32_t>(hash));
  EXPECT_EQ(bench_.reg(isa::Register::GEOMETRY_HASH_HI), static_cast<std::uint32_t>(hash >> 32));
  EXPECT_EQ(bench_.reg(isa::Register::BUILD_ID), isa::kSimulatedBuild);
  EXPECT_EQ(bench_.reg(isa::Register::CLOCK_KHZ), 0u);
  EXPECT_EQ(bench_.reg(isa::Register::ADDRESS_BITS), 64u);
  for (std::size_t i = 0; i < isa::kGeometryFields.size(); ++i)
    EXPECT_EQ(bench_.reg(isa::geometry_register(i)),
              engine_->variant().geometry.*isa::kGeometryFields[i].member)
        << isa::kGeometryFields[i].name;
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle);
  EXPECT_EQ(engine_->read_register(0x1fc), 0u);
}

TEST_P(EngineCases, RunsADenseLayerAndRaisesTheInterrupt) {
  const auto expected = put_dense();
  EXPECT_FALSE(engine_->interrupt());
  EXPECT_EQ(bench_.run(dense(77)), Stop::Interrupt);
  EXPECT_TRUE(engine_->interrupt());
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
  EXPECT_EQ(bench_.reg(isa::Register::SEQUENCE), 77u);
  EXPECT_EQ(bench_.get<std::int8_t>(isa::Window::Output, 0, block()), expected);
  EXPECT_EQ(bench_.cycles() > 0, engine_->name() != "functional");
  EXPECT_EQ(bench_.reg(isa::Register::WRITE_BYTES_LO) % block(), 0u);
  engine_->write_register(at(isa::Register::IRQ_STATUS), isa::kIrqDone);
  EXPECT_FALSE(engine_->interrupt());
}

/// As on a host that shares its memory: anywhere, in pieces, read and written in place.
TEST_P(EngineCases, RunsInSegmentsAtAnyAddress) {
  const auto expected = put_dense();
  bench_.run(dense());
  std::vector<std::vector<std::byte>> held(4, std::vector<std::byte>(kSegmentBytes));
  constexpr std::uint64_t kCode = 0, kData = 0xffff'f000, kMore = kData + kSegmentBytes, kFar = 1ull << 40;
  const auto engine = GetParam()(
      engine_->variant(), Memory({{kFar, held[3]}, {kMore, held[2]}, {kCode, held[0]}, {kData, held[1]}}));
  Bench bench(*engine);
  const std::vector<isa::Insn> stream = dense();
  const auto put = [&](isa::Window w, std::uint64_t base, auto&& values) {
    engine->write_memory(base, std::as_bytes(std::span(values)));
    bench.set_window(static_cast<unsigned>(w), base, 1024);
  };
  const unsigned n = block();
  put(isa::Window::Insn, kCode, isa::encode_stream(stream));
  put(isa::Window::Input, kData, bench_.get<std::int8_t>(isa::Window::Input, 0, n));
  // One half of the weights in the one segment, the other half in the next.
  put(isa::Window::Const, kMore - n * n / 2, bench_.get<std::int8_t>(isa::Window::Const, 0, n * n));
  put(isa::Window::Uop, kFar, bench_.get<std::uint64_t>(isa::Window::Uop, 0, 1));
  bench.set_window(static_cast<unsigned>(isa::Window::Output), kFar + 64, 1024);
  bench.start_words(static_cast<std::uint32_t>(stream.size()));
  ASSERT_EQ(engine->run(100'000), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
  std::vector<std::int8_t> out(n);
  std::memcpy(out.data(), held[3].data() + 64, n);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(std::memcmp(held[1].data() + kSegmentBytes - n * n / 2,
                        bench_.get<std::int8_t>(isa::Window::Const, 0, n * n).data(), n * n / 2),
            0);

  bench.set_window(static_cast<unsigned>(isa::Window::Output), kFar + kSegmentBytes - 1, 1024);
  bench.start_words(static_cast<std::uint32_t>(stream.size()));
  ASSERT_EQ(engine->run(100'000), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusWrite));
}

TEST_P(EngineCases, RunsAgainWithOtherData) {
  for (unsigned seed = 1; seed < 4; ++seed) {
    const auto expected = put_dense(seed);
    ASSERT_EQ(bench_.run(dense(seed)), Stop::Interrupt);
    EXPECT_EQ(bench_.get<std::int8_t>(isa::Window::Output, 0, block()), expected);
  }
}

TEST_P(EngineCases, ReadOnlyRegistersStay) {
  engine_->write_register(at(isa::Register::MAGIC), 0);
  engine_->write_register(at(isa::Register::SEQUENCE), 5);
  EXPECT_EQ(bench_.reg(isa::Register::MAGIC), isa::kMagic);
  EXPECT_EQ(bench_.reg(isa::Register::SEQUENCE), 0u);
}

TEST_P(EngineCases, NamesTheMissingTokenOfADeadlock) {
  put_dense();
  auto stream = dense();
  std::get<isa::MemoryInsn>(stream[2]).push = 0;
  bench_.start(stream);
  EXPECT_EQ(engine_->run(100'000), Stop::Deadlock);
  EXPECT_THAT(describe(engine_->unit_states()),
              testing::HasSubstr("gemm waits at instruction 3 for a token from load"));
  EXPECT_THAT(describe(engine_->unit_states()),
              testing::HasSubstr("store waits at instruction 5 for a token from vector"));
  EXPECT_EQ(bench_.reg(isa::Register::GEMM_INSN), 3u);
  EXPECT_EQ(bench_.reg(isa::Register::GEMM_STATE) & 0xf1u, 0x11u);
}

TEST_P(EngineCases, NamesTheFullChannelOfADeadlock) {
  put_dense();
  std::vector<isa::Insn> stream;
  const unsigned depth = engine_->variant().geometry.token_depth;
  for (unsigned i = 0; i < depth + 1; ++i)
    stream.push_back(load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1, 0, kToGemm));
  stream.push_back(isa::FinishInsn{});
  bench_.start(stream);
  EXPECT_EQ(engine_->run(100'000), Stop::Deadlock);
  EXPECT_THAT(describe(engine_->unit_states()),
              testing::HasSubstr("load waits at instruction " + std::to_string(depth) +
                                 " for space to push a token to gemm"));
}

/// An instruction starts, and takes its token, while an older one of its unit still waits for room for its
/// own.
TEST_P(EngineCases, WhoWaitsForRoomDoesNotHoldBackTheNext) {
  put_dense();
  const unsigned more = engine_->variant().geometry.token_depth + 1;
  std::vector<isa::Insn> stream = {load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 1, 0, kToGemm)};
  isa::GemmInsn gemm;
  gemm.pop = kToLoad;
  stream.push_back(gemm);
  const auto both = [&](bool pop, bool push) {
    for (unsigned i = 0; i < more; ++i)
      stream.push_back(
          load_insn(isa::Buffer::Wgt, isa::Window::Const, 1, 0, 1, pop ? kToGemm : 0, push ? kToGemm : 0));
    gemm.pop = pop ? kToLoad : 0;
    gemm.push = push ? kToLoad : 0;
    for (unsigned i = 0; i < more; ++i) stream.push_back(gemm);
  };
  both(false, true);
  both(true, false);
  stream.push_back(isa::FinishInsn{});
  EXPECT_EQ(bench_.run(stream), Stop::Interrupt) << describe(engine_->unit_states());
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
}

TEST_P(EngineCases, ASoftResetRecoversFromADeadlock) {
  const auto expected = put_dense();
  auto stream = dense();
  std::get<isa::MemoryInsn>(stream[2]).push = 0;
  bench_.start(stream);
  ASSERT_EQ(engine_->run(100'000), Stop::Deadlock);
  engine_->write_register(at(isa::Register::CONTROL), isa::kControlSoftReset);
  engine_->run(100);
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle);
  ASSERT_EQ(bench_.run(dense()), Stop::Interrupt);
  EXPECT_EQ(bench_.get<std::int8_t>(isa::Window::Output, 0, block()), expected);
}

TEST_P(EngineCases, AnIllegalInstructionStopsTheDevice) {
  put_dense();
  auto bytes = isa::encode_stream(dense());
  bytes[3 * isa::kInsnBytes] |= std::byte{0xf};  // opcode 15
  engine_->write_memory(Bench::window_base(0u), bytes);
  bench_.start_words(7);
  EXPECT_EQ(engine_->run(100'000), Stop::Interrupt);
  expect_error(isa::ErrorCode::IllegalInsn, isa::Unit::Fetch, 3, isa::kRuleOpcode);
  EXPECT_TRUE(engine_->interrupt());
}

TEST_P(EngineCases, ALoadBeyondItsWindowIsAnError) {
  put_dense();
  auto stream = dense();
  std::get<isa::MemoryInsn>(stream[1]).dram_offset = Bench::kWindowBytes - 1;
  EXPECT_EQ(bench_.run(stream), Stop::Interrupt);
  expect_error(isa::ErrorCode::Window, isa::Unit::Load, 1, Bench::kWindowBytes - 1);
}

TEST_P(EngineCases, AStoreBeyondItsWindowWritesNothing) {
  put_dense();
  auto stream = dense();
  bench_.set_window(static_cast<unsigned>(isa::Window::Output), Bench::window_base(isa::Window::Output),
                    block() - 1);
  EXPECT_EQ(bench_.run(stream), Stop::Interrupt);
  expect_error(isa::ErrorCode::Window, isa::Unit::Store, 5, 0);
  EXPECT_THAT(bench_.get<std::int8_t>(isa::Window::Output, 0, block()), testing::Each(0));
}

TEST_P(EngineCases, AnIndexBeyondItsBufferIsAnError) {
  put_dense();
  auto stream = dense();
  auto& gemm = std::get<isa::GemmInsn>(stream[3]);
  gemm.levels[2] = {4, 0, static_cast<std::uint16_t>(engine_->variant().geometry.inp_depth / 2), 0};
  EXPECT_EQ(bench_.run(stream), Stop::Interrupt);
  expect_error(isa::ErrorCode::SramBounds, isa::Unit::Gemm, 3, engine_->variant().geometry.inp_depth);
}

/// Each index of each unit may be the last entry of its buffer; one further is an error that names it.
TEST_P(EngineCases, EveryBufferEndsAtItsDepth) {
  using isa::Buffer;
  const isa::Geometry& g = engine_->variant().geometry;
  struct Index {
    isa::Unit unit;
    unsigned depth;
    std::function<isa::Insn(std::uint16_t base)> insn;  ///< uses entries base and base + 1
  };
  std::vector<Index> indices;
  for (const Buffer b : {Buffer::Inp, Buffer::Wgt, Buffer::Out, Buffer::Par, Buffer::Uop})
    indices.push_back({isa::Unit::Load, g.depth(b),
                       [b](std::uint16_t base) { return load_insn(b, isa::Window::Input, base, 0, 2); }});
  indices.push_back({isa::Unit::Store, g.out_depth,
                     [](std::uint16_t base) { return store_insn(isa::Window::Output, base, 0, 2); }});
  const auto gemm = [&](unsigned depth, std::uint16_t isa::GemmInsn::* field,
                        std::uint16_t isa::GemmLevel::* stride) {
    indices.push_back({isa::Unit::Gemm, depth, [=](std::uint16_t base) {
                         isa::GemmInsn i;
                         i.*field = base;
                         i.levels[4].count = 2;
                         i.levels[4].*stride = 1;
                         return i;
                       }});
  };
  gemm(g.acc_depth, &isa::GemmInsn::acc_base, &isa::GemmLevel::acc_stride);
  gemm(g.inp_depth, &isa::GemmInsn::inp_base, &isa::GemmLevel::inp_stride);
  gemm(g.wgt_depth, &isa::GemmInsn::wgt_base, &isa::GemmLevel::wgt_stride);
  const auto vector = [&](unsigned depth, const isa::VectorInsn& like, std::uint16_t isa::VectorInsn::* field,
                          std::uint16_t isa::VectorLevel::* stride) {
    indices.push_back({isa::Unit::Vector, depth, [=](std::uint16_t base) {
                         isa::VectorInsn i = like;
                         i.*field = base;
                         i.levels[4].count = 2;
                         i.levels[4].*stride = 1;
                         return i;
                       }});
  };
  for (const Buffer b : {Buffer::Acc, Buffer::Inp, Buffer::Out}) {
    isa::VectorInsn like;
    like.dst_buffer = b;
    vector(g.depth(b), like, &isa::VectorInsn::dst_base, &isa::VectorLevel::dst_stride);
    like.dst_buffer = Buffer::Out;
    like.a_buffer = b;
    vector(g.depth(b), like, &isa::VectorInsn::a_base, &isa::VectorLevel::a_stride);
  }
  isa::VectorInsn like;
  like.b_kind = isa::VectorB::Par;
  vector(g.par_depth, like, &isa::VectorInsn::b_base, &isa::VectorLevel::b_stride);
  bench_.put(isa::Window::Uop, 0, std::vector<std::uint64_t>{0});
  ASSERT_EQ(bench_.run({load_insn(Buffer::Uop, isa::Window::Uop, 0, 0, 1), isa::FinishInsn{}}),
            Stop::Interrupt);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    SCOPED_TRACE(i);
    const Index& x = indices[i];
    ASSERT_EQ(bench_.run({x.insn(static_cast<std::uint16_t>(x.depth - 2)), isa::FinishInsn{}}),
              Stop::Interrupt);
    EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
    ASSERT_EQ(bench_.run({x.insn(static_cast<std::uint16_t>(x.depth - 1)), isa::FinishInsn{}}),
              Stop::Interrupt);
    expect_error(isa::ErrorCode::SramBounds, x.unit, 0, x.depth);
  }
  // Each of the three parameters of scale may be the one that lies outside.
  like.op = isa::VectorOp::Scale;
  like.b_base = static_cast<std::uint16_t>(g.par_depth - 3);
  ASSERT_EQ(bench_.run({like, isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
  for (std::uint16_t stride = 1; stride <= 3; ++stride) {
    like.levels[4] = {2, 0, 0, stride};
    ASSERT_EQ(bench_.run({like, isa::FinishInsn{}}), Stop::Interrupt);
    expect_error(isa::ErrorCode::SramBounds, isa::Unit::Vector, 0, g.par_depth);
  }
}

TEST_P(EngineCases, AnIllegalInstructionReachesNoUnit) {
  isa::MemoryInsn load = load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1, kToLoad);
  isa::MemoryInsn store = store_insn(isa::Window::Output, 0, 0, 1, kToStore);
  isa::GemmInsn gemm;
  gemm.pop = kToGemm;
  isa::VectorInsn vector;
  vector.pop = kToVector;
  const std::pair<isa::Insn, isa::Register> own[] = {{load, isa::Register::LOAD_STATE},
                                                     {gemm, isa::Register::GEMM_STATE},
                                                     {vector, isa::Register::VECTOR_STATE},
                                                     {store, isa::Register::STORE_STATE}};
  for (const auto& [insn, state] : own) {
    ASSERT_EQ(bench_.run({insn, isa::FinishInsn{}}), Stop::Interrupt);
    EXPECT_EQ(bench_.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::IllegalInsn));
    EXPECT_EQ(bench_.reg(state), 0u) << isa::to_string(isa::unit_of(insn));
  }
  isa::FinishInsn finish;
  finish.sequence = 77;
  auto bytes = isa::encode_stream(std::vector<isa::Insn>{finish});
  bytes[isa::kInsnBytes - 1] = std::byte{0x80};  // a reserved bit
  engine_->write_memory(Bench::window_base(0u), bytes);
  bench_.start_words(1);
  EXPECT_EQ(engine_->run(100'000), Stop::Interrupt);
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusError);
  EXPECT_EQ(bench_.reg(isa::Register::SEQUENCE), 0u);
}

TEST_P(EngineCases, AStreamWithoutFinishIsAnError) {
  put_dense();
  auto stream = dense();
  stream.pop_back();
  EXPECT_EQ(bench_.run(stream), Stop::Interrupt);
  EXPECT_EQ(bench_.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::NoFinish));
  EXPECT_EQ(bench_.reg(isa::Register::ERROR_UNIT), static_cast<unsigned>(isa::Unit::Fetch));
}

TEST_P(EngineCases, AnErrorIsForgottenAtTheNextStart) {
  const auto expected = put_dense();
  auto stream = dense();
  std::get<isa::MemoryInsn>(stream[1]).dram_offset = Bench::kWindowBytes;
  ASSERT_EQ(bench_.run(stream), Stop::Interrupt);
  engine_->write_register(at(isa::Register::CONTROL), isa::kControlSoftReset);
  engine_->run(100);
  ASSERT_EQ(bench_.run(dense()), Stop::Interrupt);
  EXPECT_EQ(bench_.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
  EXPECT_EQ(bench_.reg(isa::Register::ERROR_CODE), 0u);
  EXPECT_EQ(bench_.get<std::int8_t>(isa::Window::Output, 0, block()), expected);
}

}  // namespace vdla::sim
