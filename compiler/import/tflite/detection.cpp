// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess: boxes of a detector from anchors, and the ones of largest score that do not
// overlap, a step for each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/suppression.h"
#include "compiler/import/tflite/flex_map.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::DType;
using expr::Reducer;
using tensor::real;
using tensor::Scalar;

/// Options of the operator, each checked.
struct Options {
  std::int64_t detections, classes_each, per_class, classes;
  double least_score, most_overlap;
  std::array<double, 4> scale;  ///< divisors of y, x, height and width
  bool regular;                 ///< boxes are chosen for each class on its own
};

class Reader {
 public:
  explicit Reader(const Operation& c) : c_(c), map_(FlexMap::read(c.custom_options())) {
    c.require(map_.has_value(), "has options that are no map of FlexBuffers (corrupt)");
  }

  double number(const char* key, std::optional<double> otherwise = {}) const {
    const std::optional<double> found = map_->number(key);
    c_.require(found || otherwise, fmt::format("lacks its option {}, needs a number", key));
    const double value = found ? *found : *otherwise;
    c_.require(std::isfinite(value), fmt::format("has {} {}, needs a finite number", key, value));
    return static_cast<float>(value);
  }
  std::int64_t whole(const char* key, std::int64_t most, std::optional<double> otherwise = {}) const {
    const double value = number(key, otherwise);
    c_.require(value >= 1 && value <= static_cast<double>(most) && value == std::floor(value),
               fmt::format("has {} {}, needs a whole number of 1 to {}", key, value, most));
    return static_cast<std::int64_t>(value);
  }

 private:
  const Operation& c_;
  std::optional<FlexMap> map_;
};

Options options_of(const Operation& c) {
  constexpr std::int64_t kMostClasses = 1 << 16;
  const Reader r(c);
  Options o{};
  o.regular = r.number("use_regular_nms", 0) != 0;
  o.detections = r.whole("max_detections", tensor::kMostChosen);
  o.classes_each = r.whole("max_classes_per_detection", kMostClasses);
  o.per_class = r.whole("detections_per_class", 1 << 24, 100);
  o.classes = r.whole("num_classes", kMostClasses);
  o.least_score = r.number("nms_score_threshold");
  o.most_overlap = r.number("nms_iou_threshold");
  c.require(o.most_overlap > 0 && o.most_overlap <= 1,
            fmt::format("has nms_iou_threshold {}, needs more than 0 and at most 1", o.most_overlap));
  const std::array<const char*, 4> keys = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    o.scale[i] = r.number(keys[i]);
    c.require(o.scale[i] != 0, fmt::format("has {} 0, needs another number", keys[i]));
  }
  return o;
}

/// Boxes that were chosen, and their classes.
struct Detected : tensor::Chosen {
  Value classes;
};

class Detection {
 public:
  explicit Detection(const Operation& c) : c_(c), o_(options_of(c)) {
    const Value boxes = c.reals(0), anchors = c.reals(2);
    scores_ = c.reals(1);
    c.require(boxes.rank() == 3 && boxes.shape[0] == 1 && boxes.shape[2] >= 4,
              fmt::format("has boxes of {}, needs 1, boxes, 4", graph::to_string(boxes.shape)));
    count_ = boxes.shape[1];
    c.require(count_ > 0 && anchors.shape == Shape{count_, 4},
              fmt::format("has anchors of {} for {} boxes, needs {}, 4", graph::to_string(anchors.shape),
                          count_, count_));
    const bool fits = scores_.rank() == 3 && scores_.shape[0] == 1 && scores_.shape[1] == count_ &&
                      (scores_.shape[2] == o_.classes || scores_.shape[2] == o_.classes + 1);
    c.require(fits, fmt::format("has scores of {}, needs 1, {}, {} (num_classes), or one more for background",
                                graph::to_string(scores_.shape), count_, o_.classes));
    scores_ = c.part(scores_, 2, scores_.shape[2] - o_.classes, scores_.shape[2]);
    scores_ = c.reshape(scores_, {count_, o_.classes});
    decode(boxes, anchors);
  }

  void run() const { o_.regular ? by_class() : by_best_class(); }

 private:
  Value column(const Value& x, std::int64_t k) const {
    return c_.reshape(c_.part(x, x.rank() - 1, k, k + 1), {count_});
  }

  /// Corners of all boxes: low y, low x, high y, high x.
  void decode(const Value& boxes, const Value& anchors) {
    for (std::size_t d = 0; d < 2; ++d) {
      const auto at = static_cast<std::int64_t>(d), size = at + 2;
      const auto wide = [](const Scalar& x) { return cast(DType::F64, x); };
      const Value center = c_.map("Center", {column(boxes, at), column(anchors, size), column(anchors, at)},
                                  [&](const auto& v) {
                                    const Scalar step = wide(v[0]) / real(o_.scale[d], wide(v[0]));
                                    return cast(DType::F32, step * wide(v[1]) + wide(v[2]));
                                  });
      const Value half = c_.map("HalfSize", {column(boxes, size), column(anchors, size)}, [&](const auto& v) {
        const Scalar power =
            tensor::call(expr::Function::Exp, wide(v[0]) / real(o_.scale[d + 2], wide(v[0])));
        return cast(DType::F32, real(0.5, power) * power * wide(v[1]));
      });
      corners_[d] = c_.binary(expr::BinaryOp::Sub, center, half);
      corners_[d + 2] = c_.binary(expr::BinaryOp::Add, center, half);
    }
  }

