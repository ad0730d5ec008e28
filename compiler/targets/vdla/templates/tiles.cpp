// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "compiler/knobs/space.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

using isa::Buffer;
using isa::MemoryCosts;

// Steps of the vector unit for an entry of a convolution with a sum, and entries of par.
constexpr std::int64_t kSumSteps = 4, kSumParams = 3 * kScaleParams;
// Cycles in which the vector unit adds a correction to an entry: it reads two entries of a bank.
constexpr std::int64_t kCorrectionCycles = 2;
// Worth of room for the next layer's first loads beside the last tile. Measured with ResNet-8 and keyword
// spotting on 17 variants (decision 27): 1.05 gives the same cycles, 1.2 takes 0.6 % more of ResNet-8, in
// geometric mean.
constexpr double kRoomForNext = 1.1;

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

/// The largest divisor of `n` whose `entries` each fit `room`, at least 1.
std::int64_t largest_divisor(std::int64_t n, std::int64_t entries, std::int64_t room) {
  std::int64_t best = entries == 0 ? n : std::min(n, room / entries);
  while (best > 1 && n % best != 0) --best;
  return std::max<std::int64_t>(best, 1);
}

/// Number of a convolution's images of results that lie in out: its own, and with a sum the operand's (the
/// sum takes over a place).
std::int64_t out_images(const Space& s) { return s.adds ? 2 : s.on_chip.output ? 0 : 1; }

/// Blocks of output channels that a tile has room for: its stores are `store_n` blocks each, the last one
/// too.
std::int64_t stored_blocks(const Space& s, const ConvKnobs& k) {
  return std::min(ceil_div(k.tile_n, k.store_n) * k.store_n, s.out_blocks);
}

/// Inputs of a layer on the vector unit that are loaded.
std::int64_t loaded(const Space& s, const TileCost& cost) {
  return cost.operands - (s.on_chip.input ? 1 : 0) - (s.on_chip.second_input ? 1 : 0);
}

/// Parts of the weights that gemm takes.
std::int64_t parts_of(const Space& s, const ConvKnobs& k) { return k.corrected ? 1 : s.parts; }

struct Excess {
  Buffer buffer;
  std::int64_t need, have;
};

std::optional<Excess> excess(const Footprint& f, const isa::Geometry& g, std::int64_t share) {
  const auto over = [&](Buffer b, std::int64_t need) -> std::optional<Excess> {
    const std::int64_t have = g.depth(b) / share;
    return need > have ? std::optional<Excess>({b, need, have}) : std::nullopt;
  };
  if (auto e = over(Buffer::Acc, f.acc)) return e;
  if (auto e = over(Buffer::Inp, f.inp)) return e;
  if (auto e = over(Buffer::Wgt, f.wgt)) return e;
  if (auto e = over(Buffer::Out, f.out)) return e;
  return over(Buffer::Par, f.par);
}

double input_load(const Space& s, const ConvKnobs& k, bool whole, const isa::Geometry& g,
                  const MemoryCosts& costs) {
  const std::int64_t rows = s.rows(k.tile_h, whole ? s.window.kernel_h : k.tile_kh);
  const std::int64_t columns = s.columns(k.tile_w), blocks = whole ? s.in_blocks : k.tile_c;
  if (blocks == s.in_blocks && !s.gathered) {
    return costs.move(rows, columns * s.loaded_blocks(blocks) * g.block_in * g.batch);
  }
  return costs.move(rows * columns * g.batch, blocks * g.block_in);
}

