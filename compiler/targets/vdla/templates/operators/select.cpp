// SPDX-License-Identifier: Apache-2.0
// Rows, columns and channels of an image, moved by DMA: slices, images that are resized by their nearest
// pixels, borders of pixels. Rows and columns with constant distances are one copy, an output of one schedule
// with tiles of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/places.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "support/error.h"

namespace vdla::pipeline::device {

using expr::Tensor;

namespace {

/// Copies that are worth their instructions.
constexpr std::size_t kMostCopies = 64;

/// Rows and columns of the result that one copy makes.
struct Piece {
  PlaceRun rows, columns;

  bool is_fill() const { return rows.from == Select::kNowhere || columns.from == Select::kNowhere; }
};

std::vector<Piece> pieces_of(const Select& op) {
  std::vector<Piece> pieces;
  const std::vector<PlaceRun> columns = runs_of(op.columns);
  for (const PlaceRun& rows : runs_of(op.rows))
    for (const PlaceRun& part : columns) pieces.push_back({rows, part});
  return pieces;
}

/// A copy of as many pixels, without a border.
Move copy_of(const Select& op, const Piece& piece) {
  const Image image{piece.rows.count, piece.columns.count, op.out.c};
  return {op.name, image, image, 1, 0, 0, 0};
}

/// View of the rows and columns of an image that begin at (y, x) with these distances.
View part_of(const Image& whole, std::int64_t y, std::int64_t y_step, std::int64_t x, std::int64_t x_step,
             std::int64_t channel, const isa::Geometry& g) {
  View part = view(whole, std::nullopt, y, x, channel, g);
  part.row *= y_step;
  part.pixel *= x_step;
  return part;
}

void check_places(const Select& op, const char* what, const std::vector<std::int64_t>& places,
                  std::int64_t have, std::int64_t need) {
  check_size(op.name, what, places.size(), need);
  for (const std::int64_t place : places)
    VDLA_CHECK_USER(place == Select::kNowhere || (place >= 0 && place < have))
        << op.name << ": " << what << " name " << place << ", needs -1 to " << have - 1;
}

void check(const Select& op) {
  check_image(op.name, "input", op.in);
  check_image(op.name, "output", op.out);
  check_places(op, "rows", op.rows, op.in.h, op.out.h);
  check_places(op, "columns", op.columns, op.in.w, op.out.w);
  VDLA_CHECK_USER(op.channel >= 0 && op.channel + op.out.c <= op.in.c)
      << op.name << ": takes channels from " << op.channel << " on of " << text(op.in) << " to "
      << text(op.out);
}

/// A load takes whole blocks, wherever in a pixel they begin.
Reason why_not(const Select& op, const isa::Geometry& g) {
  if (auto why = bad_zero("the border's", op.value)) return why;
  if (op.channel + padded_channels(op.out.c, g) > padded_channels(op.in.c, g))
    return fmt::format("its {} channels from {} on end within a block, which would reach beyond the pixel",
                       op.out.c, op.channel);
  const std::vector<Piece> pieces = pieces_of(op);
  if (pieces.size() > kMostCopies)
    return fmt::format("its rows and columns take {} copies, the device makes {} at most", pieces.size(),
                       kMostCopies);
  for (const Piece& piece : pieces) {
    const Move copy = copy_of(op, piece);
    if (auto reason = misfit(space_of(copy, g), cost_of(copy, g), g)) return reason;
  }
  return std::nullopt;
}

std::optional<double> estimate(const Select& op, const isa::Geometry& g, const isa::Timing& timing,
                               const OnChip&) {
  double cycles = 0;
  for (const Piece& piece : pieces_of(op)) {
    const Move copy = copy_of(op, piece);
    const auto one = total(least_work(space_of(copy, g), cost_of(copy, g), g, timing));
    if (!one) return std::nullopt;
    cycles += *one;
  }
  return cycles;
}

/// The copies of a layer: outputs of one schedule, with tiles of their own.
class Copies {
 public:
  Copies(const Select& op, Lowering& lowering) : op_(op), lowering_(lowering), g_(lowering.geometry()) {}

