// SPDX-License-Identifier: Apache-2.0
// RoiAlign and NonMaxSuppression: regions of pictures, sampled at a grid of points, or chosen by scores.
#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/import/tensor/extents.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/suppression.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using expr::Reducer;

/// Coordinates of sample points along one dimension of the picture, [regions, points], in elements.
struct Line {
  Value places;
  std::int64_t extent;
};

/// One of the two elements around each point of a line: its number and its weight. A point that is further
/// outside than one element has weight 0.
struct Neighbour {
  Value number, weight;
};

Neighbour neighbour(const Node& c, const Line& line, bool second) {
  const std::int64_t last = line.extent - 1;
  // The point inside the picture, and the element before it.
  const auto inside = [&](const Scalar& p) {
    return clamp(p, real(0, p), real(static_cast<double>(last), p));
  };
  const Value number = c.map("Number", {line.places}, [&](const auto& v) {
    const Scalar first = expr::cast(DType::I64, call(Function::Floor, inside(v[0])));
    return second ? minimum(first + 1, last) : first;
  });
  const Value weight = c.map("Weight", {line.places}, [&](const auto& v) {
    const Scalar p = inside(v[0]), share = p - call(Function::Floor, p);
    const Scalar known = v[0] >= real(-1, p) && v[0] <= real(static_cast<double>(line.extent), p);
    return select(known, second ? share : Scalar(real(1, p) - share), real(0, p));
  });
  return {number, weight};
}

class RoiAlign {
 public:
  explicit RoiAlign(const Node& c)
      : c_(c),
        x_(c.float_in(0)),
        rois_(c.float_in(1)),
        sampling_(c.integer("sampling_ratio")),
        // Set 10 has the coordinates that later ones call output_half_pixel.
        shifted_(c.opset() >= 16 && c.word("coordinate_transformation_mode",
                                           {"half_pixel", "output_half_pixel"}) == "half_pixel"),
        largest_(c.word("mode", {"avg", "max"}) == "max") {
    c.require(x_.rank() == 4, "has data of " + graph::to_string(x_.shape) + ", needs N C H W");
    c.require(rois_.rank() == 2 && rois_.shape[1] == 4 && c.in(2).shape == Shape{rois_.shape[0]},
              "has regions of " + graph::to_string(rois_.shape) + " and pictures of " +
                  graph::to_string(c.in(2).shape) + ", needs 4 corners of each region and one number");
    c.require(rois_.type == x_.type, "has data of " + std::string(name_of(x_.type)) + " and regions of " +
                                         std::string(name_of(rois_.type)) + ", needs one type");
    c.require(sampling_ > 0, "has sampling_ratio " + std::to_string(sampling_) +
                                 ", by which the grid depends on the regions; needs a number above 0");
  }

  void run() const {
    const std::int64_t regions = rois_.shape[0], channels = x_.shape[1], h = x_.shape[2], w = x_.shape[3];
    const std::int64_t rows = c_.positive("output_height"), columns = c_.positive("output_width");
    c_.require_constant({rows, sampling_, columns, sampling_});
    const Line y = line(1, rows, h), x = line(0, columns, w);
    const Value elements = c_.reshape(c_.transpose(x_, {0, 2, 3, 1}), {x_.shape[0] * h * w, channels});
    const std::int64_t down = rows * sampling_, across = columns * sampling_;
    const Value picture = c_.reshape(c_.cast(c_.in(2), DataType::Int64), {regions, 1, 1});
    std::optional<Value> result;
    for (const bool below : {false, true})
      for (const bool right : {false, true}) {
        const Neighbour v = neighbour(c_, y, below), u = neighbour(c_, x, right);
        const Value index = c_.map(
            "Place",
            {picture, c_.reshape(v.number, {regions, down, 1}), c_.reshape(u.number, {regions, 1, across})},
            [&](const auto& i) { return (i[0] * h + i[1]) * w + i[2]; });
        const Value part = c_.map("Share",
                                  {c_.gather(elements, index, 0), c_.reshape(v.weight, {regions, down, 1, 1}),
                                   c_.reshape(u.weight, {regions, 1, across, 1})},
                                  [](const auto& i) { return i[0] * (i[1] * i[2]); });
        result = result ? c_.binary(largest_ ? BinaryOp::Max : BinaryOp::Add, *result, part) : part;
      }
    const Value grids = c_.reshape(*result, {regions, rows, sampling_, columns, sampling_, channels});
    Value pooled = c_.fold(largest_ ? Reducer::Max : Reducer::Sum, grids, {2, 4}, false);
    if (!largest_ && sampling_ > 1)
      pooled = c_.map("Mean", {pooled}, [&](const auto& v) {
        return v[0] / real(static_cast<double>(sampling_ * sampling_), v[0]);
      });
    c_.set(c_.transpose(pooled, {0, 3, 1, 2}));
  }

 private:
  /// Points of `bins` bins along the dimension whose corners are columns `first` and `first` + 2.
  Line line(std::int64_t first, std::int64_t bins, std::int64_t extent) const {
    const std::int64_t points = bins * sampling_;
    const double scale = c_.real("spatial_scale"), shift = shifted_ ? 0.5 : 0;
    std::vector<double> middles;  // places of the points, in bins
    for (std::int64_t i = 0; i < points; ++i)
      middles.push_back(static_cast<double>(i / sampling_) +
                        (static_cast<double>(i % sampling_) + 0.5) / static_cast<double>(sampling_));
    const Value begin = c_.part(rois_, 1, first, first + 1), end = c_.part(rois_, 1, first + 2, first + 3);
    const Value places =
        c_.map("Point", {begin, end, make_constant(x_.type, {1, points}, middles)}, [&](const auto& v) {
          const auto corner = [&](const Scalar& p) { return p * real(scale, p) - real(shift, p); };
          Scalar size = corner(v[1]) - corner(v[0]);
          if (!shifted_) size = maximum(size, real(1, size));
          return corner(v[0]) + v[2] * (size / real(static_cast<double>(bins), size));
        });
    return {places, extent};
  }

