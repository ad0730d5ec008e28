// SPDX-License-Identifier: Apache-2.0
// GEMM by 256-bit multiply-adds of 16-bit pairs. Packed weights: [N/8][K/2] vectors of 8 channels x 2
// products, 16 bits each.
#include "sim/functional/gemm.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstring>

#include "support/error.h"

namespace vdla::sim::detail {

#if defined(__x86_64__)
#define VDLA_AVX2 __attribute__((target("avx2")))

namespace {

constexpr unsigned kLanes = 8;

void pack_entry(unsigned entry, const isa::Sram& sram, Packed& packed) {
  const isa::Geometry& g = sram.geometry;
  const std::size_t size = std::size_t{g.block_out} * g.block_in;
  const std::int8_t* from = &sram.wgt[entry * size];
  std::uint8_t* to = &packed.bytes[2 * entry * size];
  for (unsigned n = 0; n < g.block_out; ++n) {
    for (unsigned k = 0; k < g.block_in; ++k) {
      const std::int16_t wide = from[n * g.block_in + k];
      const std::size_t vector = std::size_t{n / kLanes} * (g.block_in / 2) + k / 2;
      std::memcpy(to + (vector * 2 * kLanes + 2 * (n % kLanes) + k % 2) * 2, &wide, 2);
    }
  }
  packed.fresh(entry);
}

/// Lanes [8*nb, 8*nb + 8) of batch row b, for all steps.
VDLA_AVX2 void run_lanes(const GemmBlock& block, isa::Sram& sram, const Packed& packed, unsigned b,
                         unsigned nb) {
  const isa::Geometry& g = sram.geometry;
  const unsigned pairs = g.block_in / 2;
  for (const GemmOffset& s : block.steps) {
    std::int32_t* acc =
        &sram.acc[(std::size_t(block.acc + s.acc) * g.batch + b) * g.block_out + std::size_t{nb} * kLanes];
    const std::int8_t* x = &sram.inp[(std::size_t(block.inp + s.inp) * g.batch + b) * g.block_in];
    const std::uint8_t* w = &packed.bytes[2 * std::size_t(block.wgt + s.wgt) * g.block_out * g.block_in +
                                          std::size_t{nb} * pairs * 32];
    const bool first = block.init && s.reset;
    auto* target = reinterpret_cast<__m256i*>(acc);
    __m256i even = first ? _mm256_setzero_si256() : _mm256_loadu_si256(target);
    __m256i odd = _mm256_setzero_si256();
    for (unsigned p = 0; p < pairs; p += 2) {
      const auto pair = [&](unsigned at) {
        const auto low = static_cast<std::uint16_t>(x[2 * at]),
                   high = static_cast<std::uint16_t>(x[2 * at + 1]);
        return static_cast<std::int32_t>(low | std::uint32_t{high} << 16);
      };
      const auto* vectors = reinterpret_cast<const __m256i*>(w) + p;
      even =
          _mm256_add_epi32(even, _mm256_madd_epi16(_mm256_set1_epi32(pair(p)), _mm256_loadu_si256(vectors)));
      odd = _mm256_add_epi32(
          odd, _mm256_madd_epi16(_mm256_set1_epi32(pair(p + 1)), _mm256_loadu_si256(vectors + 1)));
    }
    _mm256_storeu_si256(target, _mm256_add_epi32(even, odd));
  }
}

}  // namespace

void run_block_avx2(const GemmBlock& block, isa::Sram& sram, Packed& packed) {
  for (const GemmOffset& s : block.steps)
    if (const auto entry = unsigned(block.wgt + s.wgt); packed.valid[entry] == 0)
      pack_entry(entry, sram, packed);
  for (unsigned b = 0; b < sram.geometry.batch; ++b)
    for (unsigned nb = 0; nb < sram.geometry.block_out / kLanes; ++nb) run_lanes(block, sram, packed, b, nb);
}

#else

void run_block_avx2(const GemmBlock&, isa::Sram&, Packed&) { VDLA_CHECK(false) << "not an x86-64 host"; }

#endif

std::size_t packed_bytes_avx2(const isa::Geometry& g) { return std::size_t{2} * g.block_out * g.block_in; }

}  // namespace vdla::sim::detail
