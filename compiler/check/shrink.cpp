// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/shrink.h"

#include <algorithm>
#include <utility>

namespace vdla::check {
namespace {

class Shrinker {
 public:
  Shrinker(Case failing, const intrinsics::Intrinsic& intrinsic, const isa::Geometry& g,
           const std::function<bool(const Case&)>& fails, std::size_t max_runs, std::size_t& runs)
      : best_(std::move(failing)),
        intrinsic_(intrinsic),
        geometry_(g),
        fails_(fails),
        max_(max_runs),
        runs_(runs) {}

  Case run() {
    do {
      changed_ = false;
      loops();
      bases();
      attributes();
      for (std::size_t o = 0; o < best_.values.size(); ++o) values(o);
    } while (changed_ && runs_ < max_);
    return std::move(best_);
  }

 private:
  /// Keeps the edited case if it fails.
  template <class Edit>
  bool attempt(const Edit& edit) {
    if (runs_ >= max_) return false;
    Case candidate = best_;
    edit(candidate);
    trim(candidate, intrinsic_, geometry_);
    ++runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return changed_ = true;
  }

  void loops() {
    if (best_.reset) attempt([](Case& c) { c.reset = false; });
    for (std::size_t l = best_.loops.size(); l-- > 0;) {
      if (attempt([&](Case& c) { c.loops.erase(c.loops.begin() + static_cast<std::ptrdiff_t>(l)); }))
        continue;
      while (best_.loops[l].extent > 2 && attempt([&](Case& c) { --c.loops[l].extent; })) {
      }
      // The output's stride stays: entries of their own.
      for (std::size_t o = 1; o < best_.values.size(); ++o) {
        if (best_.loops[l].strides[o] > 0) attempt([&](Case& c) { c.loops[l].strides[o] = 0; });
      }
    }
  }

  void bases() {
    for (std::size_t o = 0; o < best_.bases.size(); ++o) {
      if (best_.bases[o] == 0) continue;
      const std::int64_t unused =
          best_.bases[o] * entry_elements(operand_of(intrinsic_, o).device_buffer(), geometry_);
      attempt([&](Case& c) {
        c.bases[o] = 0;
        c.values[o].erase(c.values[o].begin(), c.values[o].begin() + unused);
      });
    }
  }

  /// Moves a number towards `least` (zero, or the end of its range nearest to zero): at once, else by halves.
  void number(std::int64_t value, std::int64_t least, const std::function<void(Case&, std::int64_t)>& set) {
    std::int64_t low = least, now = value;
    if (now == low || attempt([&](Case& c) { set(c, low); })) return;
    while (now != low) {
      const std::int64_t middle = low + (now - low) / 2;
      if (middle == now || middle == low) break;
      if (attempt([&](Case& c) { set(c, middle); }))
        now = middle;
      else
        low = middle;
    }
  }

  void attributes() {
    for (std::size_t i = 0; i < best_.attributes.size(); ++i) {
      const intrinsics::FreeAttribute& a = intrinsic_.attributes[i];
      // A clamp shows most where it is widest.
      const std::int64_t least = a.variable->name == "clamp_min" ? a.min
                                 : a.variable->name == "clamp_max"
                                     ? a.max
                                     : std::clamp<std::int64_t>(0, a.min, a.max);
      number(best_.attributes[i], least, [&](Case& c, std::int64_t v) { c.attributes[i] = v; });
    }
  }

  void values(std::size_t o) {
    for (std::size_t chunk = best_.values[o].size(); chunk > 0; chunk /= 2) {
      for (std::size_t begin = 0; begin < best_.values[o].size(); begin += chunk) {
        const std::size_t end = std::min(begin + chunk, best_.values[o].size());
        const auto zeros = [&](Case& c) {
          std::fill(c.values[o].begin() + static_cast<std::ptrdiff_t>(begin),
                    c.values[o].begin() + static_cast<std::ptrdiff_t>(end), 0);
        };
        Case candidate = best_;
        zeros(candidate);
        if (candidate.values[o] != best_.values[o]) attempt(zeros);
      }
    }
    for (std::size_t i = 0; i < best_.values[o].size(); ++i)
      number(best_.values[o][i], 0, [&](Case& c, std::int64_t v) { c.values[o][i] = v; });
  }

  Case best_;
  const intrinsics::Intrinsic& intrinsic_;
  const isa::Geometry& geometry_;
  const std::function<bool(const Case&)>& fails_;
  std::size_t max_;
  std::size_t& runs_;
  bool changed_ = false;
};

}  // namespace

Case shrink(Case failing, const intrinsics::Intrinsic& intrinsic, const isa::Geometry& geometry,
            const std::function<bool(const Case&)>& fails, std::size_t max_runs, std::size_t& runs) {
  runs = 0;
  return Shrinker(std::move(failing), intrinsic, geometry, fails, max_runs, runs).run();
}

}  // namespace vdla::check
