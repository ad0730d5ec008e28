// SPDX-License-Identifier: Apache-2.0
// GEMM by 512-bit dot products. The instruction multiplies unsigned by signed bytes, so activations are taken
// as inp + 128 and 128 * sum(weights) is taken off again. Packed weights: [N/16][K/4] vectors of 16 channels
// x 4 products.
#include "sim/functional/gemm.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstring>

#include "support/error.h"

namespace vdla::sim::detail {

#if defined(__x86_64__)
#define VDLA_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))

namespace {

constexpr unsigned kLanes = 16;

VDLA_VNNI void pack_entry(unsigned entry, const isa::Sram& sram, PackedWeights& packed) {
  const isa::Geometry& g = sram.geometry;
  const std::size_t size = std::size_t{g.block_out} * g.block_in;
  const std::int8_t* from = &sram.wgt[entry * size];
  std::uint8_t* to = &packed.bytes[entry * size];
  std::int32_t* corrections = &packed.corrections[std::size_t{entry} * g.block_out];
  const unsigned quads = g.block_in / 4;
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i rows = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(static_cast<int>(g.block_in)));
  const __m512i ones = _mm512_set1_epi8(1);
  for (unsigned n = 0; n < g.block_out; n += kLanes) {
    __m512i sum = _mm512_setzero_si512();
    for (unsigned q = 0; q < quads; ++q, to += 64) {
      const __m512i w = _mm512_i32gather_epi32(rows, from + std::size_t{n} * g.block_in + 4 * q, 1);
      sum = _mm512_dpbusd_epi32(sum, ones, w);
      _mm512_storeu_si512(to, w);
    }
    _mm512_storeu_si512(corrections + n, _mm512_slli_epi32(_mm512_sub_epi32(_mm512_setzero_si512(), sum), 7));
  }
  packed.fresh(entry);
}

/// Four sums, so that a long reduction does not wait for one adder.
struct Sums {
  __m512i part[4];
};

VDLA_VNNI inline __m512i total(const Sums& s) {
  return _mm512_add_epi32(_mm512_add_epi32(s.part[0], s.part[1]), _mm512_add_epi32(s.part[2], s.part[3]));
}

VDLA_VNNI inline void restart(Sums& s, __m512i value) {
  s.part[0] = value;
  s.part[1] = s.part[2] = s.part[3] = _mm512_setzero_si512();
}

/// Lanes [16*nb, 16*nb + 16) of batch row b, for all steps; lanes never meet, so this order is as good as
/// any.
template <unsigned Quads>
VDLA_VNNI void run_lanes(const GemmBlock& block, isa::Sram& sram, const PackedWeights& packed, unsigned b,
                         unsigned nb) {
  const isa::Geometry& g = sram.geometry;
  const std::size_t acc_row = std::size_t{g.batch} * g.block_out, inp_row = std::size_t{g.batch} * g.block_in;
  const std::size_t wgt_row = std::size_t{g.block_out} * g.block_in;
  std::int32_t* acc = sram.acc.data() + b * g.block_out + nb * kLanes + block.acc * std::ptrdiff_t(acc_row);
  const std::int8_t* inp = sram.inp.data() + b * g.block_in + block.inp * std::ptrdiff_t(inp_row);
  const std::uint8_t* wgt =
      packed.bytes.data() + std::size_t{nb} * Quads * 64 + block.wgt * std::ptrdiff_t(wgt_row);
  const std::int32_t* corrections =
      packed.corrections.data() + nb * kLanes + block.wgt * std::ptrdiff_t(g.block_out);
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
  std::int32_t* current = nullptr;
  Sums sums;
  restart(sums, _mm512_setzero_si512());
  for (const GemmOffset& s : block.steps) {
    std::int32_t* target = acc + s.acc * std::ptrdiff_t(acc_row);
    const bool first = block.init && s.reset;
    if (target != current) {
      if (current != nullptr) _mm512_storeu_si512(current, total(sums));
      current = target;
      restart(sums, first ? _mm512_setzero_si512() : _mm512_loadu_si512(target));
    } else if (first) {
      restart(sums, _mm512_setzero_si512());
    }
    const std::int8_t* x = inp + s.inp * std::ptrdiff_t(inp_row);
    const std::uint8_t* w = wgt + s.wgt * std::ptrdiff_t(wgt_row);
    const auto add = [&](unsigned q, __m512i a) VDLA_VNNI {
      sums.part[q % 4] =
          _mm512_dpbusd_epi32(sums.part[q % 4], a, _mm512_loadu_si512(w + std::size_t{q} * 64));
    };
    if constexpr (Quads % 4 == 0) {
      for (unsigned q = 0; q < Quads; q += 4) {
        const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + 4 * q));
        const __m512i four = _mm512_xor_si512(_mm512_broadcast_i32x4(sixteen), flip);
        add(q, _mm512_shuffle_epi32(four, _MM_PERM_AAAA));
        add(q + 1, _mm512_shuffle_epi32(four, _MM_PERM_BBBB));
        add(q + 2, _mm512_shuffle_epi32(four, _MM_PERM_CCCC));
        add(q + 3, _mm512_shuffle_epi32(four, _MM_PERM_DDDD));
      }
    } else {
      for (unsigned q = 0; q < Quads; ++q) {
        std::int32_t quad;
        std::memcpy(&quad, x + 4 * q, 4);
        add(q, _mm512_xor_si512(_mm512_set1_epi32(quad), flip));
      }
    }
    const __m512i fix = _mm512_loadu_si512(corrections + s.wgt * std::ptrdiff_t(g.block_out));
    sums.part[0] = _mm512_add_epi32(sums.part[0], fix);
  }
  if (current != nullptr) _mm512_storeu_si512(current, total(sums));
}

using RunLanes = void (*)(const GemmBlock&, isa::Sram&, const PackedWeights&, unsigned, unsigned);

RunLanes run_lanes_of(unsigned quads) {
  switch (quads) {
    case 1:
      return run_lanes<1>;
    case 2:
      return run_lanes<2>;
    case 4:
      return run_lanes<4>;
    case 8:
      return run_lanes<8>;
    default:
      return run_lanes<16>;
  }
}

}  // namespace

void run_block_vnni(const GemmBlock& block, isa::Sram& sram, PackedWeights& packed) {
  for (const GemmOffset& s : block.steps) {
    if (packed.stale == 0) break;
    if (const auto entry = unsigned(block.wgt + s.wgt); packed.valid[entry] == 0)
      pack_entry(entry, sram, packed);
  }
  const RunLanes run = run_lanes_of(sram.geometry.block_in / 4);
  for (unsigned b = 0; b < sram.geometry.batch; ++b)
    for (unsigned nb = 0; nb < sram.geometry.block_out / kLanes; ++nb) run(block, sram, packed, b, nb);
}

#else

void run_block_vnni(const GemmBlock&, isa::Sram&, PackedWeights&) {
  VDLA_CHECK(false) << "not an x86-64 host";
}

#endif

std::size_t packed_bytes_vnni(const isa::Geometry& g) { return std::size_t{g.block_out} * g.block_in; }

}  // namespace vdla::sim::detail
