// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/lowering.h"

#include <string_view>
#include <utility>

#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

constexpr std::string_view whose(const DefaultKnobs&) { return "any layer"; }
constexpr std::string_view whose(const ConvKnobs&) { return "a convolution"; }
constexpr std::string_view whose(const TileKnobs&) { return "a layer on the vector unit"; }
constexpr std::string_view whose(const PieceKnobs&) { return "two convolutions piece by piece"; }

}  // namespace

Lowering::Lowering(const isa::Geometry& geometry, const isa::Timing& timing, const Residence& residence,
                   const Knobs& knobs, const Watch& watch)
    : geometry_(geometry),
      timing_(timing),
      residence_(residence),
      on_chip_{residence.input.has_value(), residence.second_input.has_value(), residence.output.has_value()},
      knobs_(knobs),
      watch_(watch) {}

ConvKnobs Lowering::conv_knobs(const std::string& layer, const Space& space) const {
  if (const auto* none = std::get_if<DefaultKnobs>(&knobs_))
    return choose(layer, space, geometry_, timing_, none->vthreads);
  return given<ConvKnobs>(layer);
}

TileKnobs Lowering::tile_knobs(const std::string& layer, const Space& space, const TileCost& cost) const {
  if (std::holds_alternative<DefaultKnobs>(knobs_)) return choose(layer, space, cost, geometry_, timing_);
  return given<TileKnobs>(layer);
}

std::optional<PieceKnobs> Lowering::piece_knobs(const std::string& layer) const {
  if (std::holds_alternative<DefaultKnobs>(knobs_)) return std::nullopt;
  return given<PieceKnobs>(layer);
}

template <class K>
const K& Lowering::given(const std::string& layer) const {
  const auto* knobs = std::get_if<K>(&knobs_);
  VDLA_CHECK_USER(knobs) << layer << ": is " << whose(K{}) << ", got the knobs of "
                         << std::visit([](const auto& k) { return whose(k); }, knobs_);
  return *knobs;
}

std::int64_t Lowering::place(std::vector<std::uint8_t> constants) {
  std::vector<std::uint8_t>& all = kernel_.constants;
  if (all.empty()) {
    all = std::move(constants);
    return 0;
  }
  all.resize((all.size() + 63) / 64 * 64);
  const auto start = static_cast<std::int64_t>(all.size());
  all.insert(all.end(), constants.begin(), constants.end());
  return start;
}

Views Lowering::views(const Image& in, const Image& out, const SlidingWindow& window) const {
  const std::int64_t top = on_chip_.input ? window.pad_top : 0;
  const std::int64_t left = on_chip_.input ? window.pad_left : 0;
  return {view(in, residence_.input, -top, -left, 0, geometry_),
          view(out, residence_.second_input, 0, 0, 0, geometry_),  // has the output's shape
          view(out, residence_.output, 0, 0, 0, geometry_)};
}

void Lowering::set_function(const Scheduled& scheduled, std::vector<DeviceParam> params, std::string schedule,
                            const Views& views) {
  const std::vector<View> each = by_parameter(views, params);
  set_function(scheduled, std::move(params), std::move(schedule), each);
}

void Lowering::set_function(const Scheduled& scheduled, std::vector<DeviceParam> params, std::string schedule,
                            const std::vector<View>& views) {
  VDLA_CHECK(!kernel_.function) << scheduled.name << ": its layer has a function already";
  kernel_.function =
      function_of(lowered(scheduled, watch_), std::move(params), std::move(schedule), views, scheduled.outer);
}

}  // namespace vdla::pipeline::device
