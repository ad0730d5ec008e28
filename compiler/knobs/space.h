// SPDX-License-Identifier: Apache-2.0
// The knobs of one layer's template and which of their values go together. Nothing is listed: a space says
// whether a point is legal, draws one, and names those beside one. Every target's templates describe their
// knobs so; searches know no template.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vdla::pipeline {

/// A value of each knob, in the order of KnobSpace::knobs().
using Point = std::vector<std::int64_t>;
using Random = std::mt19937_64;

struct Knob {
  std::string name;
  std::int64_t values = 1;         ///< 1, ..., values
  std::vector<std::string> names;  ///< names of a choice, one for each value; empty: a size
  bool operator==(const Knob&) const = default;
};

/// Any value of the knob, each as likely as any other.
std::int64_t drawn(Random& random, const Knob& knob);

class KnobSpace {
 public:
  /// Rules of a template for a point whose values are all within their ranges.
  struct Rules {
    /// Whether there is a program for it: everything finds room.
    std::function<bool(const Point&)> fits;
    /// Estimated cost, above 0, less is better; of points that fit.
    std::function<double(const Point&)> estimate;
    /// Normal point, which stands for all that give the same loops.
    std::function<Point(Point)> normal;
  };

  KnobSpace(std::vector<Knob> knobs, Rules rules);

  const std::vector<Knob>& knobs() const { return knobs_; }
  /// All combinations of values, legal or not.
  double points() const;
  /// The values are in range, the point stands for itself, and there is a program for it.
  bool legal(const Point& point) const;
  /// The point that stands for all that give the same loops.
  Point normal(Point point) const { return rules_.normal(std::move(point)); }
  double estimate(const Point& point) const { return rules_.estimate(point); }

  /// A legal point: one of all alike, where legal ones are not too rare to be hit; else one that shrinking a
  /// drawn one leads to. Nothing where that finds none.
  std::optional<Point> sample(Random& random) const;
  /// The legal points that differ from `point` by a step of one knob: a size by `step` more or less and to
  /// the next that cuts its range into other parts, a choice to all others. Knobs that depend on it follow.
  std::vector<Point> neighbours(const Point& point, std::int64_t step = 1) const;

  /// "tile_h=4 tile_w=8 reuse=keep-input"
  std::string text(const Point& point) const;
  /// UserError for a text of another space: names the knob. The point need not be legal.
  Point parse(std::string_view text) const;

 private:
  bool in_range(const Point& point) const;

  std::vector<Knob> knobs_;
  Rules rules_;
};

/// Sizes that cut `n` into parts as equal as can be, from 1 to n: each is the smallest of those that need as
/// many parts.
std::vector<std::int64_t> part_sizes(std::int64_t n);

}  // namespace vdla::pipeline
