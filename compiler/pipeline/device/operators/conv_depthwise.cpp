// SPDX-License-Identifier: Apache-2.0
// A convolution and the depthwise one behind it, piece by piece: a piece is one block of channels (the least
// common multiple of K and N) and a strip of rows. The result of a piece of the first lies in out, in one of
// two places by turns, until the second has read it: gemm works at one piece while the vector unit is at the
// one before, and they do not meet in inp. The weights and parameters of a block stay on chip over its
// strips.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/pipeline/device/block_constants.h"
#include "compiler/pipeline/device/joins.h"
#include "compiler/pipeline/device/limits.h"
#include "compiler/pipeline/device/lower.h"
#include "compiler/pipeline/device/operator.h"
#include "compiler/pipeline/device/parts.h"
#include "compiler/pipeline/device/scheduled.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/pipeline/device/window_te.h"
#include "compiler/pipeline/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/intrinsic.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

constexpr std::int64_t kPlaces = 2;

/// A strip of the second convolution's rows, and what it takes of the first one's.
struct Strip {
  std::int64_t first, count;          ///< rows of the result
  std::int64_t top;                   ///< row between that its windows begin at; negative: padding
  std::int64_t reach;                 ///< rows between, with padding
  std::int64_t row_first, row_count;  ///< rows between that are computed
};

/// Strips that follow each other, whose rows of the input are loaded together.
struct Slab {
  std::size_t first, count;  ///< strips
  std::int64_t top;          ///< row of the input that it begins at; negative: padding
  std::int64_t rows;         ///< with padding
};

/// How a layer is cut.
struct Cut {
  std::int64_t rows = 1;  ///< of a strip
  std::int64_t slab = 0;  ///< strips of a slab; 0: each piece loads its input, or has it in inp
};

/// The pieces of a cut.
class Pieces {
 public:
  Pieces(const ConvDepthwise& op, const Cut& cut, const isa::Geometry& g)
      : op_(op),
        g_(g),
        border_(padding_of(op.second).border),
        rows_(cut.rows),
        constants_(constant_entries(op, g)) {
    const std::int64_t rows = cut.rows;
    const DepthwiseConv2d& d = op.second;
    for (std::int64_t y = 0; y < d.out.h; y += rows) strips_.push_back(strip(y, std::min(rows, d.out.h - y)));
    std::int64_t height = 0;
    for (const Strip& s : strips_) height = std::max(height, s.reach);
    place_ = {height, border_.left + d.in.w + border_.right, channel_block(g)};
    for (std::size_t i = 0; cut.slab > 0 && i < strips_.size(); i += static_cast<std::size_t>(cut.slab))
      slabs_.push_back(slab(i, std::min(static_cast<std::size_t>(cut.slab), strips_.size() - i)));
    const Border around = padding_of(op.first).border;
    staged_ = {0, around.left + op.first.in.w + around.right, op.first.in.c};
    for (const Slab& s : slabs_) staged_.h = std::max(staged_.h, s.rows);
    const std::int64_t places = std::min(kPlaces, blocks());
    const auto in_half = [&](isa::Buffer buffer) {
      return 2 * places * constants_.of(buffer) <= g.depth(buffer);
    };
    if (strips_.size() > 1 && in_half(isa::Buffer::Wgt) && in_half(isa::Buffer::Par))
      constant_places_ = places;
  }

  std::int64_t rows() const { return rows_; }
  const std::vector<Strip>& strips() const { return strips_; }
  std::int64_t result_width() const { return op_.second.out.w; }
  const Border& border() const { return border_; }
  std::int64_t blocks() const { return ceil_div(op_.second.out.c, place_.c); }
  std::int64_t count() const { return blocks() * static_cast<std::int64_t>(strips_.size()); }
  /// The rows between of one piece, with its border.
  const Image& place() const { return place_; }
  std::int64_t place_entries() const { return activation_bytes(place_, g_) / g_.block_out; }
  std::int64_t scratch_entries() const { return std::min(kPlaces, count()) * place_entries(); }