/// Weights of some output blocks, kernel rows and blocks of input channels. Entries that take the bus less
/// time than a request takes (of arrays of 4x4) are requested together, as many as follow each other in a
/// burst.
double weight_load(const Space& s, std::int64_t out_blocks, std::int64_t rows, std::int64_t in_blocks,
                   const isa::Geometry& g, const isa::Timing& t) {
  const std::int64_t bytes = std::int64_t{g.block_in} * g.block_out;
  const std::int64_t taps = rows * s.window.kernel_w;
  const bool short_of_a_request =
      bytes * t.dram_outstanding < std::int64_t{t.dram_latency} * t.dram_bytes_per_cycle;
  std::int64_t together = 1;
  if (short_of_a_request) {
    const std::int64_t follow = in_blocks < s.in_blocks ? in_blocks : taps * in_blocks;
    together = std::min(follow, std::max<std::int64_t>(t.dram_burst_bytes / bytes, 1));
  }
  return MemoryCosts(t).move(ceil_div(out_blocks * taps * in_blocks, together), together * bytes);
}

}  // namespace

std::optional<double> total(const std::optional<Work>& work) {
  return work ? std::optional(work->total()) : std::nullopt;
}

std::int64_t Space::rows(std::int64_t tile_h, std::int64_t kernel_rows) const {
  return (tile_h - 1) * window.stride_h + (kernel_rows - 1) * window.dilation_h + 1;
}

std::int64_t Space::columns(std::int64_t tile_w) const {
  if (batch > 1) return grouping.copies * (tile_w + grouping.beyond) * grouping.bundle;
  return (tile_w - 1) * window.stride_w + (window.kernel_w - 1) * window.dilation_w + 1;
}

std::int64_t Space::loaded_blocks(std::int64_t blocks) const {
  return blocks == in_blocks && !gathered ? std::max(blocks, stored_blocks) : blocks;
}

std::string_view to_string(Reuse reuse) {
  switch (reuse) {
    case Reuse::Stream:
      return "stream";
    case Reuse::KeepInput:
      return "keep-input";
    case Reuse::KeepWeights:
      return "keep-weights";
  }
  return "";
}

std::string to_string(const ConvKnobs& k) {
  return fmt::format("tile {}x{}x{}, chunk {} rows x {} blocks, load {}, store {}, {}{}", k.tile_h, k.tile_w,
                     k.tile_n, k.tile_kh, k.tile_c, k.load_n, k.store_n, to_string(k.reuse),
                     k.vthreads > 1 ? fmt::format(", {} virtual threads", k.vthreads) : "") +
         (k.corrected ? ", with corrections" : "");
}

std::string to_string(const TileKnobs& k) {
  return fmt::format("tile {}x{}x{}, chunk {} rows", k.tile_h, k.tile_w, k.tile_c, k.tile_kh);
}

namespace {

/// Tiles along rows, columns and blocks of channels.
std::array<std::int64_t, 3> tiles_of(const Space& s, const ConvKnobs& k) {
  return {ceil_div(s.out_h, k.tile_h), ceil_div(s.out_w, k.tile_w), ceil_div(s.out_blocks, k.tile_n)};
}

/// Gives each virtual thread the buffers that are allocated inside of their loop; the same number of tiles in
/// each bank of acc.
void give_each_thread_its_own(const Space& s, const ConvKnobs& k, Footprint& f) {
  const std::int64_t v = k.vthreads;
  const bool pixels = thread_axis(s, k) != ThreadAxis::Blocks;
  f.acc *= (v + isa::kAccBanks - 1) / isa::kAccBanks * isa::kAccBanks;
  f.out *= v;
  if (pixels || k.reuse != Reuse::KeepInput) f.inp *= v;
  if (pixels && k.reuse == Reuse::KeepWeights) return;
  f.wgt *= v;
  f.par *= v;
}

}  // namespace

std::optional<ThreadAxis> thread_axis(const Space& s, const ConvKnobs& k) {
  const auto tiles = tiles_of(s, k);
  for (const ThreadAxis axis : {ThreadAxis::Rows, ThreadAxis::Columns, ThreadAxis::Blocks})
    if (tiles[static_cast<std::size_t>(axis)] >= k.vthreads) return axis;
  return std::nullopt;
}

