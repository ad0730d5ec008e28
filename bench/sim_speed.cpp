// SPDX-License-Identifier: Apache-2.0
// How fast the engines simulate: GEMM instructions of a convolution's shape on variant paper. Prints one JSON
// object.
#include <fmt/core.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "isa/codec/codec.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "tests/sim/program.h"

namespace {

using namespace vdla;

constexpr unsigned kRepeats = 200;

/// 14x14 outputs of 16 channels from 5 blocks of 16 input channels, 3x3: a micro-op per weight block, two
/// tiles so that all of inp is in use.
std::vector<isa::Insn> convolution() {
  constexpr unsigned kTaps = 45;
  std::vector<isa::Insn> stream{sim::load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, kTaps)};
  std::get<isa::MemoryInsn>(stream[0]).push = sim::kToGemm;
  for (unsigned i = 0; i < kRepeats; ++i) {
    isa::GemmInsn gemm;
    gemm.init = true;
    gemm.reduce_mask = 1u << isa::kReduceUopBit;
    gemm.uop_count = kTaps;
    gemm.pop = i == 0 ? sim::kToLoad : 0;
    gemm.levels[3] = {14, 14, 16, 0};
    gemm.levels[4] = {14, 1, 1, 0};
    stream.push_back(gemm);
  }
  stream.push_back(isa::FinishInsn{});
  return stream;
}

std::vector<std::uint64_t> micro_ops() {
  std::vector<std::uint64_t> uops;
  for (unsigned block = 0; block < 5; ++block)
    for (unsigned y = 0; y < 3; ++y)
      for (unsigned x = 0; x < 3; ++x) {
        isa::Uop uop;
        uop.inp = static_cast<std::uint16_t>(block * 256 + y * 16 + x);
        uop.wgt = static_cast<std::uint16_t>((block * 3 + y) * 3 + x);
        uops.push_back(isa::encode_uop(uop));
      }
  return uops;
}

double seconds_of(sim::Engine& engine) {
  sim::Bench bench(engine);
  bench.put(isa::Window::Uop, 0, micro_ops());
  bench.start(convolution());
  const std::clock_t start = std::clock();  // processor time: other work on the machine shall not count
  engine.run(1'000'000'000);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main() {
  const isa::Variant variant = isa::load_variant("paper");
  const double macs = 256.0 * 14 * 14 * 45 * kRepeats;
  const double cycles = macs / 256.0;
  fmt::print("{{");
  for (const sim::Simd simd : sim::available_simd()) {
    auto engine = sim::make_functional_engine(variant, 16 << 20, simd);
    constexpr const char* kNames[] = {"plain", "avx2", "vnni"};
    fmt::print("\"functional_{}_gmac_per_s\": {:.1f}, ", kNames[static_cast<int>(simd)],
               macs / seconds_of(*engine) / 1e9);
  }
  const double systemc = cycles / seconds_of(*sim::make_cycle_engine(variant, 16 << 20)) / 1e6;
  const double rtl = cycles / seconds_of(*kit::make_engine("rtl", variant, {.memory_bytes = 16 << 20})) / 1e6;
  fmt::print(
      "\"systemc_mcycle_per_s\": {:.1f}, \"rtl_mcycle_per_s\": {:.2f}, \"systemc_over_rtl\": {:.0f}}}\n",
      systemc, rtl, systemc / rtl);
}