  bool staged() const { return !slabs_.empty(); }
  const std::vector<Slab>& slabs() const { return slabs_; }
  /// The rows of the input of one slab, with their padding.
  const Image& staged_image() const { return staged_; }
  /// Of inp: for two slabs, by turns.
  std::int64_t staged_entries() const {
    return std::min<std::int64_t>(kPlaces, std::ssize(slabs_)) * inp_entries(staged_, {}, g_);
  }

  /// Whether the constants of a block stay in wgt and par over its strips. They take half of either buffer at
  /// most: the rest is for the first loads of the next layer.
  bool keeps_constants() const { return constant_places_ > 0; }
  /// For so many blocks, by turns.
  std::int64_t constant_places() const { return constant_places_; }
  std::int64_t constant_loads() const {
    return blocks() <= kPlaces ? blocks() : blocks() * std::max<std::int64_t>(1, std::ssize(slabs_));
  }
  const ConstantEntries& constants() const { return constants_; }
  /// Blocks of N channels in a piece.
  std::int64_t lane_blocks() const { return place_.c / g_.block_out; }

  /// Both layers, with the channels of a block alone.
  ConvDepthwise of_block(std::int64_t block) const {
    std::int64_t row = 0;
    return {op_.name, first_of(block, strips_[0], row), second_of(block, strips_[0])};
  }

  /// Of the piece: the convolution, its input as a whole from row `input_row` on.
  Conv2d first_of(std::int64_t block, const Strip& s, std::int64_t& input_row) const {
    const auto [begin, channels] = block_channels(block);
    const SlidingWindow& w = op_.first.window;
    const std::int64_t top = s.row_first * w.stride_h - w.pad_top;
    input_row = std::max<std::int64_t>(top, 0);
    Conv2d one = op_.first;
    one.window.pad_top = input_row - top;
    one.in.h -= input_row;
    one.out = {s.row_count, op_.first.out.w, channels};
    const std::int64_t each = w.kernel_h * w.kernel_w * op_.first.in.c;
    one.weights = op_.first.weights.part(begin * each, channels * each);
    if (!one.bias.empty()) one.bias = op_.first.bias.part(begin, channels);
    one.stage = channels_of(op_.first.stage, begin, channels);
    return one;
  }

  /// Of the piece: the depthwise convolution, which reads all of a place.
  DepthwiseConv2d second_of(std::int64_t block, const Strip& s) const {
    const auto [begin, channels] = block_channels(block);
    DepthwiseConv2d one = op_.second;
    one.in.c = one.out.c = channels;
    one.out.h = s.count;
    std::vector<std::int8_t> weights;
    for (std::int64_t tap = 0; tap < one.window.kernel_h * one.window.kernel_w; ++tap) {
      const SharedValues<std::int8_t> taps =
          op_.second.weights.part(tap * op_.second.out.c + begin, channels);
      weights.insert(weights.end(), taps.begin(), taps.end());
    }
    one.weights = std::move(weights);
    if (!one.bias.empty()) one.bias = op_.second.bias.part(begin, channels);
    one.stage = channels_of(op_.second.stage, begin, channels);
    return one;
  }

