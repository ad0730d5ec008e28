// SPDX-License-Identifier: Apache-2.0
// Lowering shown as text: tiled nests have clean affine indices and no guards where the tiles divide.
#include "compiler/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;

struct Matmul {
  Tensor a = placeholder("A", {64, 48}, DType::I8), b = placeholder("B", {48, 32}, DType::I8);
  IterVar k = reduce_axis(48, "k");
  Tensor c = compute(
      "C", {64, 32},
      [this](Value i, Value j) { return sum(cast(DType::I32, a(i, k)) * cast(DType::I32, b(k, j)), {k}); },
      {"i", "j"});
  Schedule s{{c}};

  std::string text() const { return loop::to_string(lower(s, {a, b, c}, "matmul")); }
};

TEST(Lower, DefaultScheduleIsOneLoopPerAxis) {
  EXPECT_EQ(Matmul().text(), R"(func matmul(in A: i8[64, 48], in B: i8[48, 32], out C: i32[64, 32]) {
  for i in 0..64 {
    for j in 0..32 {
      C[i, j] = 0i32
      for k in 0..48 {
        C[i, j] = C[i, j] + i32(A[i, k]) * i32(B[k, j])
      }
    }
  }
}
)");
}

TEST(Lower, TiledMatmulHasCleanIndicesAndExactTiles) {
  Matmul m;
  Schedule& s = m.s;
  Tensor acc = s.cache_write(m.c, "acc");
  auto [io, jo, ii, ji] = s[m.c].tile(s[m.c].axis(0), s[m.c].axis(1), 16, 16);
  s[acc].compute_at(s[m.c], jo);
  auto [ko, ki] = s[acc].split(m.k, 8);
  s[acc].reorder({ko, s[acc].axis(0), s[acc].axis(1), ki});
  Tensor tile_a = s.cache_read(m.a, "inp", {acc});
  s[tile_a].compute_at(s[acc], ko);
  s[acc].tensorize(s[acc].axis(0), "gemm");
  EXPECT_EQ(m.text(), R"(func matmul(in A: i8[64, 48], in B: i8[48, 32], out C: i32[64, 32]) {
  for i.o in 0..4 {
    for j.o in 0..2 {
      alloc C.acc: i32[16, 16] @acc
      for k.o in 0..6 {
        alloc A.inp: i8[16, 8] @inp
        for ax0 in 0..16 {
          for ax1 in 0..8 {
            A.inp[ax0, ax1] = A[i.o * 16 + ax0, k.o * 8 + ax1]
          }
        }
        tensorize gemm {
          for i in 0..16 {
            for j in 0..16 {
              for k.i in 0..8 {
                C.acc[i, j] = select(k.o == 0 & k.i == 0, 0i32, C.acc[i, j]) + i32(A.inp[i, k.i]) * i32(B[k.o * 8 + k.i, j.o * 16 + j])
              }
            }
          }
        }
      }
      for i.i in 0..16 {
        for j.i in 0..16 {
          C[i.o * 16 + i.i, j.o * 16 + j.i] = C.acc[i.i, j.i]
        }
      }
    }
  }
}
)");
}

/// A padded 3x3 convolution in the blocked layout of an array with K = N = 16, and its requantisation.
struct BlockedConvolution {
  std::int64_t size, stride, out_size = (size - 1) / stride + 1;
  Tensor x = placeholder("x", {size, size, 2, 16}, DType::I8);
  Tensor w = placeholder("w", {4, 3, 3, 2, 16, 16}, DType::I8);
  Tensor pad = compute("pad", {size + 2, size + 2, 2, 16},
                       [this](Value h, Value v, Value c, Value k) {
                         Value inside = h >= 1 && h < size + 1 && v >= 1 && v < size + 1;
                         return select(inside, x(h - 1, v - 1, c, k), -3);
                       },
                       {"h", "v", "cb", "ck"});
  IterVar ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx"), cb = reduce_axis(2, "cb"),
          ck = reduce_axis(16, "ck");
  Tensor acc = compute("acc", {out_size, out_size, 4, 16},
                       [this](Value oy, Value ox, Value nb, Value n) {
                         Value a = pad(oy * stride + ky, ox * stride + kx, cb, ck);
                         return sum(cast(DType::I32, a) * cast(DType::I32, w(nb, ky, kx, cb, n, ck)),
                                    {ky, kx, cb, ck});
                       },
                       {"y", "x", "nb", "n"});
  Tensor q = compute("q", {out_size, out_size, 4, 16},
                     [this](Value oy, Value ox, Value nb, Value n) {
                       Value scaled = round_shift_right(srdh_mul(acc(oy, ox, nb, n), 1518500250), 6);
                       return cast(DType::I8, clamp(scaled, -128, 127));
                     },
                     {"y", "x", "nb", "n"});
  Tensor out = compute("out", {out_size, out_size, 4, 16},
                       [this](Value oy, Value ox, Value nb, Value n) { return q(oy, ox, nb, n); },
                       {"y", "x", "nb", "n"});
  Schedule s{{out}};

