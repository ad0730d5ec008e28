// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/table.h"

#include "support/error.h"

namespace vdla::isa {

CoverTable::CoverTable(std::string name, std::string doc, std::vector<CoverAxis> axes)
    : name_(std::move(name)), doc_(std::move(doc)), axes_(std::move(axes)) {
  std::size_t size = 1;
  for (const CoverAxis& axis : axes_) size *= axis.labels.size();
  reachable_.assign(size, true);
  hits_.assign(size, 0);
}

std::size_t CoverTable::place(std::initializer_list<std::size_t> indices) const {
  std::size_t at = 0;
  const CoverAxis* axis = axes_.data();
  for (const std::size_t i : indices) {
    VDLA_CHECK(i < axis->labels.size())
        << "cover table " << name_ << ": no label " << i << " of " << axis->name;
    at = at * axis++->labels.size() + i;
  }
  return at;
}

std::size_t CoverTable::index(std::size_t place, std::size_t axis) const {
  for (std::size_t a = axes_.size() - 1; a > axis; --a) place /= axes_[a].labels.size();
  return place % axes_[axis].labels.size();
}

std::string CoverTable::label(std::size_t place) const {
  std::string text = name_ + ":";
  for (std::size_t a = 0; a < axes_.size(); ++a) text += " " + axes_[a].labels[index(place, a)];
  return text;
}

void add_hits(std::span<CoverTable> to, std::span<const CoverTable> from) {
  VDLA_CHECK(to.size() == from.size()) << "cover tables of two kinds";
  for (std::size_t t = 0; t < to.size(); ++t) {
    VDLA_CHECK(to[t].name() == from[t].name() && to[t].size() == from[t].size())
        << "cover tables " << to[t].name() << " and " << from[t].name() << " of two geometries";
    for (std::size_t p = 0; p < to[t].size(); ++p) to[t].hit(p, from[t].hits(p));
  }
}

CoverSummary summarize(const CoverTable& table) {
  CoverSummary summary;
  for (std::size_t p = 0; p < table.size(); ++p) {
    const bool hit = table.hits(p) != 0;
    if (table.reachable(p)) {
      ++summary.points;
      if (hit)
        ++summary.covered;
      else
        summary.uncovered.push_back(table.label(p));
    } else if (hit) {
      summary.unexpected.push_back(table.label(p));
    }
  }
  return summary;
}

}  // namespace vdla::isa