bool corrects_evenly(const Space& s, const ConvKnobs& k) {
  return !k.corrected || (s.corrects && s.out_blocks % k.tile_n == 0 && k.tile_n % k.store_n == 0);
}

Footprint footprint(const Space& s, const ConvKnobs& k) {
  const bool whole = k.reuse == Reuse::KeepInput;
  const std::int64_t pixels = k.tile_h * k.tile_w, blocks = stored_blocks(s, k);
  const std::int64_t gemm_blocks = blocks + (k.corrected ? 1 : 0);
  Footprint f;
  if (!s.on_chip.input) {
    // A last chunk of fewer kernel rows is loaded like the others.
    const std::int64_t kernel_rows = whole ? ceil_div(s.window.kernel_h, k.tile_kh) * k.tile_kh : k.tile_kh;
    const std::int64_t rows = std::min(s.rows(k.tile_h, kernel_rows), s.rows(s.out_h, s.window.kernel_h));
    f.inp = rows * s.columns(k.tile_w) * s.loaded_blocks(whole ? s.in_blocks : k.tile_c);
  }
  if (!s.on_chip.constants) {
    f.wgt = k.reuse == Reuse::KeepWeights
                ? parts_of(s, k) * gemm_blocks * s.window.kernel_h * s.window.kernel_w * s.in_blocks
                : k.load_n * k.tile_kh * s.window.kernel_w * k.tile_c;
    f.par = kScaleParams * blocks;
  }
  f.acc = pixels * gemm_blocks;
  f.out = out_images(s) * pixels * k.store_n;
  if (s.adds) f.par += kSumParams;
  if (k.vthreads > 1) give_each_thread_its_own(s, k, f);
  return f;
}

Footprint footprint(const Space& s, const TileCost& cost, const TileKnobs& k) {
  const std::int64_t pixels = k.tile_h * k.tile_w * k.tile_c;
  const std::int64_t operand = loaded(s, cost) * s.rows(k.tile_h, k.tile_kh) * s.columns(k.tile_w) * k.tile_c;
  Footprint f;
  (cost.operand == Buffer::Inp ? f.inp : f.out) += operand;
  if (!s.on_chip.output) f.out += pixels;
  f.acc = cost.accumulates ? cost.acc_images * pixels : 0;
  if (!s.on_chip.constants)
    f.par = (cost.par_per_block + cost.par_per_row * k.tile_kh) * k.tile_c + cost.par_fixed;
  f.par += cost.par_images * pixels;
  return f;
}

bool fits(const Footprint& footprint, const isa::Geometry& g) { return !excess(footprint, g, 1); }

