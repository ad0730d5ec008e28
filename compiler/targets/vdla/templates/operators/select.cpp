// SPDX-License-Identifier: Apache-2.0
// Rows, columns and channels of an image, moved by DMA: slices, images that are resized by their nearest
// pixels, borders of pixels. Rows and columns with constant distances are one copy, an output of one schedule
// with tiles of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/targets/vdla/templates/copies.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/parts.h"
#include "compiler/targets/vdla/templates/places.h"
#include "support/error.h"

namespace vdla::pipeline::device {

namespace {

/// Rows, columns and channels of the result that one copy makes.
struct Piece {
  PlaceRun rows, columns, channels;

  bool is_fill() const {
    return std::ranges::any_of(std::array{rows.from, columns.from, channels.from},
                               [](std::int64_t from) { return from == Select::kNowhere; });
  }
  Image image() const { return {rows.count, columns.count, channels.count}; }
};

PlaceRun channel_run(std::int64_t count, std::int64_t to, std::int64_t from) {
  return {count, to, 1, from, 1};
}

/// The range of channels as runs of whole blocks that lie within a pixel. The last one may repeat channels:
/// it ends where the pixel does. Then bytes of the result's last block that none of them has are filled
/// before.
std::vector<PlaceRun> channel_runs(const Select& op, const isa::Geometry& g) {
  const std::int64_t end = padded_channels(op.in.c, g), block = channel_block(g);
  if (op.channel + padded_channels(op.out.c, g) <= end) return {channel_run(op.out.c, 0, op.channel)};
  const std::int64_t whole = (end - op.channel) / block * block, last = end - block;
  return {channel_run(block, padded_channels(op.out.c, g) - block, Select::kNowhere),
          channel_run(whole, 0, op.channel), channel_run(block, last - op.channel, last)};
}

std::vector<Piece> pieces_of(const Select& op, const isa::Geometry& g) {
  std::vector<Piece> pieces;
  const std::vector<PlaceRun> columns = runs_of(op.columns), channels = channel_runs(op, g);
  for (const PlaceRun& rows : runs_of(op.rows)) {
    for (const PlaceRun& part : columns) {
      if (rows.from == Select::kNowhere || part.from == Select::kNowhere)
        pieces.push_back({rows, part, channel_run(op.out.c, 0, 0)});
      else
        for (const PlaceRun& run : channels) pieces.push_back({rows, part, run});
    }
  }
  return pieces;
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

/// A load takes whole blocks, wherever in a pixel they begin; so the last ones must be whole.
Reason why_not(const Select& op, const isa::Geometry& g) {
  if (auto why = bad_zero("the border's", op.value)) return why;
  const std::int64_t end = padded_channels(op.in.c, g);
  if (op.channel + padded_channels(op.out.c, g) > end && op.channel + channel_block(g) > end)
    return fmt::format("its {} channels from {} on end within a block, which would reach beyond the pixel",
                       op.out.c, op.channel);
  const auto too_many = [](std::size_t copies) {
    return fmt::format("its rows and columns take {} copies, the device makes {} at most", copies,
                       kMostCopies);
  };
  // Runs are counted before pieces are listed: many rows times many columns are too many.
  if (const std::size_t runs = runs_of(op.rows).size() * runs_of(op.columns).size(); runs > kMostCopies)
    return too_many(runs);
  const std::vector<Piece> pieces = pieces_of(op, g);
  if (pieces.size() > kMostCopies) return too_many(pieces.size());
  for (const Piece& piece : pieces)
    if (auto reason = why_no_copy(piece.image(), g)) return reason;
  return std::nullopt;
}

std::optional<double> estimate(const Select& op, const isa::Geometry& g, const isa::Timing& timing,
                               const OnChip&) {
  double cycles = 0;
  for (const Piece& piece : pieces_of(op, g)) {
    const auto one = copy_cycles(piece.image(), g, timing);
    if (!one) return std::nullopt;
    cycles += *one;
  }
  return cycles;
}

void lower(const Select& op, Lowering& l) {
  if (l.residence().is_in_place(0)) return;
  const isa::Geometry& g = l.geometry();
  Copies copies(op.name, l);
  for (const Piece& piece : pieces_of(op, g)) {
    const auto& [rows, columns, channels] = piece;
    const View to = part_of(op.out, rows.to, rows.to_step, columns.to, columns.to_step, channels.to, g);
    if (piece.is_fill())
      copies.fill(piece.image(), op.value, to);
    else
      copies.copy(
          piece.image(), 0,
          part_of(op.in, rows.from, rows.from_step, columns.from, columns.from_step, channels.from, g), to);
  }
  copies.finish("select");
}

bool follow_each_other(const std::vector<std::int64_t>& places) {
  return places[0] != Select::kNowhere &&
         std::ranges::adjacent_find(places, [](std::int64_t a, std::int64_t b) { return b != a + 1; }) ==
             places.end();
}

}  // namespace

std::optional<Within> within(const Select& op, const isa::Geometry& g) {
  const bool by_pixels =
      follow_each_other(op.rows) && follow_each_other(op.columns) && (op.out.h == 1 || op.out.w == op.in.w);
  if (!by_pixels || channel_runs(op, g).size() > 1) return std::nullopt;
  return Within{op.rows[0] * op.in.w + op.columns[0], op.channel};
}

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

bool is_all_of_its_input(const Places& places, const Image& in, std::int64_t channels) {
  const auto all = [](const std::vector<std::int64_t>& of, std::int64_t extent) {
    return follow_each_other(of) && of[0] == 0 && static_cast<std::int64_t>(of.size()) == extent;
  };
  return all(places.rows, in.h) && all(places.columns, in.w) && places.channel == 0 && channels == in.c;
}

LayerOrNot layer_by(const GraphNode& n, PlacesOrNot places) {
  if (auto* no = std::get_if<WhyNot>(&places)) return std::move(*no);
  Places all = behind(n.graph, std::get<Places>(std::move(places)));
  const Image in = image_of(n.graph.tensor(all.from).shape);
  if (all.before + all.after > 0) {
    if (!is_all_of_its_input(all, in, image_of(n.out()).c - all.before - all.after))
      return WhyNot{"it pads channels and moves others, the device does one of them"};
    return Layer{Concat{n.name(), {in}, false, all.before, all.after, all.value}, {all.from}};
  }
  return Layer{Select{n.name(), in, image_of(n.out()), std::move(all.rows), std::move(all.columns),
                      all.channel, all.value},
               {all.from}};
}

}  // namespace

LayerOrNot from_graph(const GraphNode& n, const graph::View& op) { return layer_by(n, places_of(n, op)); }
LayerOrNot from_graph(const GraphNode& n, const graph::Gather& op) { return layer_by(n, places_of(n, op)); }

}  // namespace vdla::pipeline::device
