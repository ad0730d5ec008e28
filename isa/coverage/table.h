// SPDX-License-Identifier: Apache-2.0
// Cover points as tables: a table is the product of its axes, less the places that nothing legal can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::isa {

struct CoverAxis {
  std::string name;
  std::vector<std::string> labels;
};

class CoverTable {
 public:
  CoverTable(std::string name, std::string doc, std::vector<CoverAxis> axes);

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  const std::vector<CoverAxis>& axes() const { return axes_; }
  std::size_t size() const { return hits_.size(); }

  /// The place of one label of each axis; the last axis runs fastest.
  std::size_t place(std::initializer_list<std::size_t> indices) const;
  /// The label of axis `axis` at a place.
  std::size_t index(std::size_t place, std::size_t axis) const;
  /// "move: load inp from act"; the table's name and one label of each axis.
  std::string label(std::size_t place) const;

  /// Every place is reachable at first.
  void exclude(std::size_t place) { reachable_[place] = false; }
  bool reachable(std::size_t place) const { return reachable_[place]; }

  void hit(std::size_t place, std::uint64_t times = 1) { hits_[place] += times; }
  void hit(std::initializer_list<std::size_t> indices) { hit(place(indices)); }
  std::uint64_t hits(std::size_t place) const { return hits_[place]; }

 private:
  std::string name_, doc_;
  std::vector<CoverAxis> axes_;
  std::vector<bool> reachable_;
  std::vector<std::uint64_t> hits_;
};

/// Adds the hits of `from` to `to`; both are the same tables of one geometry.
void add_hits(std::span<CoverTable> to, std::span<const CoverTable> from);

/// Sums of a table.
struct CoverSummary {
  std::size_t points = 0;   ///< points that can be reached
  std::size_t covered = 0;  ///< points of these that were covered
  std::vector<std::string> uncovered;
  /// Places that were hit although the rules exclude them: a fault of the rules or of the machine.
  std::vector<std::string> unexpected;

  bool complete() const { return uncovered.empty() && unexpected.empty(); }
};

CoverSummary summarize(const CoverTable& table);

}  // namespace vdla::isa
