// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/block_constants.h"

#include <algorithm>
#include <utility>

#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/pack.h"
#include "compiler/pipeline/device/scheduled.h"
#include "compiler/pipeline/device/window_te.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/intrinsic.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::device {
namespace {

/// Blocks of N channels in one of the pieces.
std::int64_t lane_blocks(const isa::Geometry& g) { return channel_block(g) / g.block_out; }

}  // namespace

ConstantEntries constant_entries(const ConvDepthwise& op, const isa::Geometry& g) {
  const SlidingWindow &first = op.first.window, &second = op.second.window;
  const std::int64_t in_blocks = ceil_div(op.first.in.c, std::int64_t{g.block_in});
  return {conv_parts(op.first) * lane_blocks(g) * first.kernel_h * first.kernel_w * in_blocks,
          lane_blocks(g) * kScaleParams, lane_blocks(g) * second.kernel_h * second.kernel_w};
}

BlockConstants::BlockConstants(Block block, std::int64_t places, const ConstantEntries& entries,
                               const isa::Geometry& geometry, DeviceKernel& kernel, const Watch& watch,
                               std::string schedule)
    : block_(std::move(block)),
      entries_(entries),
      g_(geometry),
      kernel_(kernel),
      watch_(watch),
      schedule_(std::move(schedule)),
      kept_(static_cast<std::size_t>(places), -1) {
  for (const isa::Buffer buffer : {isa::Buffer::Wgt, isa::Buffer::Par})
    scratch_of(kernel_, buffer) = places * entries_.of(buffer);
}

Constants BlockConstants::of(std::int64_t block, bool& missing) {
  if (!kept_.empty()) return kept_at(place_for(block, missing));
  missing = false;
  const Packed bytes = packed(block);
  const auto in_dram = [](std::int64_t offset) { return Constants::Place{{Role::Constants, offset}}; };
  return {in_dram(bytes.first_weights), in_dram(bytes.first_params), in_dram(bytes.second_weights),
          in_dram(bytes.second_params)};
}

/// Where they lie, or shall lie from now on: not the place that was used last, since the second convolution
/// of the piece before reads it yet.
std::int64_t BlockConstants::place_for(std::int64_t block, bool& missing) {
  const auto known = std::ranges::find(kept_, block);
  missing = known == kept_.end();
  last_ = missing ? (last_ + 1) % kept_.size() : static_cast<std::size_t>(known - kept_.begin());
  kept_[last_] = block;
  return static_cast<std::int64_t>(last_);
}

Constants BlockConstants::kept_at(std::int64_t place) const {
  const auto at = [&](isa::Buffer buffer, std::int64_t entry) {
    return Constants::Place{{Role::Scratch, 0},
                            {entry * g_.entry_bytes(buffer), 0, 0, tensorize::scope_of(buffer)}};
  };
  std::int64_t par = place * entries_.of(isa::Buffer::Par);
  const auto next = [&](std::int64_t entries) {
    return at(isa::Buffer::Par, std::exchange(par, par + entries));
  };
  return {at(isa::Buffer::Wgt, place * entries_.first_weights), next(entries_.params),
          next(entries_.second_weights), next(entries_.params)};
}

BlockConstants::Packed BlockConstants::packed(std::int64_t block) {
  const auto at = static_cast<std::size_t>(block);
  if (at >= packed_.size()) packed_.resize(at + 1);
  std::optional<Packed>& known = packed_[at];
  if (known) return *known;
  const ConvDepthwise both = block_(block);
  const PackedConstants a = pack(both.first, g_), b = pack(both.second, g_);
  const std::int64_t first = place(a, kernel_), second = place(b, kernel_);
  known = {first + a.weights_offset, first + a.params_offset, second + b.weights_offset,
           second + b.params_offset};
  return *known;
}

void BlockConstants::load_first(std::int64_t block, const Constants& constants) {
  const Conv2d first = block_(block).first;
  const SlidingWindow& w = first.window;
  const std::int64_t blocks = lane_blocks(g_), lanes = g_.block_out,
                     in_blocks = ceil_div(first.in.c, std::int64_t{g_.block_in});
  const Packed bytes = packed(block);
  load(bytes.first_weights,
       {conv_parts(first), blocks, w.kernel_h, w.kernel_w, in_blocks, lanes, g_.block_in}, expr::DType::I8,
       constants.first_weights);
  load(bytes.first_params, {blocks, kScaleParams, lanes}, expr::DType::I32, constants.first_params);
}

void BlockConstants::load_second(std::int64_t block, const Constants& constants) {
  const DepthwiseConv2d second = block_(block).second;
  const SlidingWindow& w = second.window;
  const std::int64_t blocks = lane_blocks(g_), lanes = g_.block_out;
  const Packed bytes = packed(block);
  load(bytes.second_weights, {blocks, w.kernel_h, w.kernel_w, lanes},
       second.weight_zero == 0 ? expr::DType::I8 : expr::DType::I32, constants.second_weights);
  load(bytes.second_params, {blocks, kScaleParams, lanes}, expr::DType::I32, constants.second_params);
}

/// As they are packed, into wgt or par; there bytes become words.
void BlockConstants::load(std::int64_t packed, const std::vector<std::int64_t>& shape, expr::DType type,
                          const Constants::Place& kept) {
  const expr::Tensor in = expr::placeholder("constants", shape, type);
  const bool widens = kept.view.scope == tensorize::scope_of(isa::Buffer::Par) && type == expr::DType::I8;
  const expr::Tensor copy = expr::compute("kept", shape, [&](const std::vector<expr::Value>& i) {
    const expr::Value element = expr::at(in, i);
    return widens ? widened(element) : element;
  });
  schedule::Schedule s({copy});
  s[copy].tensorize(s[copy].axis(0), tensorize::kLoad);
  kernel_.parts.push_back(part_of(lowered({"constants", std::move(s), {in, copy}}, watch_),
                                  {{Role::Constants, packed}, kept.param}, schedule_,
                                  std::vector{View{}, kept.view}));
}

}  // namespace vdla::pipeline::device