namespace {

/// Steps of the array.
double gemm_steps(const Space& s, const ConvKnobs& k) {
  const std::int64_t corrections = k.corrected ? s.out_blocks / k.tile_n : 0;
  return double(s.out_h * s.out_w * (s.out_blocks * parts_of(s, k) + corrections) * s.in_blocks) *
         double(s.window.kernel_h * s.window.kernel_w);
}

/// Beats of the bus for the weights, each loaded once.
double weight_beats(const Space& s, const ConvKnobs& k, const isa::Geometry& g, const isa::Timing& t) {
  const std::int64_t entries =
      parts_of(s, k) * s.out_blocks * s.in_blocks * s.window.kernel_h * s.window.kernel_w;
  return MemoryCosts(t).at_full_rate(entries * g.block_in * g.block_out);
}

/// Cycles of `count` transfers that nothing overlaps, of tiles of `entries`, where there is no room for two
/// tiles: all but the first, which Work::ends has; that of a piece, too.
double alone(const Space& s, std::int64_t depth, std::int64_t entries, double cycles, double count) {
  return 2 * entries > depth ? cycles * (s.piece ? count : count - 1) : 0;
}

Work work(const Space& s, const ConvKnobs& k, const isa::Geometry& g, const isa::Timing& t) {
  const MemoryCosts costs(t);
  const bool whole = k.reuse == Reuse::KeepInput, keep = k.reuse == Reuse::KeepWeights;
  const double tiles = double(ceil_div(s.out_h, k.tile_h)) * double(ceil_div(s.out_w, k.tile_w));
  const double groups = double(ceil_div(s.out_blocks, k.tile_n));
  const double chunks =
      double(ceil_div(s.in_blocks, k.tile_c)) * double(ceil_div(s.window.kernel_h, k.tile_kh));
  const double loads_n = keep ? 1 : double(ceil_div(k.gemm_blocks(), k.load_n)),
               stores_n = double(ceil_div(k.tile_n, k.store_n));

  const double inp = s.on_chip.input ? 0 : input_load(s, k, whole, g, costs);
  const double wgt =
      s.on_chip.constants ? 0
      : keep ? weight_load(s, parts_of(s, k) * k.gemm_blocks(), s.window.kernel_h, s.in_blocks, g, t)
             : weight_load(s, k.load_n, k.tile_kh, k.tile_c, g, t);
  const double par = s.on_chip.constants ? 0 : costs.move(3 * k.tile_n, 4 * g.block_out);
  const std::int64_t pixels = k.tile_w * g.batch;
  const double image = costs.move(k.store_n == s.out_blocks ? k.tile_h : k.tile_h * pixels,
                                  k.store_n * g.block_out * (k.store_n == s.out_blocks ? pixels : 1));
  const double store = s.on_chip.output ? 0 : image;
  const double instructions = s.adds ? double(kSumSteps) : 1;
  const double steps = double(k.tile_h * k.tile_w * k.store_n) * instructions;
  const double addend = s.adds ? image + costs.move(kSumParams, 4 * g.block_out) : 0;

  const double inps = tiles * (whole ? 1 : groups * chunks),
               wgts = groups * (keep ? 1 : tiles * chunks * double(parts_of(s, k)) * loads_n),
               pars = groups * (keep ? 1 : tiles), stores = tiles * groups * stores_n;
  Work busy;
  busy.memory = inp * inps + wgt * wgts + par * pars + (store + addend) * stores;
  if (k.vthreads == 1) {  // others have a tile each
    const Footprint f = footprint(s, k);
    busy.alone = alone(s, g.inp_depth, f.inp, inp, inps) + alone(s, g.wgt_depth, f.wgt, wgt, wgts) +
                 alone(s, g.par_depth, f.par, par, pars) +
                 alone(s, g.out_depth, f.out, store + addend, stores);
    busy.in_turns = 2 * f.acc > g.acc_depth && (s.piece || tiles * groups > 1);
  }
  busy.gemm = isa::gemm_cycles(gemm_steps(s, k), tiles * groups * chunks * double(parts_of(s, k)) * loads_n);
  const double corrections =
      k.corrected ? isa::vector_cycles(double(kCorrectionCycles * k.tile_h * k.tile_w * k.tile_n), 1) : 0;
  busy.vector = tiles * groups * (corrections + stores_n * isa::vector_cycles(steps, instructions));
  busy.ends = inp + wgt + par + corrections + steps + store + isa::start_latency(t);
  // Two stores find room in out. The other image's part of a further one waits, and behind it the next input.
  if (s.adds) busy.ends += tiles * groups * std::max(0.0, stores_n - 2) * (steps + store);
  if (s.piece) busy.ends = 0;
  return busy;
}

}  // namespace

double estimate(const Space& s, const ConvKnobs& k, const isa::Geometry& g, const isa::Timing& t) {
  return work(s, k, g, t).total();
}

