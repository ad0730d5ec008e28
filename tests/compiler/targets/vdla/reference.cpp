// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/vdla/reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/error.h"
#include "support/fixed_point.h"
#include "support/overloaded.h"

namespace vdla::pipeline::device {
namespace {

std::size_t at(const Image& i, std::int64_t y, std::int64_t x, std::int64_t c) {
  return static_cast<std::size_t>((y * i.w + x) * i.c + c);
}

std::int8_t staged(std::int64_t value, const OutputStage& stage, std::int64_t channel) {
  const Multiplier& m =
      stage.multiplier[stage.multiplier.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
  const std::int32_t scaled =
      multiply_by_quantized_multiplier(static_cast<std::int32_t>(value), m.value, m.shift);
  return static_cast<std::int8_t>(std::clamp(scaled + stage.zero_point, stage.min, stage.max));
}

/// Calls `f(iy, ix, ky, kx)` for the valid elements of the window at (y, x).
template <class F>
void for_window(const Image& in, const SlidingWindow& w, std::int64_t y, std::int64_t x, const F& f) {
  for (std::int64_t ky = 0; ky < w.kernel_h; ++ky) {
    for (std::int64_t kx = 0; kx < w.kernel_w; ++kx) {
      const std::int64_t iy = y * w.stride_h + ky * w.dilation_h - w.pad_top;
      const std::int64_t ix = x * w.stride_w + kx * w.dilation_w - w.pad_left;
      if (iy >= 0 && iy < in.h && ix >= 0 && ix < in.w) f(iy, ix, ky, kx);
    }
  }
}

Int8s for_each_output(const Image& out,
                      const std::function<std::int8_t(std::int64_t, std::int64_t, std::int64_t)>& f) {
  Int8s result(static_cast<std::size_t>(out.h * out.w * out.c));
  for (std::int64_t y = 0; y < out.h; ++y) {
    for (std::int64_t x = 0; x < out.w; ++x) {
      for (std::int64_t c = 0; c < out.c; ++c) result[at(out, y, x, c)] = f(y, x, c);
    }
  }
  return result;
}

Int8s conv(const Conv2d& op, const Int8s& in) {
  const std::int64_t group_in = op.in.c / op.groups, group_out = op.out.c / op.groups;
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t o) {
    std::int64_t sum = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(o)];
    for_window(op.in, op.window, y, x,
               [&](std::int64_t iy, std::int64_t ix, std::int64_t ky, std::int64_t kx) {
                 for (std::int64_t i = 0; i < group_in; ++i) {
                   const std::size_t w = static_cast<std::size_t>(
                       ((o * op.window.kernel_h + ky) * op.window.kernel_w + kx) * group_in + i);
                   sum += (in[at(op.in, iy, ix, o / group_out * group_in + i)] - op.input_zero) *
                          (op.weights[w] - op.weight_zero);
                 }
               });
    return staged(sum, op.stage, o);
  });
}

Int8s depthwise(const DepthwiseConv2d& op, const Int8s& in) {
  const std::int64_t multiplier = op.out.c / op.in.c;
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t o) {
    std::int64_t sum = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(o)];
    for_window(
        op.in, op.window, y, x, [&](std::int64_t iy, std::int64_t ix, std::int64_t ky, std::int64_t kx) {
          const auto w = static_cast<std::size_t>((ky * op.window.kernel_w + kx) * op.out.c + o);
          sum += (in[at(op.in, iy, ix, o / multiplier)] - op.input_zero) * (op.weights[w] - op.weight_zero);
        });
    return staged(sum, op.stage, o);
  });
}

Int8s extremum(const Extremum& op, const Int8s& a, const Int8s& b) {
  Int8s out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    out[i] = op.smaller ? std::min(a[i], b[i]) : std::max(a[i], b[i]);
  return out;
}

Int8s add(const Add& op, const Int8s& a, const Int8s& b) {
  const auto scaled = [&](std::int32_t x, std::int32_t zero, const Multiplier& m) {
    return multiply_by_quantized_multiplier((x - zero) * (1 << op.left_shift), m.value, m.shift);
  };
  return for_each_output(op.image, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const std::size_t i = at(op.image, y, x, c);
    const std::int8_t other = b[op.by_channel ? static_cast<std::size_t>(c) : i];
    return staged(scaled(a[i], op.a_zero, op.a) + scaled(other, op.b_zero, op.b), op.stage, c);
  });
}

Int8s mul(const Mul& op, const std::vector<Int8s>& inputs) {
  return for_each_output(op.image, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const std::size_t i = at(op.image, y, x, c), channel = static_cast<std::size_t>(c);
    const std::int32_t b = op.factors.empty() ? inputs[1][op.by_channel ? channel : i] : op.factors[channel];
    return staged((inputs[0][i] - op.a_zero) * (b - op.b_zero), op.stage, c);
  });
}

