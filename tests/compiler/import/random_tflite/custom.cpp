// SPDX-License-Identifier: Apache-2.0
// Custom operators, whose options are a map of FlexBuffers.
#include <flatbuffers/flexbuffers.h>

#include <cmath>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

/// Anchors [boxes, 4] whose extents are not below zero: y, x, height, width.
int anchors(Sketch& s, std::int64_t boxes, bool integers) {
  std::vector<double> elements;
  for (std::int64_t i = 0; i < 4 * boxes; ++i) {
    const bool extent = i % 4 >= 2;
    if (integers)
      elements.push_back(static_cast<double>(
          s.random.between(extent ? s.zero_point() : std::int64_t{0}, std::int64_t{255})));
    else
      elements.push_back(static_cast<float>(s.random.between(extent ? 0.05 : 0.0, extent ? 0.7 : 1.0)));
  }
  return s.constant(integers ? DataType::Int8 : kFloat, {boxes, 4}, elements);
}

/// Integers have equal scores, between which the library chooses in no order where classes are sorted.
void detection(Sketch& s, int code) {
  const std::int64_t boxes = s.random.between(std::int64_t{1}, std::int64_t{12}),
                     classes = s.random.between(std::int64_t{1}, std::int64_t{4});
  const bool integers = s.random.chance(0.3), regular = !integers && s.random.chance(0.4);
  const std::int64_t most = s.random.between(std::int64_t{1}, std::int64_t{8});
  const std::int64_t each = integers || regular ? 1 : s.random.between(std::int64_t{1}, classes);
  const std::int64_t background = s.random.below(2),
                     numbers = s.random.between(std::int64_t{4}, std::int64_t{5});
  const DataType type = integers ? DataType::Int8 : kFloat;
  if (integers) s.quantise(true);
  const int encodings = s.input(type, {1, boxes, numbers});
  if (integers) s.quantise(true);
  const int scores = s.input(type, {1, boxes, classes + background}, 0, 1);
  if (integers) s.quantise(true);
  const int places = anchors(s, boxes, integers);
  const bool states = s.random.chance(0.5);
  const auto output = [&](const Shape& shape) {
    states ? s.output(kFloat, shape) : s.output_without_shape(kFloat);
  };
  output({1, most * each, 4});
  output({1, most * each});
  output({1, most * each});
  output({1});
  flexbuffers::Builder options;
  options.Map([&] {
    const auto whole = [&](const char* key, std::int64_t value) { options.Int(key, value); };
    const auto real = [&](const char* key, double value) { options.Float(key, static_cast<float>(value)); };
    whole("max_detections", most);
    whole("max_classes_per_detection", each);
    whole("num_classes", classes);
    if (regular) {
      options.Bool("use_regular_nms", true);
      if (s.random.chance(0.7))
        whole("detections_per_class", s.random.between(std::int64_t{1}, std::int64_t{6}));
    } else if (s.random.chance(0.5)) {
      options.Bool("use_regular_nms", false);
    }
    real("nms_score_threshold", s.random.one_of({0.0, 1e-8, 0.2, 0.5}));
    real("nms_iou_threshold", s.random.one_of({0.1, 0.3, 0.5, 0.6, 1.0}));
    for (const char* key : {"y_scale", "x_scale"}) real(key, s.random.one_of({4.0, 10.0}));
    for (const char* key : {"h_scale", "w_scale"}) real(key, s.random.one_of({5.0, 20.0}));
  });
  options.Finish();
  s.file.custom = "TFLite_Detection_PostProcess";
  s.file.custom_options = options.GetBuffer();
  s.drawn.rows_each = each;
  s.finish(code, {encodings, scores, places});
}

}  // namespace

std::vector<Row> custom_rows() { return {{"TFLite_Detection_PostProcess", 32, detection}}; }

}  // namespace vdla::random_tflite
