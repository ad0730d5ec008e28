// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/svg.h"

#include <fmt/format.h>

#include <array>

namespace vdla::bench::paper {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

}  // namespace

Svg::Svg(double width, double height) {
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n",
      width, height);
  box(0, 0, width, height, "#fff");
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width,
               bool dashed) {
  text_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
      x1, y1, x2, y2, colour, width, dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::box(double x, double y, double width, double height, std::string_view colour) {
  text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                       x, y, width, height, colour);
}

void Svg::circle(double x, double y, double radius, std::string_view colour, bool filled) {
  text_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.5\"/>\n",
      x, y, radius, filled ? colour : "#fff", colour);
}

void Svg::square(double x, double y, double side, std::string_view colour, bool filled) {
  text_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.5\"/>\n",
      x - side / 2, y - side / 2, side, side, filled ? colour : "#fff", colour);
}

void Svg::words(double x, double y, std::string_view text, Anchor anchor, double size, double turn_degrees,
                std::string_view colour) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  text_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2}\" text-anchor=\"{3}\" "
      "fill=\"{4}\"{5}>{6}</text>\n",
      x, y, size, kAnchors[static_cast<std::size_t>(anchor)], colour,
      turn_degrees == 0 ? "" : fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", turn_degrees, x, y),
      escaped(text));
}

std::string Svg::finish() const { return text_ + "</svg>\n"; }

}  // namespace vdla::bench::paper
