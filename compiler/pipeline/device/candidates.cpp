// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/candidates.h"

namespace vdla::pipeline::device {
namespace {

/// Calls `f` with 1..n.
template <class F>
void for_sizes(std::int64_t n, const F& f) {
  for (std::int64_t size = 1; size <= n; ++size) f(size);
}

}  // namespace

std::vector<ConvKnobs> candidates(const Space& s, const isa::Geometry& g) {
  std::vector<ConvKnobs> all;
  const auto offer = [&](const ConvKnobs& k) {
    if (fits(footprint(s, k), g)) all.push_back(k);
  };
  ConvKnobs k;
  const auto loads = [&] {
    for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
      k.reuse = reuse;
      k.load_n = k.tile_n;
      if (reuse == Reuse::KeepWeights)
        offer(k);
      else
        for_sizes(k.tile_n, [&](std::int64_t n) { offer((k.load_n = n, k)); });
    }
  };
  const auto chunks = [&] {
    for_sizes(s.in_blocks, [&](std::int64_t c) {
      k.tile_c = c;
      for_sizes(s.window.kernel_h, [&](std::int64_t rows) {
        k.tile_kh = rows;
        for_sizes(k.tile_n, [&](std::int64_t n) {
          k.store_n = n;
          loads();
        });
      });
    });
  };
  for_sizes(s.out_h, [&](std::int64_t h) {
    k.tile_h = h;
    for_sizes(s.out_w, [&](std::int64_t w) {
      k.tile_w = w;
      for_sizes(s.out_blocks, [&](std::int64_t n) {
        k.tile_n = n;
        if (h * w * n <= g.acc_depth) chunks();
      });
    });
  });
  return all;
}

std::vector<TileKnobs> candidates(const Space& s, const TileCost& cost, const isa::Geometry& g) {
  std::vector<TileKnobs> all;
  for_sizes(s.out_h, [&](std::int64_t h) {
    for_sizes(s.out_w, [&](std::int64_t w) {
      for_sizes(s.out_blocks, [&](std::int64_t c) {
        for_sizes(s.window.kernel_h, [&](std::int64_t rows) {
          const TileKnobs k{h, w, c, rows};
          if (fits(footprint(s, cost, k), g)) all.push_back(k);
        });
      });
    });
  });
  return all;
}

}  // namespace vdla::pipeline::device