  void add(const Piece& piece) {
    const Move copy = copy_of(op_, piece);
    const TileKnobs knobs = lowering_.tile_knobs(op_.name, space_of(copy, g_), cost_of(copy, g_));
    check_fits(op_.name, space_of(copy, g_), cost_of(copy, g_), knobs, g_);
    const std::string suffix = fmt::format(".{}", made_.size());
    if (piece.is_fill()) {
      made_.emplace_back(filled(copy.out, op_.value, g_, suffix), knobs);
      add_output(piece, std::get<Filled>(made_.back().first).out);
      return;
    }
    made_.emplace_back(moved(copy, g_, {}, suffix), knobs);
    const Moved& tensors = std::get<Moved>(made_.back().first);
    args_.push_back(tensors.input.parameter());
    params_.push_back({Role::Input, 0});
    views_.push_back(part_of(op_.in, piece.rows.from, piece.rows.from_step, piece.columns.from,
                             piece.columns.from_step, op_.channel, g_));
    add_output(piece, tensors.out);
  }

  /// After the last one.
  void finish() {
    schedule::Schedule s(outputs_);
    for (const auto& [tensors, knobs] : made_) {
      if (const auto* copy = std::get_if<Moved>(&tensors)) schedule_move(s, *copy, knobs, g_);
      if (const auto* fill = std::get_if<Filled>(&tensors)) schedule_fill(s, *fill, knobs, g_);
    }
    const std::string text = fmt::format("{}; {} copies", to_string(made_.front().second), made_.size());
    lowering_.set_function({"select", std::move(s), std::move(args_)}, std::move(params_), text, views_);
  }

 private:
  void add_output(const Piece& piece, const Tensor& out) {
    outputs_.push_back(out);
    args_.push_back(out);
    params_.push_back({Role::Output, 0});
    views_.push_back(
        part_of(op_.out, piece.rows.to, piece.rows.to_step, piece.columns.to, piece.columns.to_step, 0, g_));
  }

  const Select& op_;
  Lowering& lowering_;
  const isa::Geometry& g_;
  std::vector<std::pair<std::variant<Moved, Filled>, TileKnobs>> made_;
  std::vector<Tensor> outputs_, args_;
  std::vector<DeviceParam> params_;
  std::vector<View> views_;
};

void lower(const Select& op, Lowering& l) {
  Copies copies(op, l);
  for (const Piece& piece : pieces_of(op)) copies.add(piece);
  copies.finish();
}

}  // namespace

template <>
const Operator<Select>& row<Select>() {
  static constexpr Operator<Select> kRow{
      .kind = [](const Select&) -> std::string_view { return "select"; },
      .inputs = [](const Select& op) { return std::vector{op.in}; },
      .output = [](const Select& op) { return op.out; },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .bound_to_dram = [](const Select&, const isa::Geometry&) -> Reason { return "DMA moves it"; },
  };
  return kRow;
}

namespace {

LayerOrNot layer_by(const GraphNode& n, PlacesOrNot places) {
  if (auto* no = std::get_if<WhyNot>(&places)) return std::move(*no);
  Places all = behind(n.graph, std::get<Places>(std::move(places)));
  return Layer{Select{n.name(), image_of(n.graph.tensor(all.from).shape), image_of(n.out()),
                      std::move(all.rows), std::move(all.columns), all.channel, all.value},
               {all.from}};
}

}  // namespace

LayerOrNot from_graph(const GraphNode& n, const graph::View& op) { return layer_by(n, places_of(n, op)); }
LayerOrNot from_graph(const GraphNode& n, const graph::Gather& op) { return layer_by(n, places_of(n, op)); }

}  // namespace vdla::pipeline::device
