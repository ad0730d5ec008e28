// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lowbit/bitserial.h"

#include <limits>

#include "compiler/expr/dsl.h"
#include "support/error.h"

namespace vdla::lowbit {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;

namespace {

constexpr std::int64_t kWordBits = 32;
/// One vector of 512 bits; where vectors are shorter, LLVM takes several.
constexpr std::int64_t kLanes = 16;
/// Pixels whose sums stay in registers together: each word of weights is loaded once for all of them.
constexpr std::int64_t kPixels = 7;

void check(const BitserialConv& c) {
  const auto positive = [](std::int64_t value, const char* what) {
    VDLA_CHECK_USER(value > 0) << "bit-serial convolution has " << what << " " << value
                               << ", needs at least 1";
  };
  positive(c.batch, "batch");
  positive(c.height, "height");
  positive(c.width, "width");
  positive(c.channels, "channels");
  positive(c.out_channels, "out_channels");
  positive(c.kernel_h, "kernel_h");
  positive(c.kernel_w, "kernel_w");
  positive(c.stride, "stride");
  VDLA_CHECK_USER(c.pad >= 0) << "bit-serial convolution has pad " << c.pad << ", needs 0 or more";
  VDLA_CHECK_USER(c.kernel_h <= c.height + 2 * c.pad && c.kernel_w <= c.width + 2 * c.pad)
      << "bit-serial convolution has a kernel of " << c.kernel_h << "x" << c.kernel_w
      << ", needs one within the padded image of " << c.height + 2 * c.pad << "x" << c.width + 2 * c.pad;
  for (int bits : {c.activation_bits, c.weight_bits}) {
    VDLA_CHECK_USER(bits >= 1 && bits <= 8)
        << "bit-serial convolution has numbers of " << bits << " bits, needs 1 to 8";
  }
  // Bipolar sums are doubled before the window is taken away.
  const std::int64_t largest = (std::int64_t{1} << (c.activation_bits + c.weight_bits)) * 2;
  const std::int64_t terms = std::numeric_limits<std::int32_t>::max() / largest;
  VDLA_CHECK_USER(c.kernel_h * c.kernel_w <= terms / c.channels)
      << "bit-serial convolution adds " << c.kernel_h << "x" << c.kernel_w << "x" << c.channels
      << " products, needs at most " << terms << " for a sum of 32 bits";
}

/// Bit `plane` of 32 numbers from `first` of `count` on, number b in bit b; `number` gives one as U8.
template <class F>
Value word_of(const IterVar& bit, const Value& first, std::int64_t count, const Value& plane,
              const F& number) {
  const Value at = first + bit;
  const Value amount = cast(DType::U32, plane), place = cast(DType::U32, bit);
  const Value one(expr::int_imm(1, DType::U32)), zero(expr::int_imm(0, DType::U32));
  Value shifted = ((cast(DType::U32, number(at)) >> amount) & one) << place;
  if (count % kWordBits != 0) shifted = select(at < count, shifted, zero);
  return sum(shifted, {bit});  // no two have a bit in common
}

Value popcount(const Value& word) { return cast(DType::I32, apply(expr::Function::Popcount, {word})); }

}  // namespace

Bitserial bitserial_conv2d(const BitserialConv& c) {
  check(c);
  Bitserial t;
  t.input = expr::placeholder("input", {c.batch, c.height, c.width, c.channels}, DType::U8);
  t.weights = expr::placeholder("weights", {c.kernel_h, c.kernel_w, c.words(), c.weight_bits, c.out_channels},
                                DType::U32);

  // A kernel of one pixel leaves out what a stride skips; others read all.
  const bool skips = c.kernel_h == 1 && c.kernel_w == 1;
  const std::int64_t taken = skips ? c.stride : 1, step = skips ? 1 : c.stride;
  const std::int64_t rows = skips ? c.out_height() : c.height + 2 * c.pad;
  const std::int64_t columns = skips ? c.out_width() : c.width + 2 * c.pad;
  const IterVar bit = expr::reduce_axis(kWordBits, "bit");
  t.planes =
      expr::compute("planes", {c.batch, rows, columns, c.words(), c.activation_bits},
                    [&](Value n, Value y, Value x, Value word, Value plane) {
                      return word_of(bit, word * kWordBits, c.channels, plane, [&](const Value& channel) {
                        const Value row = y * taken, column = x * taken;
                        if (c.pad == 0) return Value(t.input(n, row, column, channel));
                        const Value inside = row >= c.pad && row < c.height + c.pad && column >= c.pad &&
                                             column < c.width + c.pad;
                        return select(inside, t.input(n, row - c.pad, column - c.pad, channel),
                                      Value(expr::int_imm(0, DType::U8)));
                      });
                    });

  const auto axes = [&] {
    return std::vector<IterVar>{expr::reduce_axis(c.kernel_h, "ky"), expr::reduce_axis(c.kernel_w, "kx"),
                                expr::reduce_axis(c.words(), "word"),
                                expr::reduce_axis(c.activation_bits, "plane")};
  };
  std::vector<IterVar> k = axes();
  const IterVar weight_plane = expr::reduce_axis(c.weight_bits, "weight_plane");
  k.push_back(weight_plane);
  const std::vector<std::int64_t> shape = {c.batch, c.out_height(), c.out_width(), c.out_channels};
  t.products = expr::compute("products", shape, [&](Value n, Value y, Value x, Value o) {
    const Value common = t.planes(n, y * step + k[0], x * step + k[1], k[2], k[3]) &
                         t.weights(k[0], k[1], k[2], weight_plane, o);
    return sum(popcount(common) << cast(DType::I32, Value(k[3]) + weight_plane), k);
  });
  if (c.weight_code == WeightCode::Unipolar) {
    // A copy, so that tiles of the sums are computed inside of it in registers.
    t.output = expr::compute("output", shape,
                             [&](Value n, Value y, Value x, Value o) { return t.products(n, y, x, o) + 0; });
    return t;
  }
  const std::vector<IterVar> w = axes();
  t.window =
      expr::compute("window", {c.batch, c.out_height(), c.out_width()}, [&](Value n, Value y, Value x) {
        const Value word = t.planes(n, y * step + w[0], x * step + w[1], w[2], w[3]);
        return sum(popcount(word) << cast(DType::I32, w[3]), w);
      });
  // sum of x * sum (2 b_i - 1) 2^i = 2 * sum of x * b_i * 2^i - (2^bits - 1) * sum of x
  const std::int64_t all_ones = (std::int64_t{1} << c.weight_bits) - 1;
  t.output = expr::compute("output", shape, [&](Value n, Value y, Value x, Value o) {
    return t.products(n, y, x, o) * 2 - t.window(n, y, x) * all_ones;
  });
  return t;
}

PackedWeights pack_weights(const BitserialConv& c) {
  check(c);
  PackedWeights t;
  t.plain = expr::placeholder("weights", {c.out_channels, c.kernel_h, c.kernel_w, c.channels}, DType::U8);
  const IterVar bit = expr::reduce_axis(kWordBits, "bit");
  t.packed = expr::compute("packed", {c.kernel_h, c.kernel_w, c.words(), c.weight_bits, c.out_channels},
                           [&](Value ky, Value kx, Value word, Value plane, Value o) {
                             return word_of(
                                 bit, word * kWordBits, c.channels, plane,
                                 [&](const Value& channel) { return Value(t.plain(o, ky, kx, channel)); });
                           });
  return t;
}

schedule::Schedule default_schedule(const Bitserial& t) {
  schedule::Schedule s({t.output});
  schedule::Stage& out = s[t.output];
  const std::int64_t columns = t.output.shape()[2], channels = t.output.shape()[3];
  const auto [x, pixel] = out.split(out.axis(2), std::min(kPixels, columns));
  const auto [block, lane] = out.split(out.axis(3), std::min(kLanes, channels));
  // The weights of a block stay in the cache for a row of pixels.
  const IterVar row = out.fuse(out.axis(0), out.axis(1));
  out.reorder({row, block, x, pixel, lane}).parallel(row).unroll(pixel).vectorize(lane);

  schedule::Stage& products = s[t.products];
  products.compute_at(out, x);
  std::vector<IterVar> order;
  for (std::size_t r = 0; r < 5; ++r) order.push_back(products.reduce_axis(r));
  products.unroll(order[3]).unroll(order[4]);  // shifts by constants
  order.insert(order.end(), {products.axis(2), products.axis(3)});
  products.reorder(order).unroll(products.axis(2)).vectorize(products.axis(3));

  schedule::Stage& planes = s[t.planes];
  planes.parallel(planes.fuse(planes.axis(0), planes.axis(1)));
  if (t.window.defined()) s[t.window].parallel(s[t.window].fuse(s[t.window].axis(0), s[t.window].axis(1)));
  return s;
}

}  // namespace vdla::lowbit