  const Node& c_;
  Value x_, rois_;
  std::int64_t sampling_;
  bool shifted_, largest_;
};

void roi_align(const Node& c) { RoiAlign(c).run(); }

/// Boxes [batch, boxes, 4] and scores [batch, classes, boxes] of NonMaxSuppression.
class Suppression {
 public:
  explicit Suppression(const Node& c)
      : c_(c),
        boxes_(c.float_in(0)),
        scores_(c.float_in(1)),
        most_(c.has(2) ? c.number(2, "max_output_boxes_per_class") : 0),
        overlap_(c.has(3) ? c.real_number(3, "iou_threshold") : 0),
        centered_(c.integer("center_point_box") != 0) {
    const bool fits = boxes_.rank() == 3 && boxes_.shape[2] == 4 && scores_.rank() == 3 &&
                      boxes_.shape[0] == scores_.shape[0] && boxes_.shape[1] == scores_.shape[2] &&
                      boxes_.type == DataType::Float32 && scores_.type == DataType::Float32;
    c.require(fits, "has boxes of " + graph::to_string(boxes_.shape) + " and scores of " +
                        graph::to_string(scores_.shape) +
                        ", needs batch, boxes, 4 and batch, classes, boxes of float32");
    c.require(overlap_ >= 0 && overlap_ <= 1,
              "has iou_threshold " + std::to_string(overlap_) + ", needs 0 to 1");
    if (c.has(4)) least_ = c.real_number(4, "score_threshold");
  }

  void run() const {
    const std::int64_t batch = boxes_.shape[0], boxes = boxes_.shape[1], classes = scores_.shape[1];
    const std::int64_t steps = std::min(most_, boxes);
    if (steps <= 0 || scores_.count() == 0) return c_.set(make_constant(DataType::Int64, {0, 3}, Integers{}));
    c_.require(steps <= kMostChosen, "chooses up to " + std::to_string(steps) +
                                         " boxes of a class, needs max_output_boxes_per_class of at most " +
                                         std::to_string(kMostChosen));
    c_.require(batch <= kMostSteps / steps, "chooses " + std::to_string(steps) + " boxes in each of " +
                                                std::to_string(batch) + " pictures, needs " +
                                                std::to_string(kMostSteps) + " in all at most");
    std::vector<Value> places, best;
    for (std::int64_t i = 0; i < batch; ++i) {
      const Value scores = c_.reshape(c_.part(scores_, 0, i, i + 1), {classes, boxes});
      const Chosen chosen = choose_boxes(c_, candidates(scores), edges(i), steps, overlap_);
      places.push_back(chosen.places);
      best.push_back(chosen.scores);
    }
    const std::int64_t all = batch * classes * steps;
    const Value valid = c_.map("Valid", {c_.reshape(c_.concat(best, 0), {all})},
                               [](const auto& v) { return v[0] > real(kOutScore, v[0]); });
    const Compacted kept = compacted(c_, valid);
    const Value number = c_.reshape(kept.places, {all, 1});
    const auto index = [&](std::int64_t each, std::int64_t extent) {
      return c_.map("Index", {number}, [&](const auto& v) {
        return floor_mod(floor_div(v[0], Scalar(expr::number(each, DType::I64))), extent);
      });
    };
    const Value box = c_.gather(c_.reshape(c_.concat(places, 0), {all}), number, 0);
    const Value rows = c_.concat({index(classes * steps, batch), index(steps, classes), box}, 1);
    c_.set(with_extent(c_, rows, 0, kept.count));
  }

 private:
  static constexpr std::int64_t kMostSteps = 8'000;  ///< each is several nodes

  Value candidates(const Value& scores) const {
    if (!least_) return scores;
    return c_.map("Candidates", {scores}, [&](const auto& v) {
      return select(v[0] > real(*least_, v[0]), v[0], real(kOutScore, v[0]));
    });
  }

  /// Edges of the boxes of one picture. Two opposite corners may stand in either order.
  Edges edges(std::int64_t picture) const {
    const std::int64_t boxes = boxes_.shape[1];
    const Value one = c_.reshape(c_.part(boxes_, 0, picture, picture + 1), {boxes, 4});
    const auto column = [&](std::int64_t k) { return c_.reshape(c_.part(one, 1, k, k + 1), {boxes}); };
    if (!centered_) {
      const auto edge = [&](BinaryOp op, std::int64_t k) { return c_.binary(op, column(k), column(k + 2)); };
      return {edge(BinaryOp::Min, 0), edge(BinaryOp::Min, 1), edge(BinaryOp::Max, 0), edge(BinaryOp::Max, 1)};
    }
    const auto edge = [&](double half, std::int64_t k) {  // columns are x, y, width and height
      return c_.map("Edge", {column(k), column(k + 2)},
                    [&](const auto& v) { return v[0] + v[1] * real(half, v[1]); });
    };
    return {edge(-0.5, 1), edge(-0.5, 0), edge(0.5, 1), edge(0.5, 0)};
  }

  const Node& c_;
  Value boxes_, scores_;
  std::int64_t most_;
  double overlap_;
  std::optional<double> least_;
  bool centered_;
};

void non_max_suppression(const Node& c) { Suppression(c).run(); }

constexpr Operator kRegionOperators[] = {
    {"NonMaxSuppression", non_max_suppression},
    {"RoiAlign", roi_align},
};

}  // namespace

std::span<const Operator> region_operators() { return kRegionOperators; }

}  // namespace vdla::import::tensor
