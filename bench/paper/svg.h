// SPDX-License-Identifier: Apache-2.0
// A picture as text: lines, boxes, circles and words at places in pixels from the upper left.
#pragma once

#include <string>
#include <string_view>

namespace vdla::bench::paper {

enum class Anchor { Start, Middle, End };

/// Pixels that a line of text takes at most in the usual fonts without serifs. A text is measured as it is
/// drawn, with control characters made visible.
double width_of(std::string_view text, double size);

/// A picture that grows beyond the extents it is made with where something is drawn outside of them, so that
/// no text is cut.
class Svg {
 public:
  Svg(double width, double height);

  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1,
            bool dashed = false);
  void box(double x, double y, double width, double height, std::string_view colour);
  /// Filled, or with a rim of the colour around white.
  void circle(double x, double y, double radius, std::string_view colour, bool filled = true);
  void square(double x, double y, double side, std::string_view colour, bool filled = true);
  void words(double x, double y, std::string_view text, Anchor anchor = Anchor::Start, double size = 12,
             double turn_degrees = 0, std::string_view colour = "#222");

  std::string finish() const;

 private:
  void cover(double x1, double y1, double x2, double y2);

  double left_ = 0, top_ = 0, right_, bottom_;
  std::string text_;
};

}  // namespace vdla::bench::paper
