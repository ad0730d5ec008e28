// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vdla::explore {
namespace {

using Terms = std::vector<double>;

/// Block RAMs of a memory of one read and one write port: the width in columns of what a block offers at that
/// depth.
double blocks(double width, double depth) {
  constexpr double kBits = 36 << 10, kWidest = 72;
  const double column = std::min(kWidest, std::exp2(std::floor(std::log2(kBits / depth / 9))) * 9);
  return column >= 1 ? std::ceil(width / column) : std::ceil(width * depth / kBits);
}

/// Logic: what is always there, what a multiplier brings, what a lane brings.
Terms logic_terms(const isa::Geometry& g) { return {1.0, double(g.macs()), double(g.vector_lanes())}; }

/// One for two multipliers of the array (decision 64), four for each lane's product of 32 by 32 bits.
Terms dsp_terms(const isa::Geometry& g) { return {double(g.macs()) / 2 + 4.0 * double(g.vector_lanes())}; }

struct MemoryShape {
  double width, depth, count;
};

/// The buffers, banks by themselves.
std::vector<MemoryShape> memories(const isa::Geometry& g) {
  std::vector<MemoryShape> result;
  for (const isa::NamedCode& row : isa::kBuffers) {
    const auto b = static_cast<isa::Buffer>(row.code);
    const double banks = b == isa::Buffer::Acc ? isa::kAccBanks : 1;
    result.push_back({8.0 * g.entry_bytes(b), g.depth(b) / banks, banks});
  }
  return result;
}

/// Yosys puts memories of so few entries into LUTs.
constexpr double kDeepestInLuts = 64;

Terms bram_terms(const isa::Geometry& g) {
  double words = 0;
  for (const MemoryShape& m : memories(g))
    if (m.depth > kDeepestInLuts) words += m.count * blocks(m.width, m.depth);
  return {words, 1.0};
}

/// Part that needs no fit: memories in LUTs, RAM64M with 3 bits of 64 entries in 4 LUTs (UG474), and the
/// flip-flops of their read ports, which block RAM brings along.
double known_part(std::size_t resource, const isa::Geometry& g) {
  double bits = 0;
  for (const MemoryShape& m : memories(g))
    if (m.depth <= kDeepestInLuts) bits += m.count * m.width;
  if (kResources[resource].of == &Area::lut) return bits * 4 / 3;
  return kResources[resource].of == &Area::ff ? bits : 0;
}

Terms terms_of(std::size_t resource, const isa::Geometry& g) {
  if (kResources[resource].of == &Area::dsp) return dsp_terms(g);
  if (kResources[resource].of == &Area::bram) return bram_terms(g);
  return logic_terms(g);
}

/// Weights >= 0 with the least sum of squared relative errors, by coordinate descent: hardware has no
/// negative parts, and few points cannot make the weights run away.
std::vector<double> fit_weights(const std::vector<Terms>& terms, const std::vector<double>& measured) {
  constexpr int kRounds = 20000;
  if (terms.empty()) return {};
  std::vector<double> weights(terms[0].size(), 0.0),
      residual(terms.size(), 1.0);  // (measured - model) / measured
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t k = 0; k < weights.size(); ++k) {
      double along = 0, square = 0;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const double t = terms[i][k] / measured[i];
        along += t * residual[i];
        square += t * t;
      }
      if (square == 0) continue;
      const double next = std::max(0.0, weights[k] + along / square);
      for (std::size_t i = 0; i < terms.size(); ++i)
        residual[i] -= (next - weights[k]) * terms[i][k] / measured[i];
      weights[k] = next;
    }
  return weights;
}

std::vector<double> fitted(std::size_t resource, const std::vector<Synthesis>& points) {
  std::vector<Terms> terms;
  std::vector<double> measured;
  for (const Synthesis& p : points) {
    if (p.area.*kResources[resource].of <= 0) continue;
    terms.push_back(terms_of(resource, p.geometry));
    measured.push_back(p.area.*kResources[resource].of - known_part(resource, p.geometry));
  }
  return fit_weights(terms, measured);
}

double predict(std::size_t resource, const std::vector<double>& weights, const isa::Geometry& g) {
  const Terms terms = terms_of(resource, g);
  double sum = known_part(resource, g);
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * terms[k];
  return sum;
}

}  // namespace

AreaModel::AreaModel(std::vector<Synthesis> points) : points_(std::move(points)) {
  for (std::size_t r = 0; r < kResources.size(); ++r) weights_[r] = fitted(r, points_);
}

Area AreaModel::estimate(const isa::Geometry& geometry) const {
  Area area;
  for (std::size_t r = 0; r < kResources.size(); ++r)
    area.*kResources[r].of = predict(r, weights_[r], geometry);
  return area;
}

std::string AreaModel::why_fewer_luts() {
  return fmt::format("fewer LUTs: a buffer of {:.0f} entries lies in LUTs, a deeper one in block RAM",
                     kDeepestInLuts);
}

std::vector<AreaModel::Error> AreaModel::leave_one_out() const {
  std::vector<Error> errors;
  if (points_.size() < 2) return errors;  // nothing to predict it from
  for (std::size_t left = 0; left < points_.size(); ++left) {
    std::vector<Synthesis> others = points_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
    for (std::size_t r = 0; r < kResources.size(); ++r)
      errors.push_back({points_[left].name, kResources[r].name, points_[left].area.*kResources[r].of,
                        predict(r, fitted(r, others), points_[left].geometry)});
  }
  return errors;
}

std::string AreaModel::describe() const {
  constexpr std::size_t kLogicTerms = 3;
  std::string text =
      fmt::format("Area is a model fitted to {} by Yosys for AMD 7 series.",
                  points_.size() == 1 ? "one synthesis" : fmt::format("{} syntheses", points_.size()));
  if (points_.size() < kLogicTerms)
    text +=
        " DSPs and block RAMs follow the geometry. LUTs and flip-flops need three syntheses: with fewer they "
        "are those "
        "of the ones there are, too many for a smaller variant, too few for a larger one.";
  if (points_.size() > 1) text += " The table shows what it says of each of them when it has not seen it.";
  return text +
         " Yosys gives no clock frequency: whether a variant reaches its clock on a part is not known here.";
}

Fit fit(const Area& area, const Part& part) {
  Fit result;
  for (const Resource& r : kResources) {
    const double need = area.*r.of, have = part.area.*r.of;
    result.share = std::max(result.share, need / have);
    if (need > have)
      result.over += fmt::format("{}{} {:.0f} > {:.0f}", result.over.empty() ? "" : ", ", r.name, need, have);
  }
  return result;
}

}  // namespace vdla::explore
