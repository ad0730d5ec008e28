// SPDX-License-Identifier: Apache-2.0
// DeformConv: a convolution whose taps lie at places that another tensor moves.
#include "compiler/import/tensor/node_window.h"
#include "compiler/import/tensor/points.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;

std::int64_t product_of(const Shape& shape) { return graph::element_count(shape); }

class DeformableConvolution {
 public:
  explicit DeformableConvolution(const Node& c)
      : c_(c),
        x_(c.float_in(0)),
        w_(c.float_in(1)),
        offset_(c.float_in(2)),
        groups_(c.positive("group")),
        offset_groups_(c.positive("offset_group")) {
    c.require(x_.rank() >= 3 && w_.rank() == x_.rank() && offset_.rank() == x_.rank(),
              "has data of " + graph::to_string(x_.shape) + ", weights of " + graph::to_string(w_.shape) +
                  " and offsets of " + graph::to_string(offset_.shape) +
                  ", needs N C and spatial dimensions of each");
    spatial_ = {x_.shape.begin() + 2, x_.shape.end()};
    const std::size_t rank = spatial_.size();
    a_ = stated_window_of(c, kernel_of(c, w_.shape), rank);
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t span = (a_.kernel[d] - 1) * a_.dilation[d] + 1;
      const std::int64_t rest = spatial_[d] + a_.before[d] + a_.after[d] - span;
      c.require(rest >= 0, "has a kernel of " + std::to_string(span) + " elements in dimension " +
                               std::to_string(d) + " of " + graph::to_string(spatial_) + " with its padding");
      out_.push_back(rest / a_.stride[d] + 1);
    }
    taps_ = product_of(a_.kernel);
    points_ = product_of(out_);
    const std::int64_t channels = x_.shape[1];
    c.require(
        w_.shape[0] % groups_ == 0 && w_.shape[1] * groups_ == channels && channels % offset_groups_ == 0,
        "has weights " + graph::to_string(w_.shape) + ", " + std::to_string(groups_) + " groups and " +
            std::to_string(offset_groups_) + " groups of offsets for " + std::to_string(channels) +
            " channels, needs groups that divide them");
    require_shape(2, taps_ * static_cast<std::int64_t>(spatial_.size()));
    if (c.has(4)) require_shape(4, taps_);
  }

  void run() const {
    const std::int64_t n = x_.shape[0], channels = x_.shape[1], each = channels / offset_groups_;
    const Pictures pictures = {c_.reshape(x_, {n * offset_groups_, each, product_of(spatial_)}), spatial_};
    Points points;
    for (std::size_t d = 0; d < spatial_.size(); ++d) points.push_back(coordinate(d));
    Value taps = interpolated_at(c_, pictures, points);
    if (c_.has(4))
      taps = c_.binary(BinaryOp::Mul, taps,
                       c_.reshape(c_.float_in(4), {n * offset_groups_, 1, taps_ * points_}));
    const std::int64_t terms = channels / groups_ * taps_, outputs = w_.shape[0];
    const Value columns = c_.reshape(taps, {n, groups_, terms, points_});
    const Value y = c_.matmul(c_.reshape(w_, {1, groups_, outputs / groups_, terms}), columns);
    Shape shape = {n, outputs};
    shape.insert(shape.end(), out_.begin(), out_.end());
    c_.set(biased(c_.reshape(y, shape)));
  }

 private:
  void require_shape(int i, std::int64_t each) const {
    Shape wanted = {x_.shape[0], offset_groups_ * each};
    wanted.insert(wanted.end(), out_.begin(), out_.end());
    c_.require(c_.in(i).shape == wanted && c_.in(i).type == x_.type,
               std::string("has ") + (i == 2 ? "offsets" : "a mask") + " of " +
                   graph::to_string(c_.in(i).shape) + ", needs " + graph::to_string(wanted) +
                   " of the type of the data");
  }

  /// Places of all taps along spatial dimension d, [N * groups of offsets, 1, taps * points]: where a
  /// convolution has them, and the offset.
  Value coordinate(std::size_t d) const {
    const auto rank = static_cast<std::int64_t>(spatial_.size());
    c_.require_constant({taps_, points_});
    std::vector<double> places;
    const auto along = [](const Shape& shape, std::size_t dimension, std::int64_t number) {
      for (std::size_t k = shape.size(); --k > dimension;) number /= shape[k];
      return number % shape[dimension];
    };
    for (std::int64_t k = 0; k < taps_; ++k)
      for (std::int64_t p = 0; p < points_; ++p)
        places.push_back(static_cast<double>(along(out_, d, p) * a_.stride[d] +
                                             along(a_.kernel, d, k) * a_.dilation[d] - a_.before[d]));
    const std::int64_t rows = x_.shape[0] * offset_groups_;
    const Value moved = c_.part(c_.reshape(offset_, {rows, taps_, rank, points_}), 2,
                                static_cast<std::int64_t>(d), static_cast<std::int64_t>(d) + 1);
    return c_.binary(BinaryOp::Add, c_.reshape(moved, {rows, 1, taps_ * points_}),
                     make_constant(x_.type, {taps_ * points_}, places));
  }

  Value biased(const Value& y) const {
    if (!c_.has(3)) return y;
    const Value& bias = c_.float_in(3);
    c_.require(bias.shape == Shape{y.shape[1]}, "has a bias of " + graph::to_string(bias.shape) + ", needs " +
                                                    std::to_string(y.shape[1]) + " elements");
    Shape shape(spatial_.size() + 1, 1);
    shape[0] = y.shape[1];
    return c_.binary(BinaryOp::Add, y, c_.reshape(bias, shape));
  }

  const Node& c_;
  Value x_, w_, offset_;
  std::int64_t groups_, offset_groups_, taps_ = 1, points_ = 1;
  WindowAttributes a_;
  Shape spatial_, out_;
};

void deform_conv(const Node& c) { DeformableConvolution(c).run(); }

constexpr Operator kDeformableOperators[] = {
    {"DeformConv", deform_conv},
};

}  // namespace

std::span<const Operator> deformable_operators() { return kDeformableOperators; }

}  // namespace vdla::import::tensor
