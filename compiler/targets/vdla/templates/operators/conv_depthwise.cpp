// SPDX-License-Identifier: Apache-2.0
// A convolution and the depthwise one behind it, piece by piece: a piece is one block of channels (the least
// common multiple of K and N) and a strip of rows. Both are stages of one schedule. The first is computed at
// the loop over the second one's strips, in out, in the middle of its padding: gemm works at one piece while
// the vector unit is at the one before, and they do not meet in inp.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/joins.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

using expr::IterVar;
using expr::Tensor;

constexpr std::int64_t kPlaces = 2;  ///< places of a piece between the two, so that both units find one

/// Rows that windows reach which make `rows` rows.
std::int64_t reach_of(const SlidingWindow& w, std::int64_t rows) {
  return (rows - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1;
}

/// The pieces of a cut: what the largest of them takes.
class Pieces {
 public:
  Pieces(const ConvDepthwise& op, const PieceKnobs& cut, const isa::Geometry& g)
      : op_(op), cut_(cut), g_(g) {}

  std::int64_t rows() const { return cut_.rows; }
  std::int64_t strips() const { return ceil_div(op_.second.out.h, cut_.rows); }
  std::int64_t blocks() const { return ceil_div(op_.second.out.c, channel_block(g_)); }
  std::int64_t count() const { return blocks() * strips(); }
  /// Entries of one piece between the two, with its padding.
  std::int64_t place_entries() const {
    const Border border = padding_of(op_.second).border;
    return reach_of(op_.second.window, rows()) * (border.left + op_.second.in.w + border.right) *
           lane_blocks();
  }
  std::int64_t places_entries() const { return std::min(kPlaces, count()) * place_entries(); }

  bool staged() const { return cut_.slab > 0; }
  std::int64_t slab_strips() const { return cut_.slab; }
  std::int64_t slabs() const { return staged() ? ceil_div(strips(), cut_.slab) : 0; }
  /// The rows of the input of one slab, as they are loaded. `between`: rows that its strips reach.
  Image slab(std::int64_t between) const {
    const SlidingWindow w = dense_window(op_.first.window);
    return {reach_of(w, std::min(between, op_.first.out.h)),
            (op_.first.out.w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1, op_.first.in.c};
  }
  /// The largest of them, without rows of padding.
  Image largest_slab() const {
    std::int64_t between = 0;
    const std::int64_t rows_of_one = cut_.slab * rows();
    for (std::int64_t y = 0; y < op_.second.out.h; y += rows_of_one)
      between = std::max(between, rows_between(y, std::min(rows_of_one, op_.second.out.h - y)));
    return slab(between);
  }
  /// Entries of inp for two slabs.
  std::int64_t slabs_entries() const {
    return staged() ? std::min(kPlaces, slabs()) *
                          inp_entries(slab(reach_of(op_.second.window, cut_.slab * rows())), {}, g_)
                    : 0;
  }

  /// Whether the constants of a block stay in wgt and par over its strips. They take half of either buffer at
  /// most: the rest is for the first loads of the next layer.
  bool keeps_constants() const {
    return strips() > 1 && 2 * constants_entries(isa::Buffer::Wgt) <= g_.wgt_depth &&
           2 * constants_entries(isa::Buffer::Par) <= g_.par_depth;
  }
  /// Entries of wgt or par for the constants of two blocks.
  std::int64_t constants_entries(isa::Buffer buffer) const {
    const std::int64_t one = buffer == isa::Buffer::Wgt ? first_weights() : 2 * params() + second_weights();
    return std::min(kPlaces, blocks()) * one;
  }
  /// Whether the constants of all blocks have room: they are loaded once, where the rows of the input come in
  /// several slabs.
  bool keeps_all_constants() const { return keeps_constants() && slabs() > 1 && blocks() <= kPlaces; }
  std::int64_t constants_loads() const { return blocks() * (keeps_all_constants() ? 1 : slabs()); }
  // Entries of a block.
  std::int64_t first_weights() const {
    const SlidingWindow& w = op_.first.window;
    return conv_parts(op_.first) * lane_blocks() * w.kernel_h * w.kernel_w *
           ceil_div(op_.first.in.c, std::int64_t{g_.block_in});
  }
  std::int64_t second_weights() const {
    return lane_blocks() * op_.second.window.kernel_h * op_.second.window.kernel_w;
  }
  std::int64_t params() const { return lane_blocks() * kScaleParams; }

  /// Entries of out for the result of a piece.
  std::int64_t result_entries() const { return rows() * op_.second.out.w * lane_blocks(); }

  /// The strip in the middle, which is the last one of two.
  struct Strip {
    std::int64_t rows;     ///< rows of the result
    std::int64_t between;  ///< rows of the first convolution's result that its windows reach
  };
  Strip middle() const {
    const std::int64_t y = strips() / 2 * rows(), count = std::min(rows(), op_.second.out.h - y);
    return {count, rows_between(y, count)};
  }
  /// As large as any strip; where there are several, with the padding that one of them may reach.
  Strip largest() const {
    const std::int64_t reach = reach_of(op_.second.window, rows());
    return {rows(), strips() == 1 ? std::min(reach, op_.second.in.h) : reach};
  }

  /// Convolution of a piece. Its weights are those of all. Its weights are those of all.
  Conv2d first(const Strip& strip) const {
    Conv2d one = op_.first;
    one.out = {strip.between, one.out.w, channels()};
    return one;
  }
  /// The depthwise convolution, the same.
  DepthwiseConv2d second(const Strip& strip) const {
    DepthwiseConv2d one = op_.second;
    one.in.c = one.out.c = channels();
    one.out.h = strip.rows;
    return one;
  }
  /// All of the second: so the accumulators of both convolutions keep to a bank each, and gemm does not wait
  /// for the vector unit to leave its bank.
  TileKnobs second_tile(const Strip& strip) const {
    return {strip.rows, op_.second.out.w, lane_blocks(), op_.second.window.kernel_h};
  }

 private:
  /// Rows of the first convolution's result that windows of `count` rows of the second one's reach.
  std::int64_t rows_between(std::int64_t y, std::int64_t count) const {
    const SlidingWindow& w = op_.second.window;
    const std::int64_t top = y * w.stride_h - w.pad_top, end = top + reach_of(w, count);
    const std::int64_t begin = std::clamp<std::int64_t>(top, 0, op_.second.in.h - 1);
    return std::clamp<std::int64_t>(end, begin + 1, op_.second.in.h) - begin;
  }
  std::int64_t channels() const { return std::min(channel_block(g_), op_.second.out.c); }
  std::int64_t lane_blocks() const { return channel_block(g_) / g_.block_out; }

  const ConvDepthwise& op_;
  PieceKnobs cut_;
  const isa::Geometry& g_;
};

/// Rest of out, wgt and par for tiles, or nothing.
std::optional<isa::Geometry> beside(const Pieces& pieces, const isa::Geometry& g) {
  if (pieces.places_entries() > g.out_depth) return std::nullopt;
  isa::Geometry rest = g;
  const auto take = [](auto& depth, std::int64_t entries) {
    depth -= static_cast<std::remove_reference_t<decltype(depth)>>(entries);
  };
  take(rest.out_depth, pieces.places_entries());
  if (!pieces.keeps_constants()) return rest;
  take(rest.wgt_depth, pieces.constants_entries(isa::Buffer::Wgt));
  take(rest.par_depth, pieces.constants_entries(isa::Buffer::Par));
  return rest;
}

/// Rest of that for the first convolution, or nothing: the constants of the second one are beside its own.
std::optional<isa::Geometry> beside_second(const Pieces& pieces, const isa::Geometry& rest) {
  if (pieces.keeps_constants()) return rest;
  const std::int64_t entries = pieces.params() + pieces.second_weights();
  if (entries >= rest.par_depth) return std::nullopt;
  isa::Geometry left = rest;
  left.par_depth -= static_cast<decltype(left.par_depth)>(entries);
  return left;
}

/// One of the pieces.
template <class Layer>
Space piece_of(const Layer& op, const isa::Geometry& g, const OnChip& on_chip) {
  Space s = space_of(op, g, on_chip);
  s.piece = true;
  s.corrects = false;
  return s;
}

/// Activations on chip of the first convolution of a piece. The input of a slab is in inp.
OnChip first_on_chip(const Pieces& pieces, const OnChip& whole) {
  return {whole.input || pieces.staged(), false, true, pieces.keeps_constants()};
}
OnChip second_on_chip(const Pieces& pieces, const OnChip& whole) {
  return {true, false, whole.output, pieces.keeps_constants()};
}

/// Cycles of loading the constants of a block.
double constants_cycles(const Pieces& pieces, const isa::Geometry& g, const isa::Timing& t) {
  const std::int64_t lanes = g.block_out;
  const isa::MemoryCosts costs(t);
  return costs.move(pieces.first_weights(), std::int64_t{g.block_in} * lanes) +
         2 * costs.move(pieces.params(), 4 * lanes) + costs.move(pieces.second_weights(), lanes);
}

/// Cycles that the vector unit waits for stores. While the rows of a slab are loaded, stores hardly get to
/// the bus: the vector unit goes on for as many pieces as have room for their results beside the places.
/// `load`: cycles of such a load; `piece`: of a piece.
double waiting_for_stores(const Pieces& pieces, const isa::Geometry& rest, const OnChip& on_chip, double load,
                          double piece) {
  if (on_chip.output || !pieces.staged()) return 0;
  const std::int64_t results = rest.out_depth / pieces.result_entries();
  return static_cast<double>(pieces.slabs()) * std::max(0.0, load - static_cast<double>(results) * piece);
}

/// Both units work at the same time, at neighbouring pieces.
std::optional<double> estimate(const Pieces& pieces, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto rest = beside(pieces, g);
  const auto of_first = rest ? beside_second(pieces, *rest) : std::nullopt;
  if (!of_first || pieces.slabs_entries() > g.inp_depth) return std::nullopt;
  double stage = 0;
  if (pieces.staged()) {
    const Image slab = pieces.largest_slab();
    stage = isa::MemoryCosts(t).move(slab.h, activation_bytes({1, slab.w, slab.c}, g));
  }
  // Constants of pieces that load their input count for each of them, kept or not: this stands for what short
  // loads wait for, which has no closed form.
  const bool kept = pieces.staged() && pieces.keeps_constants();
  OnChip before = first_on_chip(pieces, on_chip), behind = second_on_chip(pieces, on_chip);
  before.constants = behind.constants = kept;
  const Pieces::Strip middle = pieces.middle();
  const DepthwiseConv2d b = pieces.second(middle);
  const auto first = least_work(piece_of(pieces.first(middle), *of_first, before), *of_first, t);
  const auto second =
      work_of(piece_of(b, *rest, behind), cost_of(b, *rest), pieces.second_tile(middle), *rest, t);
  const Pieces::Strip largest = pieces.largest();
  const Space tile = piece_of(pieces.second(largest), *rest, behind);
  if (!first || !second || !fits(footprint(tile, cost_of(b, *rest), pieces.second_tile(largest)), *rest))
    return std::nullopt;
  Work both;
  const auto n = static_cast<double>(pieces.count());
  const double constants = kept ? constants_cycles(pieces, g, t) : 0;
  both.memory = n * (first->memory + second->memory) + static_cast<double>(pieces.slabs()) * stage +
                static_cast<double>(pieces.constants_loads()) * constants;
  both.gemm = n * (first->gemm + first->alone);
  both.vector = n * (first->vector + second->vector);
  both.alone = waiting_for_stores(pieces, *rest, on_chip, stage, std::max(both.gemm, both.vector) / n);
  // Ends of the first piece and of the last store.
  both.ends = stage + constants + first->memory + first->gemm + second->memory;
  return both.total();
}

/// The cheapest cut. Where the machine's shape keeps activations from staying in inp, the input is loaded
/// there a slab at a time, for all blocks of channels.
std::optional<std::pair<PieceKnobs, double>> best_cut(const ConvDepthwise& op, const isa::Geometry& g,
                                                      const isa::Timing& t, const OnChip& on_chip) {
  std::optional<std::pair<PieceKnobs, double>> best;
  const auto offer = [&](const PieceKnobs& cut) {
    const auto cycles = estimate(Pieces(op, cut, g), g, t, on_chip);
    if (cycles && (!best || *cycles < best->second)) best = {cut, *cycles};
  };
  for (const std::int64_t rows : part_sizes(op.second.out.h)) {
    for (const std::int64_t strips : part_sizes(ceil_div(op.second.out.h, rows)))
      if (bound_by_shape(g)) offer({rows, strips});
    offer({rows, 0});
  }
  return best;
}

/// Whether the layer can be cut so, with room for all that its pieces take.
bool has_pieces(const ConvDepthwise& op, const PieceKnobs& cut, const isa::Geometry& g,
                const OnChip& on_chip) {
  const std::int64_t strips = ceil_div(op.second.out.h, cut.rows);
  if (cut.rows > op.second.out.h || cut.slab > strips || (cut.slab > 0 && !bound_by_shape(g))) return false;
  return estimate(Pieces(op, cut, g), g, {}, on_chip).has_value();
}

PieceKnobs cut_at(const Point& p) { return {p.at(0), p.size() > 1 ? p[1] - 1 : 0}; }

LayerSpace space_of(const ConvDepthwise& op, const isa::Geometry& g, const isa::Timing& t,
                    const OnChip& on_chip) {
  const std::int64_t rows = op.second.out.h;
  std::vector<Knob> knobs = {{"rows", rows, {}}};
  if (bound_by_shape(g)) {
    std::vector<std::string> slabs{"none"};
    for (std::int64_t strips = 1; strips <= rows; ++strips) slabs.push_back(std::to_string(strips));
    knobs.push_back({"slab", std::ssize(slabs), std::move(slabs)});
  }
  return {KnobSpace(
              std::move(knobs),
              {.fits = [=](const Point& p) { return has_pieces(op, cut_at(p), g, on_chip); },
               .estimate =
                   [=](const Point& p) { return estimate(Pieces(op, cut_at(p), g), g, t, on_chip).value(); },
               .normal = [](Point p) { return p; }}),
          [](const Point& p) -> Knobs { return cut_at(p); }};
}

/// Function over in, weights, params of the first, weights, params of the second, out. `g`: beside().
Scheduled in_pieces(const ConvDepthwise& op, const Pieces& pieces, const isa::Geometry& g,
                    const isa::Timing& t, const OnChip& on_chip) {
  const Space space = piece_of(pieces.first(pieces.largest()), g, first_on_chip(pieces, on_chip));
  const ConvTensors first = conv_tensors(op.first, {on_chip.input, false, true}, g);
  const WindowInput between(first.out, op.second.in, op.second.out, op.second.window, op.second.input_zero,
                            g);
  Stages second = depthwise_stages(op.second, between, g, {true, false, on_chip.output}, {}, ".second");
  second.constants_by_tile = pieces.strips() == 1;  // behind the input of the first, for which gemm waits
  const Tensor& result = second.args.back();
  schedule::Schedule s({result});
  const TileLoops loops = schedule_tiles(s, second, pieces.second_tile(pieces.largest()), g);
  const ConvConstants constants =
      schedule_conv(s, first, choose(op.first.name, space, beside_second(pieces, g).value(), t), space, g);
  schedule::Stage &out = s[result], &inner = s[first.out], &padded = s[between.tensor()];
  for (schedule::Stage* stage : {&inner, &padded})
    stage->compute_at(out, loops.columns).set_scope(intrinsics::scope_of(isa::Buffer::Out));
  padded.tensorize(padded.axis(0), intrinsics::kLoad);
  padded.pad_in_place(inner).rolling_buffer(std::min(kPlaces, pieces.count()));
  if (pieces.keeps_constants())
    for (const Tensor& kept : {constants.weights, constants.params}) s[kept].compute_at(out, loops.blocks);
  if (pieces.keeps_all_constants())
    for (const Tensor& kept : {constants.weights, constants.params, second.weights[0], second.parameters[0]})
      s[kept].compute_root();
  if (pieces.staged()) {
    const auto [slab, strip] = out.split(loops.rows, pieces.slab_strips());
    out.reorder({slab, loops.blocks, strip});
    schedule::Stage& input = s[first.padded];
    input.compute_at(out, slab).set_scope(intrinsics::scope_of(isa::Buffer::Inp));
    input.compute_whole(input.axis(2));  // blocks without a channel, too: a row of pixels is one run
    input.tensorize(input.axis(0), intrinsics::kLoad);
  }
  return {"conv2d_depthwise",
          std::move(s),
          {first.in, first.weights, first.params, second.args[1], second.args[2], result}};
}

void check(const ConvDepthwise& op) {
  row<Conv2d>().check(op.first);
  row<DepthwiseConv2d>().check(op.second);
  VDLA_CHECK_USER(op.first.images == 1 && op.second.images == 1 && op.first.groups == 1 && !op.first.sum &&
                  op.first.out == op.second.in && op.second.in.c == op.second.out.c)
      << op.name << ": needs one image and group, and a depthwise convolution of " << text(op.first.out)
      << " behind the first, sees " << text(op.second.in) << " to " << text(op.second.out);
}

/// Why it cannot be done piece by piece, or nothing.
Reason misfit(const ConvDepthwise& op, const isa::Geometry& g) {
  if (g.batch != 1) return "pieces of a convolution stay on chip only where an entry holds one pixel";
  const Pieces rows(op, {}, g);
  if (estimate(rows, g, {}, {})) return std::nullopt;
  const auto rest = beside(rows, g);
  if (rest && !beside_second(rows, *rest))
    return fmt::format(
        "{} entries for the constants of its depthwise convolution leave no room in par, "
        "which has {}",
        rows.params() + rows.second_weights(), g.par_depth);
  return fmt::format("{} places of {} entries for a row of its result find no room in out, which has {}",
                     kPlaces, rows.place_entries(), g.out_depth);
}

std::optional<double> estimate(const ConvDepthwise& op, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto best = best_cut(op, g, t, on_chip);
  return best ? std::optional(best->second) : std::nullopt;
}

Reason why_not(const ConvDepthwise& op, const isa::Geometry& g) {
  const OutputStage &a = op.first.stage, &b = op.second.stage;
  const OutputStage& narrow = a.max - a.min < b.max - b.min ? a : b;
  if (auto why = one_value(narrow.min, narrow.max)) return why;
  for (auto& why : {bad_stage(op.first), bad_zero("weight", op.first.weight_zero), bad_stage(op.second),
                    bad_zero("weight", op.second.weight_zero)})
    if (why) return why;
  return misfit(op, g);
}

std::string text_of(const Pieces& pieces) {
  std::string text = fmt::format("{} pieces of {} rows", pieces.count(), pieces.rows());
  if (pieces.staged()) text += fmt::format(", their input in {} parts", pieces.slabs());
  if (pieces.keeps_constants()) text += ", constants of a block kept";
  return text;
}

void lower(const ConvDepthwise& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const OnChip on_chip{l.on_chip().input, false, l.on_chip().output};
  const auto given = l.piece_knobs(op.name);
  VDLA_CHECK_USER(!given || has_pieces(op, *given, g, on_chip))
      << op.name << ": pieces of " << given->rows << " rows find no room, or are no cut of this layer";
  const auto best = given ? std::nullopt : best_cut(op, g, l.timing(), on_chip);
  VDLA_CHECK_USER(given || best) << op.name << ": " << misfit(op, g).value_or("no room in inp");
  const Pieces pieces(op, given ? *given : best->first, g);
  PackedConstants a = pack(op.first, g), b = pack(op.second, g);
  const std::int64_t first = l.place(std::move(a.bytes)), second = l.place(std::move(b.bytes));
  l.set_function(in_pieces(op, pieces, beside(pieces, g).value(), l.timing(), on_chip),
                 {{Role::Input, 0},
                  {Role::Constants, first + a.weights_offset},
                  {Role::Constants, first + a.params_offset},
                  {Role::Constants, second + b.weights_offset},
                  {Role::Constants, second + b.params_offset},
                  {Role::Output, 0}},
                 text_of(pieces), l.views(op.first.in, op.second.out, op.first.window));
  if (conv_parts(op.first) > 1)
    l.note_weights(text_of_parts(conv_parts(op.first)));
  else if (op.second.weight_zero != 0)
    l.note_weights(kWideWeights);
}

}  // namespace

template <>
const Operator<ConvDepthwise>& row<ConvDepthwise>() {
  static constexpr Operator<ConvDepthwise> kRow{
      .kind = [](const ConvDepthwise&) -> std::string_view { return "conv2d+depthwise"; },
      .inputs = [](const ConvDepthwise& op) { return std::vector{op.first.in}; },
      .output = [](const ConvDepthwise& op) { return op.second.out; },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .space = space_of,
      .macs = [](const ConvDepthwise& op) { return macs_of(op.first) + macs_of(op.second); },
      .padding = [](const ConvDepthwise& op) { return padding_of(op.first); },
      .window = [](const ConvDepthwise& op) { return op.first.window; },
  };
  return kRow;
}

Joined<ConvDepthwise> piece_by_piece(const Conv2d& first, const DepthwiseConv2d& second,
                                     const isa::Geometry& g) {
  if (first.sum || first.images != 1 || first.groups != 1 || second.images != 1 || first.out != second.in ||
      second.in.c != second.out.c)
    return std::nullopt;
  ConvDepthwise both{second.name, first, second};
  if (auto why = unsupported(both, g)) return WhyNot{std::move(*why)};
  return both;
}

bool saves_time(const ConvDepthwise& both, bool from_device, const isa::Variant& variant) {
  const isa::Geometry& g = variant.geometry;
  const auto entries = [&](const Image& image, const Border& border) {
    return inp_entries(image, border, g);
  };
  const std::int64_t in = entries(both.first.in, padding_of(both.first).border);
  const std::int64_t between = entries(both.first.out, padding_of(both.second).border);
  const std::int64_t out = entries(both.second.out, {});
  const auto fits = [&](std::int64_t all) { return all <= g.inp_depth; };
  const bool in_inp = !bound_by_shape(g);
  const bool in_can = in_inp && from_device && fits(in + out);
  const bool out_can = in_inp && fits(out + (in_can ? in : 0));
  // The pieces of several blocks load the input again for each, and their results share out with the places:
  // not worth it through DRAM alone.
  const bool once = both.second.out.c <= g.block_out;
  if (in_inp && !in_can && !out_can && !once) return false;
  const bool between_can = in_inp && fits(between + (in_can ? in : 0)) && fits(between + (out_can ? out : 0));
  const auto cycles = [&](const Op& op, bool reads, std::int64_t read, bool leaves, std::int64_t left) {
    const std::int64_t room = g.inp_depth - (reads ? read : 0) - (leaves ? left : 0);
    return estimate(op, g, variant.timing, {.input = reads, .output = leaves}, room)
        .value_or(std::numeric_limits<double>::infinity());
  };
  // Activations that stay take room from the tiles: where that is more than half, they need not.
  const std::int64_t staying = (in_can ? in : 0) + (between_can ? between : 0) + (out_can ? out : 0);
  const bool tight = 2 * staying > g.inp_depth;
  const auto least = [&](bool can, const auto& of) {
    return can && tight ? std::min(of(true), of(false)) : of(can);
  };
  const double together = least(in_can, [&](bool in_stays) {
    return least(out_can, [&](bool out_stays) { return cycles(both, in_stays, in, out_stays, out); });
  });
  const double apart = least(between_can, [&](bool stays) {
    return least(in_can, [&](bool in_stays) { return cycles(both.first, in_stays, in, stays, between); }) +
           least(out_can,
                 [&](bool out_stays) { return cycles(both.second, stays, between, out_stays, out); });
  });
  return together < apart;
}

}  // namespace vdla::pipeline::device