namespace {

std::string lacking(const Excess& over) {
  return fmt::format("needs {} entries of {}, which has {}", over.need, isa::to_string(over.buffer),
                     over.have);
}

/// `fits` gives the default choice.
template <class Knobs, class Fits>
void refuse(const std::string& layer, const Knobs& knobs, const Excess& over,
            const std::optional<std::string>& hopeless, const Fits& fits) {
  const std::string remedy = hopeless ? *hopeless : "fits: " + to_string(fits());
  VDLA_CHECK_USER(false) << layer << ": " << to_string(knobs) << " " << lacking(over) << "; " << remedy;
}

std::optional<std::string> misfit(const std::optional<Excess>& smallest) {
  if (!smallest) return std::nullopt;
  return fmt::format("the smallest tile {}; a variant needs {}_depth {} for it", lacking(*smallest),
                     isa::to_string(smallest->buffer),
                     std::bit_ceil(static_cast<std::uint64_t>(smallest->need)));
}

}  // namespace

std::optional<std::string> misfit(const Space& s, const isa::Geometry& g) {
  return misfit(excess(footprint(s, ConvKnobs{}), g, 1));
}

std::optional<std::string> misfit(const Space& s, const TileCost& cost, const isa::Geometry& g) {
  return misfit(excess(footprint(s, cost, TileKnobs{}), g, 1));
}

void check_fits(const std::string& layer, const Space& s, const ConvKnobs& k, const isa::Geometry& g) {
  const auto fitting = [&] { return choose(layer, s, g, {}, k.vthreads); };
  if (!thread_axis(s, k)) {
    const auto [rows, columns, blocks] = tiles_of(s, k);
    VDLA_CHECK_USER(false) << layer << ": " << to_string(k) << " needs " << k.vthreads
                           << " tiles along rows, columns or blocks of channels, has " << rows << ", "
                           << columns << " and " << blocks << "; fits: " << to_string(fitting());
  }
  VDLA_CHECK_USER(corrects_evenly(s, k))
      << layer << ": " << to_string(k)
      << (s.corrects ? " needs blocks of a tile that divide all blocks, and of a store that divide those"
                     : " needs weights with a zero point other than 0 and -128")
      << "; fits: " << to_string(fitting());
  const auto over = excess(footprint(s, k), g, 1);
  if (over) refuse(layer, k, *over, misfit(s, g), fitting);
}

void check_fits(const std::string& layer, const Space& s, const TileCost& cost, const TileKnobs& k,
                const isa::Geometry& g) {
  const auto over = excess(footprint(s, cost, k), g, 1);
  if (over) refuse(layer, k, *over, misfit(s, cost, g), [&] { return choose(layer, s, cost, g, {}); });
}

namespace {

/// Keeps the cheapest candidate that fits.
template <class Knobs>
struct Cheapest {
  std::optional<Knobs> knobs;
  double cost = std::numeric_limits<double>::infinity();

  void offer(const Knobs& candidate, double candidate_cost) {
    if (candidate_cost >= cost) return;
    knobs = candidate;
    cost = candidate_cost;
  }
};

/// Whether there is room for a tile beside itself (`share` 2) or for it alone (1); and for those of all
/// threads.
bool has_room(const Space& s, const ConvKnobs& k, const isa::Geometry& g, std::int64_t share) {
  if (k.vthreads == 1) return !excess(footprint(s, k), g, share);
  ConvKnobs one = k;
  one.vthreads = 1;
  return !excess(footprint(s, one), g, share) && !excess(footprint(s, k), g, 1);
}

/// Divisors of a convolution's reduction.
struct Chunks {
  explicit Chunks(const Space& s) : blocks(divisors(s.in_blocks)), rows(divisors(s.window.kernel_h)) {}
  std::vector<std::int64_t> blocks, rows;
};

/// All candidates of one accumulator tile; `share` 2 leaves half of each buffer free, 1 does not.
void offer_chunks(const Space& s, ConvKnobs k, const Chunks& chunks, const isa::Geometry& g,
                  const isa::Timing& t, std::int64_t share, Cheapest<ConvKnobs>& best) {
  const std::int64_t pixels = k.tile_h * k.tile_w, parts = std::max(share, k.vthreads);
  k.store_n = largest_divisor(k.tile_n, out_images(s) * pixels, g.out_depth / parts);
  for (std::int64_t c : chunks.blocks) {
    for (std::int64_t rows : chunks.rows) {
      k.tile_c = c;
      k.tile_kh = rows;
      k.load_n = largest_divisor(k.gemm_blocks(), rows * s.window.kernel_w * c, g.wgt_depth / parts);
      for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
        k.reuse = reuse;
        if (reuse == Reuse::KeepWeights || s.on_chip.constants) k.load_n = k.gemm_blocks();
        if (has_room(s, k, g, share)) best.offer(k, estimate(s, k, g, t));
      }
    }
  }
}

