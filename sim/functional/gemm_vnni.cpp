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

VDLA_VNNI void pack_entry(unsigned entry, const isa::Sram& sram, Packed& packed) {
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

/// Place of lanes [16*nb, 16*nb + 16) of batch row b, in the units of a step's offsets.
struct Lanes {
  const GemmBlock& block;
  std::int32_t* acc;
  const std::uint8_t* inp;  ///< inp + 128
  const std::uint8_t* wgt;
  const std::int32_t* corrections;
  std::ptrdiff_t acc_row, inp_row, wgt_row, correction_row;

  std::int32_t* target(const GemmOffset& s) const { return acc + s.acc * acc_row; }
  const std::uint8_t* activations(const GemmOffset& s) const { return inp + s.inp * inp_row; }
  const std::uint8_t* weights(const GemmOffset& s) const { return wgt + s.wgt * wgt_row; }
  bool overwrites(const GemmOffset& s) const { return block.init && s.reset; }

  VDLA_VNNI __m512i before(const GemmOffset& s) const {
    return overwrites(s) ? _mm512_setzero_si512() : _mm512_loadu_si512(target(s));
  }
  VDLA_VNNI __m512i correction(const GemmOffset& s) const {
    return _mm512_loadu_si512(corrections + s.wgt * correction_row);
  }
};

VDLA_VNNI inline __m512i quad(const std::uint8_t* activations, unsigned q) {
  std::int32_t value;
  std::memcpy(&value, activations + std::size_t{4} * q, 4);
  return _mm512_set1_epi32(value);
}

/// Steps with the weights of the first one, which stay in registers.
template <unsigned Quads>
VDLA_VNNI void with_one_weight(const Lanes& lanes, const GemmOffset* s, const GemmOffset* end) {
  __m512i w[Quads];
  for (unsigned q = 0; q < Quads; ++q) w[q] = _mm512_loadu_si512(lanes.weights(*s) + std::size_t{q} * 64);
  const __m512i correction = lanes.correction(*s);
  for (; s != end; ++s) {
    const std::uint8_t* x = lanes.activations(*s);
    __m512i sum = _mm512_add_epi32(lanes.before(*s), correction);
    for (unsigned q = 0; q < Quads; ++q) sum = _mm512_dpbusd_epi32(sum, quad(x, q), w[q]);
    _mm512_storeu_si512(lanes.target(*s), sum);
  }
}

/// Steps with the target of the first one, which stays in registers: four sums, so that a long reduction does
/// not wait for one adder.
template <unsigned Quads>
VDLA_VNNI void with_one_target(const Lanes& lanes, const GemmOffset* s, const GemmOffset* end) {
  std::int32_t* target = lanes.target(*s);
  const __m512i zero = _mm512_setzero_si512();
  __m512i part[4] = {lanes.before(*s), zero, zero, zero};
  for (; s != end; ++s) {
    if (lanes.overwrites(*s)) part[0] = part[1] = part[2] = part[3] = zero;
    const std::uint8_t* x = lanes.activations(*s);
    const std::uint8_t* w = lanes.weights(*s);
    for (unsigned q = 0; q < Quads; ++q)
      part[q % 4] = _mm512_dpbusd_epi32(part[q % 4], quad(x, q), _mm512_loadu_si512(w + std::size_t{q} * 64));
    part[0] = _mm512_add_epi32(part[0], lanes.correction(*s));
  }
  _mm512_storeu_si512(
      target, _mm512_add_epi32(_mm512_add_epi32(part[0], part[1]), _mm512_add_epi32(part[2], part[3])));
}

/// Lanes [16*nb, 16*nb + 16) of batch row b, for all steps; lanes never meet, so this order is as good as
/// any.
template <unsigned Quads>
void run_lanes(const GemmBlock& block, isa::Sram& sram, const Packed& packed, unsigned b, unsigned nb) {
  const isa::Geometry& g = sram.geometry;
  Lanes lanes{block,
              sram.acc.data() + b * g.block_out + nb * kLanes,
              packed.inp.data() + b * g.block_in,
              packed.bytes.data() + std::size_t{nb} * Quads * 64,
              packed.corrections.data() + nb * kLanes,
              std::ptrdiff_t{g.batch} * g.block_out,
              std::ptrdiff_t{g.batch} * g.block_in,
              std::ptrdiff_t{g.block_out} * g.block_in,
              g.block_out};
  lanes.acc += block.acc * lanes.acc_row;
  lanes.inp += block.inp * lanes.inp_row;
  lanes.wgt += block.wgt * lanes.wgt_row;
  lanes.corrections += block.wgt * lanes.correction_row;
  for (const GemmRun& run : block.runs) {
    const GemmOffset *begin = &block.steps[run.begin], *end = begin + (run.end - run.begin);
    run.one_weight ? with_one_weight<Quads>(lanes, begin, end) : with_one_target<Quads>(lanes, begin, end);
  }
}

using RunLanes = void (*)(const GemmBlock&, isa::Sram&, const Packed&, unsigned, unsigned);

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

void run_block_vnni(const GemmBlock& block, isa::Sram& sram, Packed& packed) {
  for (const GemmRun& run : block.runs) {
    if (packed.stale == 0) break;
    for (std::uint32_t s = run.begin; s < (run.one_weight ? run.begin + 1 : run.end); ++s)
      if (const auto entry = unsigned(block.wgt + block.steps[s].wgt); packed.valid[entry] == 0)
        pack_entry(entry, sram, packed);
  }
  const RunLanes run = run_lanes_of(sram.geometry.block_in / 4);
  for (unsigned b = 0; b < sram.geometry.batch; ++b)
    for (unsigned nb = 0; nb < sram.geometry.block_out / kLanes; ++nb) run(block, sram, packed, b, nb);
}

VDLA_VNNI void flip_activations_vnni(const IndexRange& entries, const isa::Sram& sram, Packed& packed) {
  const std::size_t row = std::size_t{sram.geometry.batch} * sram.geometry.block_in;
  const std::size_t end = (static_cast<std::size_t>(entries.high) + 1) * row;
  std::size_t i = static_cast<std::size_t>(entries.low) * row;
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
  for (; i + 64 <= end; i += 64)
    _mm512_storeu_si512(&packed.inp[i], _mm512_xor_si512(_mm512_loadu_si512(&sram.inp[i]), flip));
  for (; i < end; ++i)
    packed.inp[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(sram.inp[i]) ^ 0x80u);
}

#else

void flip_activations_vnni(const IndexRange&, const isa::Sram&, Packed&) {}
void run_block_vnni(const GemmBlock&, isa::Sram&, Packed&) { VDLA_CHECK(false) << "not an x86-64 host"; }

#endif

std::size_t packed_bytes_vnni(const isa::Geometry& g) { return std::size_t{g.block_out} * g.block_in; }

}  // namespace vdla::sim::detail
