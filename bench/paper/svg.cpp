// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "support/inert.h"

namespace vdla::bench::paper {
namespace {

/// Widths of the characters from ' ' to '~' in hundredths of the font's size, rounded up: those of DejaVu
/// Sans, which is the widest of the fonts that stand in for Helvetica.
constexpr std::array<std::uint8_t, 95> kWidths = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};
constexpr int kWidest = 100;  // a character that is not in the table: each of its bytes

/// Pixels between a text and the border of the picture.
constexpr double kMargin = 4;

}  // namespace

double width_of(std::string_view text, double size) {
  int hundredths = 0;
  for (const char c : visible(text))
    hundredths += c >= ' ' && c <= '~' ? kWidths[static_cast<std::size_t>(c - ' ')] : kWidest;
  return hundredths * size / 100;
}

Svg::Svg(double width, double height) : right_(width), bottom_(height) {}

void Svg::cover(double x1, double y1, double x2, double y2) {
  left_ = std::min({left_, x1, x2});
  right_ = std::max({right_, x1, x2});
  top_ = std::min({top_, y1, y2});
  bottom_ = std::max({bottom_, y1, y2});
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width,
               bool dashed) {
  cover(x1, y1, x2, y2);
  text_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
      x1, y1, x2, y2, colour, width, dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::box(double x, double y, double width, double height, std::string_view colour) {
  cover(x, y, x + width, y + height);
  text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                       x, y, width, height, colour);
}

void Svg::circle(double x, double y, double radius, std::string_view colour, bool filled) {
  cover(x - radius, y - radius, x + radius, y + radius);
  text_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.5\"/>\n",
      x, y, radius, filled ? colour : "#fff", colour);
}

void Svg::square(double x, double y, double side, std::string_view colour, bool filled) {
  cover(x - side / 2, y - side / 2, x + side / 2, y + side / 2);
  text_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.5\"/>\n",
      x - side / 2, y - side / 2, side, side, filled ? colour : "#fff", colour);
}

void Svg::words(double x, double y, std::string_view text, Anchor anchor, double size, double turn_degrees,
                std::string_view colour) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  // The corners of the text, with a margin, turned about its place.
  const double wide = width_of(text, size), before = wide * static_cast<double>(anchor) / 2;
  const double angle = turn_degrees * std::numbers::pi / 180, cosine = std::cos(angle),
               sine = std::sin(angle);
  for (const double along : {-before - kMargin, wide - before + kMargin})
    for (const double down : {-size - kMargin, size / 4 + kMargin}) {
      const double to_x = x + along * cosine - down * sine, to_y = y + along * sine + down * cosine;
      cover(to_x, to_y, to_x, to_y);
    }
  text_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2}\" text-anchor=\"{3}\" "
      "fill=\"{4}\"{5}>{6}</text>\n",
      x, y, size, kAnchors[static_cast<std::size_t>(anchor)], colour,
      turn_degrees == 0 ? "" : fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", turn_degrees, x, y),
      markup_text(text));
}

std::string Svg::finish() const {
  // Whole pixels, so that what fits changes no number.
  const double left = std::floor(left_), top = std::floor(top_);
  const double width = std::ceil(right_) - left, height = std::ceil(bottom_) - top;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2}\" height=\"{3}\" "
             "viewBox=\"{0} {1} {2} {3}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
             "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" fill=\"#fff\"/>\n",
             left, top, width, height) +
         text_ + "</svg>\n";
}

}  // namespace vdla::bench::paper
