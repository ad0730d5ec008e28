// SPDX-License-Identifier: Apache-2.0
// Area of a variant on AMD 7 series, from its geometry: sums of terms whose weights are fitted to syntheses
// of real points by yosys (hw/synth/results), so that the model says how wrong it is.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::explore {

/// Block RAMs count in units of 36 kbit.
struct Area {
  double lut = 0, ff = 0, dsp = 0, bram = 0;
};

struct Resource {
  std::string_view name;
  double Area::* of;
};
inline constexpr std::array<Resource, 4> kResources{
    {{"LUT", &Area::lut}, {"FF", &Area::ff}, {"DSP", &Area::dsp}, {"BRAM", &Area::bram}}};

/// A synthesis of the machine.
struct Synthesis {
  std::string name;
  isa::Geometry geometry;
  Area area;
};

/// The kit's own, embedded when it was built.
std::span<const Synthesis> kept_syntheses();

class AreaModel {
 public:
  explicit AreaModel(std::vector<Synthesis> points);

  /// Never negative: weights are fitted from 0 on, and what is known without a fit is a count.
  Area estimate(const isa::Geometry& geometry) const;
  /// Reason why a variant with larger buffers than another's takes fewer LUTs: all terms grow but one.
  static std::string why_fewer_luts();

  /// A point as measured, and as the model fitted to all others predicts it.
  struct Error {
    std::string point;
    std::string_view resource;
    double measured = 0, predicted = 0;
    double relative() const { return measured == 0 ? 0 : predicted / measured - 1; }
  };
  std::vector<Error> leave_one_out() const;
  /// How it is made and how many points it knows, for readers.
  std::string describe() const;

 private:
  std::vector<Synthesis> points_;
  std::array<std::vector<double>, kResources.size()> weights_;
};

/// Resources that a part offers.
struct Part {
  std::string name;
  Area area;
};

/// Loads a part by its name (of boards/) or from a file; UserError lists the known ones.
Part load_part(const std::string& name_or_path);

/// Share of the fullest resource, and which ones are too small: "DSP 320 > 220".
struct Fit {
  double share = 0;
  std::string over;
};
Fit fit(const Area& area, const Part& part);

}  // namespace vdla::explore