Cheapest<ConvKnobs> cheapest(const Space& s, const isa::Geometry& g, const isa::Timing& t, std::int64_t share,
                             std::int64_t vthreads) {
  Cheapest<ConvKnobs> best;
  const Chunks chunks(s);
  const std::vector<std::int64_t> widths = part_sizes(s.out_w), blocks = part_sizes(s.out_blocks);
  for (std::int64_t h : part_sizes(s.out_h)) {
    for (std::int64_t w : widths) {
      for (std::int64_t n : blocks) {
        if (h * w * n > g.acc_depth / std::max(share, vthreads)) break;
        ConvKnobs k;
        k.tile_h = h;
        k.tile_w = w;
        k.tile_n = n;
        k.vthreads = vthreads;
        if (!thread_axis(s, k)) continue;
        offer_chunks(s, k, chunks, g, t, share, best);
        k.corrected = s.corrects && s.out_blocks % n == 0;
        if (k.corrected) offer_chunks(s, k, chunks, g, t, share, best);
      }
    }
  }
  return best;
}

Work work(const Space& s, const TileCost& c, const TileKnobs& k, const isa::Geometry& g,
          const isa::Timing& t) {
  const MemoryCosts costs(t);
  const std::int64_t lanes = c.operand == Buffer::Inp ? g.block_in : g.block_out;
  const bool whole = k.tile_c == s.out_blocks;
  const std::int64_t rows = s.rows(k.tile_h, k.tile_kh), columns = s.columns(k.tile_w);
  const double tiles = double(ceil_div(s.out_h, k.tile_h) * ceil_div(s.out_w, k.tile_w));
  const double groups = double(ceil_div(s.out_blocks, k.tile_c));
  const double load = double(loaded(s, c) + c.par_images) *
                      (whole && !s.gathered ? costs.move(rows, columns * g.batch * k.tile_c * lanes)
                                            : costs.move(rows * columns * g.batch, k.tile_c * lanes));
  const double chunks = double(ceil_div(s.window.kernel_h, k.tile_kh));
  const bool loads_constants = !s.on_chip.constants;
  const double par =
      loads_constants && c.par_per_block > 0 ? costs.move(c.par_per_block * k.tile_c, 4 * g.block_out) : 0;
  const double weights = loads_constants && c.par_per_row > 0
                             ? costs.move(c.par_per_row * k.tile_kh * k.tile_c, g.block_out)
                             : 0;
  const double store = s.on_chip.output ? 0
                       : whole          ? costs.move(k.tile_h, k.tile_w * g.batch * k.tile_c * g.block_out)
                                        : costs.move(k.tile_h * k.tile_w * g.batch, k.tile_c * g.block_out);
  const double steps = double(k.tile_h * k.tile_w * k.tile_c * c.steps);
  Work busy;
  busy.memory = tiles * groups * (load * chunks + store) + groups * par +
                groups * weights * (chunks > 1 ? chunks * tiles : 1);
  const Footprint f = footprint(s, c, k);
  const double loads = tiles * groups * chunks;
  busy.alone = alone(s, g.out_depth, f.out, store, tiles * groups);
  busy.alone += c.operand == Buffer::Inp ? alone(s, g.inp_depth, f.inp, load, loads)
                                         : alone(s, g.out_depth, f.out, load, loads);
  busy.vector = tiles * groups * isa::vector_cycles(steps, 1 + chunks);
  busy.ends = load + weights + par + steps + store + isa::start_latency(t);
  if (s.piece) busy.ends = 0;
  return busy;
}

