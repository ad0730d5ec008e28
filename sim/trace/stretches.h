// SPDX-License-Identifier: Apache-2.0
// Stretches of a run that belong to one layer each, in time order: a layer's run from the previous layer's
// last retire to its own; the last stretch is what comes after the last layer.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "sim/trace/event.h"
#include "sim/trace/profile_options.h"

namespace vdla::trace {

class Stretches {
 public:
  Stretches(std::span<const Event> run, const ProfileOptions& options, Cycle begin, Cycle end);

  struct Part {
    Cycle end;
    std::size_t layer;  ///< ProfileOptions::layers: the last stretch
    auto operator<=>(const Part&) const = default;
  };
  const std::vector<Part>& parts() const { return parts_; }
  Cycle begin_of(std::size_t part) const { return part == 0 ? begin_ : parts_[part - 1].end; }

  /// Calls f(layer, cycles) for each part that [begin, end) touches.
  template <class F>
  void split(Cycle begin, Cycle end, F&& f) const {
    for (auto part = at(begin); begin < end && part != parts_.end(); ++part) {
      const Cycle until = std::min(end, part->end);
      if (until > begin) f(part->layer, until - begin);
      begin = std::max(begin, until);
    }
  }

 private:
  std::vector<Part>::const_iterator at(Cycle begin) const;

  std::vector<Part> parts_;
  Cycle begin_ = 0;
};

}  // namespace vdla::trace