  /// Output tiles of rows x all columns x one block; input rows once per tile and input block, weights per
  /// tile.
  std::string tiled(std::int64_t rows) {
    auto [yo, yi] = s[out].split(s[out].axis(0), rows);
    s[out].reorder({yo, s[out].axis(2), yi, s[out].axis(1)});
    s[q].set_scope("out").compute_at(s[out], s[out].axis(2));
    s[acc].set_scope("acc").compute_at(s[out], s[out].axis(2));
    s[acc].reorder({cb, ky, kx, s[acc].axis(2), s[acc].axis(0), s[acc].axis(1), s[acc].axis(3), ck});
    s[pad].set_scope("inp").compute_at(s[acc], cb);
    Tensor weights = s.cache_read(w, "wgt", {acc});
    s[weights].compute_at(s[acc], cb);
    s[acc].tensorize(s[acc].axis(3), "gemm");
    s[q].tensorize(s[q].axis(3), "scale");
    return loop::to_string(lower(s, {x, w, out}, "conv"));
  }
};

TEST(Lower, TiledConvolutionHasNoGuards) {
  EXPECT_EQ((BlockedConvolution{8, 1}.tiled(4)),
            R"(func conv(in x: i8[8, 8, 2, 16], in w: i8[4, 3, 3, 2, 16, 16], out out: i8[8, 8, 4, 16]) {
  for y.o in 0..2 {
    for nb in 0..4 {
      alloc acc: i32[4, 8, 1, 16] @acc
      for cb in 0..2 {
        alloc pad: i8[6, 10, 1, 16] @inp
        for h in 0..6 {
          for v in 0..10 {
            for ck_1 in 0..16 {
              pad[h, v, 0, ck_1] = select(y.o * 4 + h >= 1 & y.o * 4 + h < 9 & v >= 1 & v < 9, x[y.o * 4 + h - 1, v - 1, cb, ck_1], -3i8)
            }
          }
        }
        alloc w.wgt: i8[1, 3, 3, 1, 16, 16] @wgt
        for ax1 in 0..3 {
          for ax2 in 0..3 {
            for ax4 in 0..16 {
              for ax5 in 0..16 {
                w.wgt[0, ax1, ax2, 0, ax4, ax5] = w[nb, ax1, ax2, cb, ax4, ax5]
              }
            }
          }
        }
        for ky in 0..3 {
          for kx in 0..3 {
            for y_1 in 0..4 {
              for x_3 in 0..8 {
                tensorize gemm {
                  for n_2 in 0..16 {
                    for ck in 0..16 {
                      acc[y_1, x_3, 0, n_2] = select(cb == 0 & ky == 0 & kx == 0 & ck == 0, 0i32, acc[y_1, x_3, 0, n_2]) + i32(pad[ky + y_1, kx + x_3, 0, ck]) * i32(w.wgt[0, ky, kx, 0, n_2, ck])
                    }
                  }
                }
              }
            }
          }
        }
      }
      alloc q: i8[4, 8, 1, 16] @out
      for y in 0..4 {
        for x_2 in 0..8 {
          tensorize scale {
            for n_1 in 0..16 {
              q[y, x_2, 0, n_1] = i8(min(max(round_shift_right(srdh_mul(acc[y, x_2, 0, n_1], 1518500250i32), 6i32), -128i32), 127i32))
            }
          }
        }
      }
      for y.i in 0..4 {
        for x_1 in 0..8 {
          for n in 0..16 {
            out[y.o * 4 + y.i, x_1, nb, n] = q[y.i, x_1, 0, n]
          }
        }
      }
    }
  }
}
)");
}

