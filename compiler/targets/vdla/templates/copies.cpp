// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/spaces.h"

namespace vdla::pipeline::device {

namespace {

/// A copy of all pixels, without a border.
Move copy_of(const Image& image, const std::string& layer = "") { return {layer, image, image, 1, 0, 0, 0}; }

}  // namespace

std::optional<std::string> why_no_copy(const Image& image, const isa::Geometry& g) {
  const Move copy = copy_of(image);
  return misfit(space_of(copy, g), cost_of(copy, g), g);
}

std::optional<double> copy_cycles(const Image& image, const isa::Geometry& g, const isa::Timing& timing) {
  const Move copy = copy_of(image);
  return total(least_work(space_of(copy, g), cost_of(copy, g), g, timing));
}

Copies::Copies(std::string layer, Lowering& lowering) : layer_(std::move(layer)), lowering_(lowering) {}

void Copies::copy(const Image& image, std::size_t input, const View& from, const View& to) {
  const TileKnobs knobs = knobs_of(image);
  Moved tensors = moved(copy_of(image, layer_), lowering_.geometry(), {}, suffix());
  args_.push_back(tensors.input.parameter());
  params_.push_back({Role::Input, 0, input});
  views_.push_back(from);
  const expr::Tensor out = tensors.out;
  add({std::move(tensors), knobs, image.h * image.w}, out, to);
}

void Copies::fill(const Image& image, std::int32_t value, const View& to) {
  const TileKnobs knobs = knobs_of(image);
  Filled tensors = filled(image, value, lowering_.geometry(), suffix());
  const expr::Tensor out = tensors.out;
  add({std::move(tensors), knobs, image.h * image.w}, out, to);
}

void Copies::finish(const std::string& name) {
  if (made_.empty()) return;
  const isa::Geometry& g = lowering_.geometry();
  schedule::Schedule s(outputs_);
  for (const auto& [tensors, knobs, pixels] : made_) {
    if (const auto* copy = std::get_if<Moved>(&tensors)) schedule_move(s, *copy, knobs, g);
    if (const auto* fill = std::get_if<Filled>(&tensors)) schedule_fill(s, *fill, knobs, g);
  }
  std::string text = to_string(std::ranges::max_element(made_, {}, &Made::pixels)->knobs);
  if (made_.size() > 1) text += fmt::format("; {} copies", made_.size());
  lowering_.set_function({name, std::move(s), std::move(args_)}, std::move(params_), text, views_);
}

TileKnobs Copies::knobs_of(const Image& image) const {
  const Move copy = copy_of(image, layer_);
  const isa::Geometry& g = lowering_.geometry();
  const TileKnobs knobs = lowering_.tile_knobs(layer_, space_of(copy, g), cost_of(copy, g));
  check_fits(layer_, space_of(copy, g), cost_of(copy, g), knobs, g);
  return knobs;
}

std::string Copies::suffix() const { return fmt::format(".{}", made_.size()); }

void Copies::add(Made made, const expr::Tensor& out, const View& to) {
  outputs_.push_back(out);
  args_.push_back(out);
  params_.push_back({Role::Output, 0});
  views_.push_back(to);
  made_.push_back(std::move(made));
}

}  // namespace vdla::pipeline::device