 private:
  Strip strip(std::int64_t first, std::int64_t count) const {
    const SlidingWindow& w = op_.second.window;
    Strip s{first,
            count,
            first * w.stride_h - w.pad_top,
            (count - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
            0,
            0};
    s.row_first = std::clamp<std::int64_t>(s.top, 0, op_.second.in.h - 1);
    s.row_count = std::clamp<std::int64_t>(s.top + s.reach, s.row_first + 1, op_.second.in.h) - s.row_first;
    return s;
  }

  Slab slab(std::size_t first, std::size_t count) const {
    const SlidingWindow& w = op_.first.window;
    const Strip& last = strips_[first + count - 1];
    const std::int64_t top = strips_[first].row_first * w.stride_h - w.pad_top;
    const std::int64_t end =
        (last.row_first + last.row_count - 1) * w.stride_h - w.pad_top + (w.kernel_h - 1) * w.dilation_h + 1;
    return {first, count, top, end - top};
  }

  std::pair<std::int64_t, std::int64_t> block_channels(std::int64_t block) const {
    const std::int64_t begin = block * place_.c;
    return {begin, std::min(place_.c, op_.second.out.c - begin)};
  }

  const ConvDepthwise& op_;
  const isa::Geometry& g_;
  Border border_;
  std::int64_t rows_;
  std::vector<Strip> strips_;
  std::vector<Slab> slabs_;
  Image place_, staged_;
  ConstantEntries constants_;
  std::int64_t constant_places_ = 0;
};

/// What is left of out, wgt and par for tiles, or nothing.
std::optional<isa::Geometry> beside(const Pieces& pieces, const isa::Geometry& g) {
  if (pieces.scratch_entries() > g.out_depth) return std::nullopt;
  isa::Geometry rest = g;
  const auto take = [](auto& depth, std::int64_t entries) {
    depth -= static_cast<std::remove_reference_t<decltype(depth)>>(entries);
  };
  take(rest.out_depth, pieces.scratch_entries());
  take(rest.wgt_depth, pieces.constant_places() * pieces.constants().of(isa::Buffer::Wgt));
  take(rest.par_depth, pieces.constant_places() * pieces.constants().of(isa::Buffer::Par));
  return rest;
}

/// One of the pieces.
template <class Layer>
Space piece_of(const Layer& op, const isa::Geometry& g, const OnChip& on_chip) {
  Space s = space_of(op, g, on_chip);
  s.piece = true;
  return s;
}

/// All of a piece: so the accumulators of both convolutions keep to a bank each, and gemm does not wait for
/// the vector unit to leave its bank.
TileKnobs whole_tile(const DepthwiseConv2d& op, const isa::Geometry& g) {
  return {op.out.h, op.out.w, channel_block(g) / g.block_out, op.window.kernel_h};
}

OnChip first_on_chip(const OnChip& whole) { return {whole.input, false, true, whole.constants}; }
OnChip second_on_chip(const OnChip& whole) { return {true, false, whole.output, whole.constants}; }

/// Cycles of loading the constants of a block.
double constants_cycles(const Pieces& pieces, const isa::Geometry& g, const isa::Timing& t) {
  const std::int64_t lanes = g.block_out;
  const ConstantEntries& c = pieces.constants();
  return move_cycles(c.first_weights, std::int64_t{g.block_in} * lanes, t) +
         2 * move_cycles(c.params, 4 * lanes, t) + move_cycles(c.second_weights, lanes, t);
}

/// Cycles that the vector unit waits for stores. While the rows of a slab are loaded, stores hardly get to
/// the bus: the vector unit goes on for as many pieces as have room for their results beside the places.
/// `load`: cycles of such a load; `piece`: of a piece.
double waiting_for_stores(const Pieces& pieces, const isa::Geometry& rest, const OnChip& on_chip, double load,
                          double piece) {
  if (on_chip.output || !pieces.staged()) return 0;
  const Strip& strip = pieces.strips().front();
  const std::int64_t result = strip.count * pieces.result_width() * pieces.lane_blocks();
  return static_cast<double>(pieces.slabs().size()) *
         std::max(0.0, load - static_cast<double>(rest.out_depth / result) * piece);
}

/// Both units work at the same time, at neighbouring pieces.
std::optional<double> estimate(const Pieces& pieces, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto rest = beside(pieces, g);
  if (!rest || pieces.staged_entries() > g.inp_depth) return std::nullopt;
  // Where pieces load their input, their constants count for each of them, kept or not: for what short loads
  // wait for, which has no closed form.
  const bool kept = pieces.staged() && pieces.keeps_constants();
  const OnChip reads{on_chip.input || pieces.staged(), false, on_chip.output, kept};
  const Image& slab = pieces.staged_image();
  const double stage = pieces.staged() ? move_cycles(slab.h, activation_bytes({1, slab.w, slab.c}, g), t) : 0;
  std::int64_t row = 0;
  const Strip& strip = pieces.strips()[pieces.strips().size() / 2];
  const Conv2d a = pieces.first_of(0, strip, row);
  const DepthwiseConv2d b = pieces.second_of(0, strip);
  const OnChip behind = second_on_chip(reads);
  const auto first = least_work(piece_of(a, *rest, first_on_chip(reads)), *rest, t);
  const auto second = work_of(piece_of(b, *rest, behind), cost_of(b, *rest), whole_tile(b, *rest), *rest, t);
  if (!first || !second) return std::nullopt;
  Work both;
  const auto n = static_cast<double>(pieces.count());
  const double constants = kept ? constants_cycles(pieces, g, t) : 0;
  both.memory = n * (first->memory + second->memory) + static_cast<double>(pieces.slabs().size()) * stage +
                static_cast<double>(pieces.constant_loads()) * constants;
  both.gemm = n * (first->gemm + first->alone);
  both.vector = n * (first->vector + second->vector);
  both.alone = waiting_for_stores(pieces, *rest, reads, stage, std::max(both.gemm, both.vector) / n);
  both.ends = stage + constants + first->memory + first->gemm +
              second->memory;  // of the first piece, of the last store
  return both.total();
}

/// The cheapest cut. Where the machine's shape keeps activations from staying in inp, the input is loaded
/// there a slab at a time, for all blocks of channels.
std::optional<std::pair<Cut, double>> best_cut(const ConvDepthwise& op, const isa::Geometry& g,
                                               const isa::Timing& t, const OnChip& on_chip) {
  std::optional<std::pair<Cut, double>> best;
  const auto offer = [&](const Cut& cut) {
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

struct Area {
  std::int64_t y, x, h, w;
};

/// What of the places holds padding: columns from their first piece on, rows until a piece leaves a result.
class PlacePadding {
 public:
  explicit PlacePadding(const Pieces& pieces) : pieces_(pieces) {
    rows_.fill(std::vector<bool>(static_cast<std::size_t>(pieces.place().h)));
  }

  /// The results of a strip lie there.
  void overwrite(std::int64_t place, const Strip& strip) {
    mark(place, strip.row_first - strip.top, strip.row_count, false);
  }

  /// What the strip's windows need and what is not there; from now on it is.
  std::vector<Area> missing(std::int64_t place, const Strip& strip) {
    std::vector<Area> areas;
    const Border& b = pieces_.border();
    const Image& image = pieces_.place();
    bool& columns = columns_[static_cast<std::size_t>(place)];
    if (!columns) {
      if (b.left > 0) areas.push_back({0, 0, image.h, b.left});
      if (b.right > 0) areas.push_back({0, image.w - b.right, image.h, b.right});
      columns = true;
    }
    const std::int64_t above = strip.row_first - strip.top;
    add_rows(place, 0, above, areas);
    add_rows(place, above + strip.row_count, strip.reach, areas);
    return areas;
  }

 private:
  void add_rows(std::int64_t place, std::int64_t begin, std::int64_t end, std::vector<Area>& areas) {
    const std::vector<bool>& padded = rows_[static_cast<std::size_t>(place)];
    const auto is_padded = [&](std::int64_t y) { return padded[static_cast<std::size_t>(y)]; };
    while (begin < end && is_padded(begin)) ++begin;
    while (begin < end && is_padded(end - 1)) --end;
    if (begin >= end) return;
    const Border& b = pieces_.border();
    areas.push_back({begin, b.left, end - begin, pieces_.place().w - b.left - b.right});
    mark(place, begin, end - begin, true);
  }

  void mark(std::int64_t place, std::int64_t first, std::int64_t count, bool padded) {
    for (std::int64_t y = first; y < first + count; ++y)
      rows_[static_cast<std::size_t>(place)][static_cast<std::size_t>(y)] = padded;
  }

  const Pieces& pieces_;
  std::array<bool, kPlaces> columns_{};
  std::array<std::vector<bool>, kPlaces> rows_;
};

std::string knobs_text(const Pieces& pieces) {
  std::string text = fmt::format("{} pieces of {} rows", pieces.count(), pieces.rows());
  if (pieces.staged()) text += fmt::format(", their input in {} parts", pieces.slabs().size());
  if (pieces.keeps_constants()) text += ", constants of a block kept";
  return text;
}

class PieceLowering {
 public:
  PieceLowering(const ConvDepthwise& op, const Pieces& pieces, const isa::Geometry& geometry,
                const isa::Timing& timing, const Residence& residence, const Watch& watch)
      : op_(op),
        pieces_(pieces),
        g_(geometry),
        timing_(timing),
        residence_(residence),
        watch_(watch),
        on_chip_{residence.input || pieces.staged(), false, residence.output.has_value(),
                 pieces.keeps_constants()},
        schedule_(knobs_text(pieces)),
        padding_(pieces),
        constants_([&pieces](std::int64_t block) { return pieces.of_block(block); }, pieces.constant_places(),
                   pieces.constants(), geometry, kernel_, watch, schedule_) {}

  DeviceKernel run() {
    scratch_of(kernel_, isa::Buffer::Out) = pieces_.scratch_entries();
    scratch_of(kernel_, isa::Buffer::Inp) = pieces_.staged_entries();
    if (!pieces_.staged()) add_pieces(0, pieces_.strips().size(), nullptr);
    for (const Slab& slab : pieces_.slabs()) {
      if (!before_) load_ahead();  // what the layer before stores does not keep them waiting, as the input
      stage(slab);
      add_pieces(slab.first, slab.count, &slab);
    }
    add_second(*before_);
    return std::move(kernel_);
  }

 private:
  /// Functions of all pieces of a strip, whose blocks differ by what their parameters are.
  struct Functions {
    loop::Func first, second;
  };

  struct Piece {
    std::int64_t block;
    Strip strip;
    const Slab* slab;  ///< that its input is staged in, or none
    std::int64_t place;
    Constants constants;
    const Functions* functions;
  };

  /// All blocks of so many strips.
  void add_pieces(std::size_t first, std::size_t count, const Slab* slab) {
    for (std::int64_t block = 0; block < pieces_.blocks(); ++block) {
      bool missing = false;
      const Constants constants = constants_.of(block, missing);
      if (missing) constants_.load_first(block, constants);
      for (std::size_t i = first; i < first + count; ++i) {
        Piece piece{block, pieces_.strips()[i], slab, index_++ % kPlaces, constants, nullptr};
        add_first(piece);
        // Not in front of the first convolution's input, for which gemm waits.
        if (std::exchange(missing, false)) constants_.load_second(block, constants);
        if (before_) add_second(*before_);
        fill(piece);  // behind what the one before needs: the load unit waits for the place here
        before_ = piece;
      }
    }
  }

  /// From a row of the staged image on.
  View staged(const Slab& slab, std::int64_t y) const {
    const Image& image = pieces_.staged_image();
    const std::int64_t pixel = padded_channels(image.c, g_), row = image.w * pixel;
    const auto place = (&slab - pieces_.slabs().data()) % kPlaces;
    return {(place * image.h + y) * row, row, pixel, tensorize::scope_of(isa::Buffer::Inp)};
  }

  /// Loads the rows of a slab, with their padding.
  void stage(const Slab& slab) {
    const Border around = padding_of(op_.first).border;
    const std::int64_t first = std::max<std::int64_t>(slab.top, 0);
    Image in = op_.first.in, out = pieces_.staged_image();
    in.h -= first;
    out.h = slab.rows;
    SlidingWindow pixels;
    pixels.pad_top = first - slab.top;
    pixels.pad_left = around.left;
    const WindowInput input("in", in, out, pixels, op_.first.input_zero, g_.block_in, false, g_);
    schedule::Schedule s({input.tensor()});
    s[input.tensor()].tensorize(s[input.tensor()].axis(0), tensorize::kLoad);
    const Views views{view(op_.first.in, std::nullopt, first, 0, 0, g_), {}, staged(slab, 0)};
    kernel_.parts.push_back(
        part_of(lowered({"stage", std::move(s), {input.parameter(), input.tensor()}}, watch_),
                {{Role::Input, 0}, {Role::Scratch, 0}}, schedule_, views));
  }

  /// The constants of the first block in front of its input.
  void load_ahead() {
    bool missing = false;
    const Constants constants = constants_.of(0, missing);
    if (!missing) return;
    constants_.load_first(0, constants);
    constants_.load_second(0, constants);
  }

  /// From a row and column of a piece's place on.
  View scratch(const Piece& piece, std::int64_t y, std::int64_t x) const {
    const Image& place = pieces_.place();
    const std::int64_t pixel = place.c, row = place.w * pixel;
    return {piece.place * place.h * row + y * row + x * pixel, row, pixel,
            tensorize::scope_of(isa::Buffer::Out)};
  }

  const Functions& functions(const Piece& piece, const Conv2d& a) {
    const auto [entry, is_new] = functions_.try_emplace({piece.strip.first, conv_parts(a)});
    if (!is_new) return entry->second;
    const DepthwiseConv2d b = pieces_.second_of(piece.block, piece.strip);
    const OnChip before = first_on_chip(on_chip_), behind = second_on_chip(on_chip_);
    const ConvKnobs knobs = choose(a.name, piece_of(a, g_, before), g_, timing_);
    entry->second = {lowered(conv2d(a, knobs, g_, before), watch_),
                     lowered(depthwise(b, whole_tile(b, g_), g_, behind), watch_)};
    return entry->second;
  }

  void add_first(Piece& piece) {
    std::int64_t input_row = 0;
    const Conv2d op = pieces_.first_of(piece.block, piece.strip, input_row);
    piece.functions = &functions(piece, op);
    const std::int64_t top = on_chip_.input ? op.window.pad_top : 0;
    const std::int64_t left = on_chip_.input ? op.window.pad_left : 0;
    const View in = piece.slab ? staged(*piece.slab, input_row - top - piece.slab->top)
                               : view(op_.first.in, residence_.input, input_row - top, -left, 0, g_);
    const View out = scratch(piece, piece.strip.row_first - piece.strip.top, pieces_.border().left);
    const Constants::Place &weights = piece.constants.first_weights, &params = piece.constants.first_params;
    kernel_.parts.push_back(part_of(
        piece.functions->first,
        {{piece.slab ? Role::Scratch : Role::Input, 0}, weights.param, params.param, {Role::Scratch, 0}},
        schedule_, std::vector{in, weights.view, params.view, out}));
    padding_.overwrite(piece.place, piece.strip);
  }

  void add_second(const Piece& piece) {
    const View out =
        view(op_.second.out, residence_.output, piece.strip.first, 0, piece.block * pieces_.place().c, g_);
    const Constants::Place &weights = piece.constants.second_weights, &params = piece.constants.second_params;
    kernel_.parts.push_back(
        part_of(piece.functions->second, {{Role::Scratch, 0}, weights.param, params.param, {Role::Output, 0}},
                schedule_, std::vector{scratch(piece, 0, 0), weights.view, params.view, out}));
  }

  void fill(const Piece& piece) {
    for (const Area& area : padding_.missing(piece.place, piece.strip)) {
      const Views views{{}, {}, scratch(piece, area.y, area.x)};
      kernel_.parts.push_back(part_of(constant_image({area.h, area.w, pieces_.place().c},
                                                     op_.second.input_zero, isa::Buffer::Out, g_, watch_),
                                      {{Role::Scratch, 0}}, schedule_, views));
    }
  }

  const ConvDepthwise& op_;
  const Pieces& pieces_;
  const isa::Geometry& g_;  ///< with what is left of inp and out
  const isa::Timing& timing_;
  const Residence& residence_;
  const Watch& watch_;
  const OnChip on_chip_;
  const std::string schedule_;
  std::int64_t index_ = 0;       ///< of the next piece
  std::optional<Piece> before_;  ///< whose second convolution is not added yet
  PlacePadding padding_;
  std::map<std::pair<std::int64_t, std::int64_t>, Functions> functions_;  ///< by first row and conv_parts()
  DeviceKernel kernel_;
  BlockConstants constants_;
};

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
  for (const Strip& s : rows.strips())
    if (s.top + s.reach <= 0 || s.top >= op.second.in.h) return "a window of nothing but padding";
  if (estimate(rows, g, {}, {})) return std::nullopt;
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

void lower(const ConvDepthwise& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const auto best = best_cut(op, g, l.timing(), {l.on_chip().input, false, l.on_chip().output});
  VDLA_CHECK_USER(best) << op.name << ": " << misfit(op, g).value_or("no room in inp");
  const Pieces pieces(op, best->first, g);
  const isa::Geometry rest = beside(pieces, g).value();
  l.kernel() = PieceLowering(op, pieces, rest, l.timing(), l.residence(), l.watch()).run();
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
  // What stays takes room from the tiles: where that is more than half, it need not.
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
