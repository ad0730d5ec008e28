// SPDX-License-Identifier: Apache-2.0
#include "compiler/knobs/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

#include "support/ceil_div.h"
#include "support/error.h"
#include "support/json_dump.h"

namespace vdla::pipeline {
namespace {

// Draws from all combinations before legal ones count as rare.
constexpr int kDraws = 4096;

std::int64_t from_one_to(Random& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(1, most)(random);
}

std::string text_of(const Knob& knob, std::int64_t value) {
  if (knob.names.empty()) return std::to_string(value);
  return knob.names.at(static_cast<std::size_t>(value - 1));
}

/// Text of a book, in quotes and on one line, as far as a reader needs it.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  return json_dump(std::string(text.substr(0, kMost))) + (text.size() > kMost ? "..." : "");
}

/// UserError for what is no value of the knob.
std::int64_t value_of(const Knob& knob, std::string_view text) {
  if (!knob.names.empty()) {
    const auto found = std::ranges::find(knob.names, text);
    VDLA_CHECK_USER(found != knob.names.end())
        << "knob '" << knob.name << "' is " << shown(text) << ", needs one of "
        << fmt::format("{}", fmt::join(knob.names, ", "));
    return found - knob.names.begin() + 1;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  VDLA_CHECK_USER(error == std::errc() && end == text.data() + text.size() && value >= 1 &&
                  value <= knob.values)
      << "knob '" << knob.name << "' is " << shown(text) << ", needs a number from 1 to " << knob.values;
  return value;
}

}  // namespace

std::int64_t drawn(Random& random, const Knob& knob) { return from_one_to(random, knob.values); }

std::vector<std::int64_t> part_sizes(std::int64_t n) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t parts = n; parts >= 1; --parts) {
    const std::int64_t size = ceil_div(n, parts);
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  return sizes;
}

KnobSpace::KnobSpace(std::vector<Knob> knobs, Rules rules)
    : knobs_(std::move(knobs)), rules_(std::move(rules)) {
  for (const Knob& knob : knobs_)
    VDLA_CHECK(knob.values >= 1 &&
               (knob.names.empty() || knob.names.size() == static_cast<std::size_t>(knob.values)))
        << "knob '" << knob.name << "' has " << knob.values << " values";
}

double KnobSpace::points() const {
  double all = 1;
  for (const Knob& knob : knobs_) all *= static_cast<double>(knob.values);
  return all;
}

bool KnobSpace::in_range(const Point& point) const {
  if (point.size() != knobs_.size()) return false;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (point[i] < 1 || point[i] > knobs_[i].values) return false;
  return true;
}

bool KnobSpace::legal(const Point& point) const {
  return in_range(point) && rules_.fits(point) && rules_.normal(point) == point;
}

std::optional<Point> KnobSpace::sample(Random& random) const {
  Point point(knobs_.size());
  for (int i = 0; i < kDraws; ++i) {
    for (std::size_t k = 0; k < point.size(); ++k) point[k] = drawn(random, knobs_[k]);
    if (legal(point)) return point;
  }
  // Smaller tiles find more room: a knob at a time, until this one does or all are 1.
  for (;;) {
    point = rules_.normal(std::move(point));
    if (legal(point)) return point;
    std::vector<std::size_t> larger;
    for (std::size_t k = 0; k < point.size(); ++k)
      if (point[k] > 1) larger.push_back(k);
    if (larger.empty()) return std::nullopt;
    const std::size_t k =
        larger[static_cast<std::size_t>(from_one_to(random, static_cast<std::int64_t>(larger.size())) - 1)];
    point[k] = from_one_to(random, point[k] - 1);
  }
}

std::vector<Point> KnobSpace::neighbours(const Point& point, std::int64_t step) const {
  std::vector<Point> found;
  const auto offer = [&](std::size_t k, std::int64_t value) {
    if (value < 1 || value > knobs_[k].values) return;
    Point other = point;
    other[k] = value;
    other = rules_.normal(std::move(other));
    if (other != point && legal(other) && std::ranges::find(found, other) == found.end())
      found.push_back(std::move(other));
  };
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    if (!knobs_[k].names.empty()) {
      for (std::int64_t value = 1; value <= knobs_[k].values; ++value) offer(k, value);
      continue;
    }
    const std::vector<std::int64_t> sizes = part_sizes(knobs_[k].values);
    const auto at_least = std::ranges::lower_bound(sizes, point[k]);
    const auto above = std::ranges::upper_bound(sizes, point[k]);
    if (at_least != sizes.begin()) offer(k, *std::prev(at_least));
    if (above != sizes.end()) offer(k, *above);
    offer(k, point[k] - step);
    offer(k, point[k] + step);
  }
  return found;
}

std::string KnobSpace::text(const Point& point) const {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    words.push_back(fmt::format("{}={}", knobs_[k].name, text_of(knobs_[k], point.at(k))));
  return fmt::format("{}", fmt::join(words, " "));
}

Point KnobSpace::parse(std::string_view text) const {
  std::istringstream words{std::string(text)};
  Point point;
  for (const Knob& knob : knobs_) {
    std::string word;
    words >> word;
    const std::size_t equals = word.find('=');
    VDLA_CHECK_USER(equals != std::string::npos && word.substr(0, equals) == knob.name)
        << "knobs " << shown(text) << " have " << shown(word) << " where '" << knob.name << "=...' is needed";
    point.push_back(value_of(knob, std::string_view(word).substr(equals + 1)));
  }
  std::string rest;
  VDLA_CHECK_USER(!(words >> rest)) << "knobs " << shown(text) << " have " << shown(rest)
                                    << ", which is no knob here";
  return point;
}

}  // namespace vdla::pipeline