TEST(Lower, StridedConvolutionReadsTheRowsThatItNeeds) {
  EXPECT_EQ((BlockedConvolution{8, 2}.tiled(2)),
            R"(func conv(in x: i8[8, 8, 2, 16], in w: i8[4, 3, 3, 2, 16, 16], out out: i8[4, 4, 4, 16]) {
  for y.o in 0..2 {
    for nb in 0..4 {
      alloc acc: i32[2, 4, 1, 16] @acc
      for cb in 0..2 {
        alloc pad: i8[5, 9, 1, 16] @inp
        for h in 0..5 {
          for v in 0..9 {
            for ck_1 in 0..16 {
              pad[h, v, 0, ck_1] = select(y.o * 4 + h >= 1 & v >= 1, x[y.o * 4 + h - 1, v - 1, cb, ck_1], -3i8)
            }
          }
        }
        alloc w.wgt: i8[1, 3, 3, 1, 16, 16] @wgt
        for ax1 in 0..3 {
          for ax2 in 0..3 {
            for ax4 in 0..16 {
              for ax5 in 0..16 {
                w.wgt[0, ax1, ax2, 0, ax4, ax5] = w[nb, ax1, ax2, cb, ax4, ax5]
              }
            }
          }
        }
        for ky in 0..3 {
          for kx in 0..3 {
            for y_1 in 0..2 {
              for x_3 in 0..4 {
                tensorize gemm {
                  for n_2 in 0..16 {
                    for ck in 0..16 {
                      acc[y_1, x_3, 0, n_2] = select(cb == 0 & ky == 0 & kx == 0 & ck == 0, 0i32, acc[y_1, x_3, 0, n_2]) + i32(pad[y_1 * 2 + ky, x_3 * 2 + kx, 0, ck]) * i32(w.wgt[0, ky, kx, 0, n_2, ck])
                    }
                  }
                }
              }
            }
          }
        }
      }
      alloc q: i8[2, 4, 1, 16] @out
      for y in 0..2 {
        for x_2 in 0..4 {
          tensorize scale {
            for n_1 in 0..16 {
              q[y, x_2, 0, n_1] = i8(min(max(round_shift_right(srdh_mul(acc[y, x_2, 0, n_1], 1518500250i32), 6i32), -128i32), 127i32))
            }
          }
        }
      }
      for y.i in 0..2 {
        for x_1 in 0..4 {
          for n in 0..16 {
            out[y.o * 2 + y.i, x_1, nb, n] = q[y.i, x_1, 0, n]
          }
        }
      }
    }
  }
}
)");
}

TEST(Lower, UnevenTilesAreGuarded) {
  EXPECT_EQ((BlockedConvolution{7, 1}.tiled(4)),
            R"(func conv(in x: i8[7, 7, 2, 16], in w: i8[4, 3, 3, 2, 16, 16], out out: i8[7, 7, 4, 16]) {
  for y.o in 0..2 {
    for nb in 0..4 {
      alloc acc: i32[4, 7, 1, 16] @acc
      for cb in 0..2 {
        alloc pad: i8[6, 9, 1, 16] @inp
        for h in 0..6 {
          if y.o * 4 + h < 9 {
            for v in 0..9 {
              for ck_1 in 0..16 {
                pad[h, v, 0, ck_1] = select(y.o * 4 + h >= 1 & y.o * 4 + h < 8 & v >= 1 & v < 8, x[y.o * 4 + h - 1, v - 1, cb, ck_1], -3i8)
              }
            }
          }
        }
        alloc w.wgt: i8[1, 3, 3, 1, 16, 16] @wgt
        for ax1 in 0..3 {
          for ax2 in 0..3 {
            for ax4 in 0..16 {
              for ax5 in 0..16 {
                w.wgt[0, ax1, ax2, 0, ax4, ax5] = w[nb, ax1, ax2, cb, ax4, ax5]
              }
            }
          }
        }
        for ky in 0..3 {
          for kx in 0..3 {
            for y_1 in 0..4 {
              if y.o * 4 + y_1 < 7 {
                for x_3 in 0..7 {
                  tensorize gemm {
                    for n_2 in 0..16 {
                      for ck in 0..16 {
                        acc[y_1, x_3, 0, n_2] = select(cb == 0 & ky == 0 & kx == 0 & ck == 0, 0i32, acc[y_1, x_3, 0, n_2]) + i32(pad[ky + y_1, kx + x_3, 0, ck]) * i32(w.wgt[0, ky, kx, 0, n_2, ck])
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
      alloc q: i8[4, 7, 1, 16] @out
      for y in 0..4 {
        if y.o * 4 + y < 7 {
          for x_2 in 0..7 {
            tensorize scale {
              for n_1 in 0..16 {
                q[y, x_2, 0, n_1] = i8(min(max(round_shift_right(srdh_mul(acc[y, x_2, 0, n_1], 1518500250i32), 6i32), -128i32), 127i32))
              }
            }
          }
        }
      }
      for y.i in 0..4 {
        if y.o * 4 + y.i < 7 {
          for x_1 in 0..7 {
            for n in 0..16 {
              out[y.o * 4 + y.i, x_1, nb, n] = q[y.i, x_1, 0, n]
            }
          }
        }
      }
    }
  }
}
)");
}

}  // namespace
}  // namespace vdla::lower
