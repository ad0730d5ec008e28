// SPDX-License-Identifier: Apache-2.0
// From functions to a program.
#include "compiler/codegen/vdla/segment.h"

#include <algorithm>

#include "compiler/codegen/vdla/tokens.h"
#include "compiler/codegen/vdla/uops.h"
#include "compiler/codegen/vdla/walker.h"
#include "compiler/tensorize/table.h"
#include "support/error.h"

namespace vdla::codegen {

namespace {

/// Constants of different layers start at a burst boundary of any memory.
constexpr std::size_t kConstantAlignment = 64;

isa::MicroKernel to_micro_kernel(const Kernel& kernel) {
  isa::MicroKernel result;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint16_t>(value); };
  for (const KernelLoop& loop : kernel) {
    result.loops.push_back({narrow(loop.count), narrow(loop.acc), narrow(loop.inp), narrow(loop.wgt)});
  }
  return result;
}

}  // namespace

struct SegmentBuilder::State {
  State(const isa::Geometry& g, Latency l)
      : geometry(g), latency(l), table(tensorize::device_intrinsics(g)), sram(make_allocators(g)) {}

  isa::Geometry geometry;
  Latency latency;
  std::vector<tensorize::Intrinsic> table;
  SramAllocators sram;
  KernelTable kernels;
  Stream stream;
  std::vector<std::string> loops;            ///< by StreamInsn::source
  std::vector<std::uint32_t> layer_of_loop;  ///< as many
  isa::Program program;
};

SegmentBuilder::SegmentBuilder(const isa::Geometry& geometry, const std::vector<tensorize::Intrinsic>& own,
                               Latency latency) {
  isa::validate(geometry);
  state_ = std::make_unique<State>(geometry, latency);
  state_->table.insert(state_->table.end(), own.begin(), own.end());
  state_->program.geometry = geometry;
}
SegmentBuilder::SegmentBuilder(SegmentBuilder&&) noexcept = default;
SegmentBuilder::~SegmentBuilder() = default;

DramPlace SegmentBuilder::add_constants(std::span<const std::uint8_t> bytes) {
  std::vector<std::byte>& constants = state_->program.constants;
  constants.resize((constants.size() + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment);
  const std::uint64_t offset = constants.size();
  std::ranges::transform(bytes, std::back_inserter(constants), [](std::uint8_t b) { return std::byte{b}; });
  return {isa::Window::Const, offset};
}

void SegmentBuilder::add(const isa::SourceLayer& layer, const loop::Func& func,
                         const std::vector<Place>& places) {
  State& s = *state_;
  std::vector<isa::SourceLayer>& layers = s.program.source_map.layers;
  if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  const auto index = static_cast<std::uint32_t>(layers.size() - 1);
  walk(func, layer.name, places, s.table, s.geometry, {s.sram, s.kernels, s.stream, s.loops});
  s.layer_of_loop.resize(s.loops.size(), index);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DramPlace* place = places[i].dram();
    if (place == nullptr || place->window == isa::Window::Const) continue;
    const expr::Buffer& buffer = *func.params[i].buffer;
    const std::uint64_t end =
        place->offset + static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
    std::uint64_t& size = s.program.data_window_sizes[static_cast<std::size_t>(place->window)];
    size = std::max(size, end);
  }
}

void SegmentBuilder::keep(isa::Buffer buffer, std::int64_t first, std::int64_t entries) {
  const bool free = state_->sram[static_cast<std::size_t>(buffer)].take_at(first, entries);
  VDLA_CHECK(free) << "entries " << first << " to " << first + entries - 1 << " of " << isa::to_string(buffer)
                   << " are not free";
}

void SegmentBuilder::release(isa::Buffer buffer, std::int64_t first) {
  state_->sram[static_cast<std::size_t>(buffer)].give_back(first);
}

isa::Program SegmentBuilder::finish() {
  State& s = *state_;
  place_uops(s.stream, s.kernels, s.geometry);
  insert_tokens(s.stream, s.kernels, s.geometry, s.latency);
  isa::Program program = std::move(s.program);
  for (std::size_t k = 0; k < s.kernels.size(); ++k) program.kernels.push_back(to_micro_kernel(s.kernels[k]));
  for (const StreamInsn& insn : s.stream) {
    program.insns.push_back(insn.insn);
    program.source_map.insns.push_back(
        {s.layer_of_loop[insn.source], static_cast<std::uint32_t>(insn.source)});
  }
  program.insns.push_back(isa::FinishInsn{.sequence = 1});
  program.source_map.insns.push_back({});
  program.source_map.loops = std::move(s.loops);
  isa::check(program);
  state_.reset();
  return program;
}

}  // namespace vdla::codegen