  /// Boxes of largest score by each row of scores [rows, boxes]; those below the least score are out.
  Detected choose(const Value& scores, std::int64_t steps) const {
    const Value left = c_.map("Candidates", {scores}, [&](const auto& v) {
      return select(v[0] >= real(o_.least_score, v[0]), v[0], real(tensor::kOutScore, v[0]));
    });
    return {tensor::choose_boxes(c_, left, corners_, steps, o_.most_overlap), {}};
  }

  /// Chooses by the largest score of any class; a detection has several classes, the best one first.
  void by_best_class() const {
    const std::int64_t steps = std::min(o_.detections, count_);
    const Value best = c_.fold(Reducer::Max, scores_, {1}, false);
    Detected chosen = choose(c_.reshape(best, {1, count_}), steps);
    chosen.places = c_.reshape(chosen.places, {steps});
    chosen.scores = c_.reshape(chosen.scores, {steps, 1});
    const Value rows = c_.gather(scores_, chosen.places, 0);
    const std::int64_t each = std::min(o_.classes_each, o_.classes);
    chosen.classes = each == 1 ? c_.emit(graph::Locate{false, false, 1, true}, {rows})
                               : c_.part(c_.emit(graph::Sort{1, true}, {rows}), 1, 0, each);
    set(chosen, c_.emit(graph::GatherElements{1}, {rows, chosen.classes}), o_.detections, o_.classes_each);
  }

  /// Chooses for each class on its own; the detections of largest score are left.
  void by_class() const {
    const std::int64_t steps = std::min({o_.per_class, o_.detections, count_}), all = steps * o_.classes;
    const Detected some = choose(c_.transpose(scores_, {1, 0}), steps);
    const Value scores = c_.reshape(some.scores, {all});
    const Value order = c_.part(c_.emit(graph::Sort{0, true}, {scores}), 0, 0, std::min(o_.detections, all));
    Detected chosen;
    chosen.places = c_.gather(c_.reshape(some.places, {all}), order, 0);
    chosen.scores = c_.gather(scores, c_.reshape(order, {order.count(), 1}), 0);
    chosen.classes = c_.map("Class", {c_.reshape(order, {order.count(), 1})}, [&](const auto& v) {
      return floor_div(v[0], Scalar(expr::number(steps, DType::I64)));
    });
    set(chosen, chosen.scores, o_.detections * o_.classes_each, 1);
  }

  /// Sets the outputs of `rows` detections with `each` classes, zeros behind those that were chosen.
  void set(const Detected& chosen, const Value& scores, std::int64_t rows, std::int64_t each) const {
    const std::int64_t steps = chosen.places.count(), classes = chosen.classes.shape[1];
    const Value valid =
        c_.map("Valid", {chosen.scores}, [](const auto& v) { return v[0] > real(tensor::kOutScore, v[0]); });
    const auto spread = [&](const Value& x, std::int64_t width) {
      const Value kept = c_.map("Detected", {c_.reshape(valid, {steps, 1, 1}), x},
                                [](const auto& v) { return select(v[0], v[1], real(0, v[1])); });
      const Value wide = c_.broadcast(kept, {steps, classes, width});
      return c_.pad(wide, {0, 0, 0}, {rows - steps, each - classes, 0}, 0);
    };
    std::vector<Value> columns;
    columns.reserve(corners_.size());
    for (const Value& corner : corners_) columns.push_back(c_.reshape(corner, {count_, 1}));
    const Value boxes = c_.gather(c_.concat(columns, 1), chosen.places, 0);
    c_.set(0, c_.reshape(spread(c_.reshape(boxes, {steps, 1, 4}), 4), {1, rows * each, 4}));
    const auto by_class = [&](const Value& x) {
      return c_.reshape(spread(c_.reshape(x, {steps, classes, 1}), 1), {1, rows * each});
    };
    c_.set(1, by_class(c_.cast(chosen.classes, DataType::Float32)));
    c_.set(2, by_class(scores));
    c_.set(3, c_.fold(Reducer::Sum, c_.cast(c_.reshape(valid, {steps}), DataType::Float32), {0}, true));
  }

  const Operation& c_;
  Options o_;
  std::int64_t count_ = 0;  ///< number of boxes
  Value scores_;            ///< [boxes, classes]
  tensor::Edges corners_;
};

void detect(const Operation& c) { Detection(c).run(); }

constexpr Row kCustomRows[] = {
    {"TFLite_Detection_PostProcess", detect, Takes::Moved},
};

}  // namespace

std::span<const Row> custom_rows() { return kCustomRows; }

}  // namespace vdla::import::tflite