Cheapest<TileKnobs> cheapest(const Space& s, const TileCost& cost, const isa::Geometry& g,
                             const isa::Timing& t, std::int64_t share) {
  Cheapest<TileKnobs> best;
  const std::vector<std::int64_t> widths = part_sizes(s.out_w), blocks = part_sizes(s.out_blocks),
                                  kernel_rows = divisors(s.window.kernel_h);
  for (std::int64_t h : part_sizes(s.out_h)) {
    for (std::int64_t w : widths) {
      for (std::int64_t c : blocks) {
        for (std::int64_t rows : kernel_rows) {
          const TileKnobs k{h, w, c, rows};
          if (!excess(footprint(s, cost, k), g, share)) best.offer(k, work(s, cost, k, g, t).total());
        }
      }
    }
  }
  return best;
}

/// The default: with half of each buffer free, or without where that takes less time.
Cheapest<ConvKnobs> best_of(const Space& s, const isa::Geometry& g, const isa::Timing& t,
                            std::int64_t vthreads) {
  const auto roomy = cheapest(s, g, t, 2, vthreads);
  // No choice of knobs takes less time.
  const ConvKnobs quickest{.tile_n = s.out_blocks, .corrected = s.corrects};
  if (roomy.cost <= kRoomForNext * std::max(gemm_steps(s, quickest), weight_beats(s, quickest, g, t)))
    return roomy;
  const auto tight = cheapest(s, g, t, 1, vthreads);
  return kRoomForNext * tight.cost < roomy.cost ? tight : roomy;
}

/// The default: with half of each buffer free where that is possible.
Cheapest<TileKnobs> cheapest(const Space& s, const TileCost& cost, const isa::Geometry& g,
                             const isa::Timing& t) {
  auto best = cheapest(s, cost, g, t, 2);
  return best.knobs ? best : cheapest(s, cost, g, t, 1);
}

}  // namespace

std::optional<Work> work_of(const Space& s, const TileCost& cost, const TileKnobs& k, const isa::Geometry& g,
                            const isa::Timing& t) {
  return excess(footprint(s, cost, k), g, 1) ? std::nullopt : std::optional(work(s, cost, k, g, t));
}

std::optional<Work> least_work(const Space& s, const isa::Geometry& g, const isa::Timing& t) {
  const auto best = best_of(s, g, t, 1);
  return best.knobs ? std::optional(work(s, *best.knobs, g, t)) : std::nullopt;
}

std::optional<Work> least_work(const Space& s, const TileCost& cost, const isa::Geometry& g,
                               const isa::Timing& t) {
  const auto best = cheapest(s, cost, g, t);
  return best.knobs ? std::optional(work(s, cost, *best.knobs, g, t)) : std::nullopt;
}

ConvKnobs choose(const std::string& layer, const Space& s, const isa::Geometry& g, const isa::Timing& t,
                 std::int64_t vthreads) {
  for (; vthreads > 0; --vthreads) {
    const auto best = best_of(s, g, t, vthreads);
    if (best.knobs) return *best.knobs;
  }
  VDLA_CHECK_USER(false) << layer << ": " << misfit(s, g).value();
  return {};
}

TileKnobs choose(const std::string& layer, const Space& s, const TileCost& cost, const isa::Geometry& g,
                 const isa::Timing& t) {
  const auto best = cheapest(s, cost, g, t);
  if (best.knobs) return *best.knobs;
  VDLA_CHECK_USER(false) << layer << ": " << misfit(s, cost, g).value();
  return {};
}

}  // namespace vdla::pipeline::device
