// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/published.h"

#include <fmt/format.h>

#include <vector>

namespace vdla::bench::paper {

std::span<const Workload> table2() {
  static const std::vector<Workload> kRows = {
      {"C1", {224, 3, 64, 7, 2}, false, 118.0, 105.9},   {"C2", {56, 64, 64, 3, 1}, false, 115.6, 114.2},
      {"C3", {56, 64, 64, 1, 1}, false, 12.8, 13.6},     {"C4", {56, 64, 128, 3, 2}, false, 57.8, 62.4},
      {"C5", {56, 64, 128, 1, 2}, false, 6.4, 6.6},      {"C6", {28, 128, 128, 3, 1}, false, 115.6, 111.7},
      {"C7", {28, 128, 256, 3, 2}, false, 57.8, 60.3},   {"C8", {28, 128, 256, 1, 2}, false, 6.4, 5.8},
      {"C9", {14, 256, 256, 3, 1}, false, 115.6, 110.4}, {"C10", {14, 256, 512, 3, 2}, false, 57.8, 73.8},
      {"C11", {14, 256, 512, 1, 2}, false, 6.4, 6.8},    {"C12", {7, 512, 512, 3, 1}, false, 115.6, 107.9},
      {"D1", {112, 32, 32, 3, 1}, true, 3.61, 14.03},    {"D2", {112, 64, 64, 3, 2}, true, 1.81, 8.66},
      {"D3", {56, 128, 128, 3, 1}, true, 3.61, 13.59},   {"D4", {56, 128, 128, 3, 2}, true, 0.90, 3.49},
      {"D5", {28, 256, 256, 3, 1}, true, 1.81, 5.92},    {"D6", {28, 256, 256, 3, 2}, true, 0.45, 1.61},
      {"D7", {14, 512, 512, 3, 1}, true, 0.90, 2.82},    {"D8", {14, 512, 512, 3, 2}, true, 0.23, 0.84},
      {"D9", {7, 1024, 1024, 3, 1}, true, 0.45, 1.33}};
  return kRows;
}

std::span<const RooflinePoint> figure10() {
  static constexpr RooflinePoint kPoints[] = {
      {{56, 64, 64, 3, 1}, 222.2, 34.40, 37.35},   {{56, 64, 64, 1, 1}, 25.5, 10.95, 14.48},
      {{56, 64, 128, 3, 2}, 171.1, 31.01, 38.63},  {{56, 64, 128, 1, 2}, 21.0, 6.54, 9.30},
      {{28, 128, 128, 3, 1}, 356.1, 35.66, 42.01}, {{28, 128, 256, 3, 2}, 194.0, 29.72, 42.97},
      {{28, 128, 256, 1, 2}, 38.5, 10.11, 15.16},  {{14, 256, 256, 3, 1}, 275.0, 29.65, 45.15},
      {{14, 256, 512, 3, 2}, 86.9, 19.71, 30.41},  {{14, 256, 512, 1, 2}, 45.6, 9.58, 14.83},
      {{7, 512, 512, 3, 1}, 93.1, 20.01, 32.34}};
  return kPoints;
}

std::string name_of(const ConvShape& s) {
  return fmt::format("{0}x{0} {1}->{2} {3}x{3}{4}", s.size, s.in, s.out, s.kernel,
                     s.stride == 1 ? "" : fmt::format(" /{}", s.stride));
}

std::string name_of(const Workload& w) {
  if (!w.depthwise) return name_of(w.shape);
  return fmt::format("{0}x{0} {1} depthwise {2}x{2}{3}", w.shape.size, w.shape.in, w.shape.kernel,
                     w.shape.stride == 1 ? "" : fmt::format(" /{}", w.shape.stride));
}

}  // namespace vdla::bench::paper