Int8s slopes(const Slopes& op, const Int8s& in) {
  const auto scaled = [](std::int32_t x, const Multiplier& m) {
    const std::int32_t wide = wrap_shift_left(x, static_cast<unsigned>(m.left()));
    return round_shift_right(srdh_mul(wide, m.value), static_cast<unsigned>(m.right()));
  };
  Int8s out;
  for (const std::int8_t x : in) {
    const std::int32_t a = scaled(x - op.input_zero, op.slopes[0]),
                       b = scaled(x - op.input_zero, op.slopes[1]);
    const std::int32_t value = (op.smaller ? std::min(a, b) : std::max(a, b)) + op.zero_point;
    out.push_back(static_cast<std::int8_t>(std::clamp(value, op.min, op.max)));
  }
  return out;
}

Int8s max_pool(const MaxPool2d& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    std::int32_t best = -128;
    for_window(op.in, op.window, y, x, [&](std::int64_t iy, std::int64_t ix, std::int64_t, std::int64_t) {
      best = std::max<std::int32_t>(best, in[at(op.in, iy, ix, c)]);
    });
    return static_cast<std::int8_t>(std::clamp(best, op.min, op.max));
  });
}

Int8s avg_pool(const AvgPool2d& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    std::int32_t sum = 0, count = 0;
    for_window(op.in, op.window, y, x, [&](std::int64_t iy, std::int64_t ix, std::int64_t, std::int64_t) {
      sum += in[at(op.in, iy, ix, c)] + op.offset;
      ++count;
    });
    const std::int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    return static_cast<std::int8_t>(std::clamp(mean - op.offset, op.min, op.max));
  });
}

Int8s sum_pool(const SumPool2d& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    std::int64_t sum = 0;
    for_window(op.in, op.window, y, x, [&](std::int64_t iy, std::int64_t ix, std::int64_t, std::int64_t) {
      sum += in[at(op.in, iy, ix, c)] - op.input_zero;
    });
    return staged(sum, op.stage, c);
  });
}

Int8s moved(const Move& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const std::int64_t iy = y - op.pad_top, ix = x - op.pad_left;
    const bool inside = iy >= 0 && iy < op.in.h && ix >= 0 && ix < op.in.w;
    return inside ? in[at(op.in, iy, ix, c)] : static_cast<std::int8_t>(op.value);
  });
}

Int8s selected(const Select& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const std::int64_t iy = op.rows[static_cast<std::size_t>(y)],
                       ix = op.columns[static_cast<std::size_t>(x)];
    return iy < 0 || ix < 0 ? static_cast<std::int8_t>(op.value) : in[at(op.in, iy, ix, op.channel + c)];
  });
}

Int8s bilinear(const Bilinear& op, const Int8s& in) {
  return for_each_output(op.out, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const Bilinear::Place &row = op.rows[static_cast<std::size_t>(y)],
                          &column = op.columns[static_cast<std::size_t>(x)];
    const auto between = [&](std::int64_t iy) {
      return (in[at(op.in, iy, column.first, c)] - op.zero) * (op.parts - column.weight) +
             (in[at(op.in, iy, column.second, c)] - op.zero) * column.weight;
    };
    const std::int64_t sum = between(row.first) * (op.parts - row.weight) + between(row.second) * row.weight;
    const std::int64_t whole = op.parts * op.parts, half = sum > 0 ? whole / 2 : -(whole / 2);
    return static_cast<std::int8_t>((sum + half) / whole + op.zero);
  });
}

Int8s joined(const Concat& op, const std::vector<Int8s>& inputs) {
  return for_each_output(output_of(op), [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    std::size_t i = 0;
    c -= op.before;
    if (c < 0) return static_cast<std::int8_t>(op.value);
    std::int64_t& along = op.rows ? y : op.columns ? x : c;
    const auto extent = [&] {
      const Image& image = op.inputs[i];
      return op.rows ? image.h : op.columns ? image.w : image.c;
    };
    while (i < op.inputs.size() && along >= extent()) {
      along -= extent();
      ++i;
    }
    if (i == op.inputs.size()) return static_cast<std::int8_t>(op.value);
    return inputs[i][at(op.inputs[i], y, x, c)];
  });
}

}  // namespace

