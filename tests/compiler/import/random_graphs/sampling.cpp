// SPDX-License-Identifier: Apache-2.0
// GridSample, Fourier transforms, determinants.
#include <algorithm>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

bool grid_sample(Sketch& s, const char* name) {
  Random& r = s.random();
  const Piece x = s.take({kFloat, 4, 4, -1e4, 1e4});
  const Shape points = {x.shape[0], r.between(std::int64_t{1}, std::int64_t{3}),
                        r.between(std::int64_t{1}, std::int64_t{3}), 2};
  const Piece grid = s.constant(DataType::Float32, points, -1.2, 1.2);
  Written n = s.node(name);
  n.in(x).in(grid);
  const bool later = s.opset() >= 20;
  if (r.chance(0.7))
    n.text("mode", r.one_of({later ? "linear" : "bilinear", "nearest", later ? "cubic" : "bicubic"}));
  const std::string padding = r.chance(0.6) ? r.one_of({"zeros", "border", "reflection"}) : "";
  if (!padding.empty()) n.text("padding_mode", padding);
  const std::int64_t aligned = r.below(2);
  // ONNX Runtime divides by the distance of the corners: where that is 0, one answer in 30 is NaN.
  const bool is_point = x.shape[2] == 1 || x.shape[3] == 1;
  n.some("align_corners", 0, padding == "reflection" && is_point ? 0 : aligned);
  n.out(x.type, {x.shape[0], x.shape[1], points[1], points[2]}, x.low * 3 - 1, x.high * 3 + 1, false,
        x.typical);
  return true;
}

bool determinant(Sketch& s, const char* name) {
  Shape shape = s.shape(0, 2, 3);
  const Shape batch = shape;
  const std::int64_t n = s.random().between(std::int64_t{1}, std::int64_t{3});
  shape.insert(shape.end(), {n, n});
  const Piece x = s.fresh(DataType::Float32, shape, -2, 2);
  s.node(name).in(x).out(x.type, batch, -50, 50, false);
  return true;
}

bool fourier(Sketch& s, const char* name) {
  Random& r = s.random();
  const std::int64_t length = r.between(std::int64_t{2}, std::int64_t{6}),
                     components = r.between(std::int64_t{1}, std::int64_t{2});
  const Piece x =
      s.fresh(DataType::Float32, {r.between(std::int64_t{1}, std::int64_t{2}), length, components}, -2, 2);
  const bool half = components == 1 && r.chance(0.3);
  Written n = s.node(name);
  n.in(x);
  if (half) n.integer("onesided", 1);
  if (!half && components == 2 && r.chance(0.4)) n.integer("inverse", 1);
  n.out(x.type, {x.shape[0], half ? length / 2 + 1 : length, 2}, -50, 50, false);
  return true;
}

bool short_time(Sketch& s, const char* name) {
  Random& r = s.random();
  const std::int64_t length = r.between(std::int64_t{6}, std::int64_t{12}),
                     frame = r.between(std::int64_t{2}, std::int64_t{5}),
                     step = r.between(std::int64_t{1}, std::int64_t{3});
  const Piece x = s.fresh(DataType::Float32, {r.between(std::int64_t{1}, std::int64_t{2}), length, 1}, -2, 2);
  const bool windowed = r.chance(0.5);
  const auto scalar = [&](std::int64_t v) { return s.constant_of(DataType::Int64, {}, {double(v)}); };
  const Piece a = scalar(step), w = windowed ? s.constant(DataType::Float32, {frame}, 0.2, 1) : Piece{},
              b = scalar(frame);
  Written n = s.node(name);
  n.in(x).in(a);
  windowed ? n.in(w) : n.absent();
  n.in(b);
  const bool half = n.some("onesided", 1, r.below(2)) != 0;
  n.out(x.type, {x.shape[0], (length - frame) / step + 1, half ? frame / 2 + 1 : frame, 2}, -50, 50, false);
  return true;
}

}  // namespace

std::vector<Operator> sampling_operators() {
  return {{"DFT", 17, kEver, fourier},
          {"Det", 11, kEver, determinant},
          {"GridSample", 16, kEver, grid_sample},
          {"STFT", 17, kEver, short_time}};
}

}  // namespace vdla::random_graphs
