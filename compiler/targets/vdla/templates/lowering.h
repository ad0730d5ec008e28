// SPDX-License-Identifier: Apache-2.0
// A layer being lowered: rows of operators give it its function, which sees views of the layer's tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/observe/observe.h"
#include "compiler/targets/vdla/templates/kernel.h"
#include "compiler/targets/vdla/templates/on_chip.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "compiler/targets/vdla/templates/scheduled.h"
#include "compiler/targets/vdla/templates/tiles.h"
#include "compiler/targets/vdla/templates/views.h"

namespace vdla::pipeline::device {

/// The default choice.
struct DefaultKnobs {
  std::int64_t vthreads = 1;  ///< virtual threads of convolutions, where there are tiles for them
};
using Knobs = std::variant<DefaultKnobs, ConvKnobs, TileKnobs, PieceKnobs>;

class Lowering {
 public:
  /// `geometry` has the depth of inp that is left for tiles.
  Lowering(const isa::Geometry& geometry, const isa::Timing& timing, const Residence& residence,
           const Knobs& knobs, const Watch& watch);

  const isa::Geometry& geometry() const { return geometry_; }
  const isa::Timing& timing() const { return timing_; }
  const Residence& residence() const { return residence_; }
  const OnChip& on_chip() const { return on_chip_; }
  DeviceKernel& kernel() { return kernel_; }

  /// Given or chosen. UserError for those of another kind of layer.
  ConvKnobs conv_knobs(const std::string& layer, const Space& space) const;
  TileKnobs tile_knobs(const std::string& layer, const Space& space, const TileCost& cost) const;
  /// Knobs that were given; nothing for the default choice.
  std::optional<PieceKnobs> piece_knobs(const std::string& layer) const;

  /// Appends to the constants of the layer; where they begin.
  std::int64_t place(std::vector<std::uint8_t> constants);
  /// Views of whole images (the first ones, where there are several). On chip the input begins where the
  /// first window does.
  Views views(const Image& in, const Image& out, const SlidingWindow& window = {}) const;
  /// Once. `views`: one for each parameter, as function_of() takes them.
  void set_function(const Scheduled& scheduled, std::vector<DeviceParam> params, std::string schedule,
                    const Views& views);
  void set_function(const Scheduled& scheduled, std::vector<DeviceParam> params, std::string schedule,
                    const std::vector<View>& views);

  /// Notes what a zero point of the layer's weights costs (DeviceFunction::weights), after set_function().
  void note_weights(std::string_view text) { kernel_.function.value().weights = text; }

 private:
  template <class K>
  const K& given(const std::string& layer) const;

  const isa::Geometry& geometry_;
  const isa::Timing& timing_;
  const Residence& residence_;
  const OnChip on_chip_;
  const Knobs& knobs_;
  const Watch& watch_;
  DeviceKernel kernel_;
};

}  // namespace vdla::pipeline::device