namespace {

Int8s of_one_image(const Op& op, const std::vector<Int8s>& inputs) {
  return std::visit(
      overloaded{
          [&](const Move& o) { return moved(o, inputs[0]); },
          [&](const Select& o) { return selected(o, inputs[0]); },
          [&](const Bilinear& o) { return bilinear(o, inputs[0]); },
          [&](const Concat& o) { return joined(o, inputs); },
          [](const MatMul&) -> Int8s {
            VDLA_CHECK(false) << "products are compared as graphs (tests/e2e/matmul_test.cpp)";
            return {};
          },
          [&](const Conv2d& o) {
            const Int8s result = conv(o, inputs[0]);
            return o.sum ? add(*o.sum, result, inputs[1]) : result;
          },
          [&](const DepthwiseConv2d& o) { return depthwise(o, inputs[0]); },
          [&](const Extremum& o) { return extremum(o, inputs[0], inputs[1]); },
          [&](const Add& o) { return add(o, inputs[0], inputs[1]); },
          [&](const Mul& o) { return mul(o, inputs); },
          [&](const Slopes& o) { return slopes(o, inputs[0]); },
          [&](const MaxPool2d& o) { return max_pool(o, inputs[0]); },
          [&](const AvgPool2d& o) { return avg_pool(o, inputs[0]); },
          [&](const SumPool2d& o) { return sum_pool(o, inputs[0]); },
          [&](const ConvDepthwise& o) { return depthwise(o.second, reference(Op(o.first), inputs)); },
          [&](const Requantize& o) {
            return for_each_output(o.image, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
              return staged(inputs[0][at(o.image, y, x, c)] - o.input_zero, o.stage, c);
            });
          },
      },
      op);
}

}  // namespace

Int8s reference(const Op& any, const std::vector<Int8s>& inputs) {
  return std::visit(
      [&]<class Layer>(const Layer& op) {
        if constexpr (requires { op.images; }) {
          Layer one = op;
          one.images = 1;
          const std::size_t size = inputs[0].size() / static_cast<std::size_t>(op.images);
          Int8s all;
          for (std::size_t at = 0; at < inputs[0].size(); at += size) {
            std::vector<Int8s> image = inputs;
            image[0].assign(inputs[0].begin() + static_cast<std::ptrdiff_t>(at),
                            inputs[0].begin() + static_cast<std::ptrdiff_t>(at + size));
            const Int8s result = of_one_image(one, image);
            all.insert(all.end(), result.begin(), result.end());
          }
          return all;
        } else {
          return of_one_image(op, inputs);
        }
      },
      any);
}

Int8s random_int8(std::size_t count, std::mt19937& random) {
  std::uniform_int_distribution<int> any(-128, 127);
  Int8s values(count);
  for (auto& v : values) v = static_cast<std::int8_t>(any(random));
  return values;
}

Add random_add(const Image& image, std::mt19937& random) {
  const auto any = [&](int count) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
  };
  Add op;
  op.name = "add";
  op.image = image;
  op.a_zero = any(256) - 128;
  op.b_zero = any(256) - 128;
  op.a = {1073741824 + any(1073741824), -any(4)};
  op.b = {1073741824 + any(1073741824), -any(4)};
  op.stage.multiplier = {{1073741824 + any(1073741824), -18 - any(3)}};
  op.stage.zero_point = any(256) - 128;
  return op;
}

void randomise(OutputStage& stage, std::int64_t channels, double gain, std::mt19937& random) {
  std::uniform_real_distribution<double> spread(0.5, 2);
  stage.multiplier.clear();
  for (std::int64_t c = 0; c < channels; ++c) {
    const QuantizedMultiplier q = quantize_multiplier(gain * spread(random));
    stage.multiplier.push_back({q.multiplier, q.shift});
  }
}

namespace {

/// Brings a sum of `terms` products of random int8 to a spread of about 50.
double gain_for(double terms) { return 50 / (74 * 74 * std::sqrt(terms)); }

template <class Layer>
void randomise_layer(Layer& op, double terms, std::size_t weights, std::mt19937& random) {
  std::uniform_int_distribution<std::int32_t> bias(-20000, 20000);
  op.weights = random_int8(weights, random);
  std::vector<std::int32_t> biases(static_cast<std::size_t>(op.out.c));
  for (auto& b : biases) b = bias(random);
  op.bias = std::move(biases);
  randomise(op.stage, op.out.c, gain_for(terms), random);
}

}  // namespace

void randomise(Conv2d& op, std::mt19937& random) {
  const std::int64_t terms = op.window.kernel_h * op.window.kernel_w * (op.in.c / op.groups);
  randomise_layer(op, double(terms), static_cast<std::size_t>(op.out.c * terms), random);
}

void randomise(DepthwiseConv2d& op, std::mt19937& random) {
  const std::int64_t terms = op.window.kernel_h * op.window.kernel_w;
  randomise_layer(op, double(terms), static_cast<std::size_t>(op.out.c * terms), random);
}

}  // namespace vdla::pipeline::device
