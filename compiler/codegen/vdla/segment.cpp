// SPDX-License-Identifier: Apache-2.0
// From functions to a program.
#include "compiler/codegen/vdla/segment.h"

#include <algorithm>

#include "compiler/codegen/vdla/encode.h"
#include "compiler/intrinsics/table.h"
#include "support/error.h"

namespace vdla::codegen {

namespace {

/// Constants of different layers start at a burst boundary of any memory.
constexpr std::size_t kConstantAlignment = 64;

}  // namespace

struct SegmentBuilder::State {
  Latency latency;
  Stream stream;
  std::vector<InstanceId> kept;  ///< instances that are not released
  isa::Program program;          ///< constants and windows

  void mark(Mark::Kind kind, std::size_t id) {
    stream.marks.push_back({kind, static_cast<std::uint32_t>(id), stream.insns.size()});
  }

  std::variant<DramPlace, StoragePlace> resolve(const expr::Buffer& param, const Location& place) const {
    if (const DramPlace* dram = place.dram()) return *dram;
    const std::int64_t first = place.sram()->first;
    const auto holds = [&](InstanceId id) {
      const Instance& i = stream.instances[id];
      return intrinsics::buffer_of(param.scope) == i.buffer && *i.first <= first &&
             first < *i.first + i.entries;
    };
    const auto found = std::ranges::find_if(kept, holds);
    VDLA_CHECK_USER(found != kept.end()) << "parameter '" << param.name << "' lies in entry " << first
                                         << " of " << param.scope << ", which nothing holds; keep() it";
    return StoragePlace{*found, first - *stream.instances[*found].first};
  }
};

SegmentBuilder::SegmentBuilder(const isa::Geometry& geometry, const std::vector<intrinsics::Intrinsic>& own,
                               Latency latency, unsigned rows) {
  isa::validate(geometry);
  VDLA_CHECK(rows <= 1 || rows == geometry.batch) << rows << " rows of " << geometry.batch;
  state_ = std::make_unique<State>();
  state_->latency = latency;
  Stream& stream = state_->stream;
  stream.geometry = geometry;
  stream.rows = rows == 0 ? geometry.batch : rows;
  stream.intrinsics = intrinsics::device_intrinsics(stream.used());
  stream.intrinsics.insert(stream.intrinsics.end(), own.begin(), own.end());
}
SegmentBuilder::SegmentBuilder(SegmentBuilder&&) noexcept = default;
SegmentBuilder::~SegmentBuilder() = default;

DramPlace SegmentBuilder::add_constants(std::span<const std::uint8_t> bytes) {
  std::vector<std::byte>& constants = state_->program.constants;
  constants.resize((constants.size() + kConstantAlignment - 1) / kConstantAlignment * kConstantAlignment);
  const std::uint64_t offset = constants.size();
  const auto added = std::as_bytes(bytes);
  constants.insert(constants.end(), added.begin(), added.end());
  return {isa::Window::Const, offset};
}

void SegmentBuilder::add(const isa::SourceLayer& layer, const loop::Func& func,
                         const std::vector<Location>& places) {
  State& s = *state_;
  VDLA_CHECK_USER(places.size() == func.params.size()) << "'" << func.name << "' has " << func.params.size()
                                                       << " parameters, got places for " << places.size();
  std::vector<isa::SourceLayer>& layers = s.stream.layers;
  if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  FunctionCall call{layers.size() - 1, func, {}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const expr::Buffer& buffer = *func.params[i].buffer;
    call.places.push_back(s.resolve(buffer, places[i]));
    const DramPlace* place = places[i].dram();
    if (place == nullptr || place->window == isa::Window::Const) continue;
    const std::uint64_t end =
        place->offset + static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
    std::uint64_t& size = s.program.data_window_sizes[static_cast<std::size_t>(place->window)];
    size = std::max(size, end);
  }
  s.mark(Mark::Kind::Call, s.stream.calls.size());
  s.stream.calls.push_back(std::move(call));
}

void SegmentBuilder::keep(isa::Buffer buffer, std::int64_t first, std::int64_t entries,
                          const std::string& name) {
  State& s = *state_;
  const auto id = static_cast<InstanceId>(s.stream.instances.size());
  s.stream.instances.push_back({buffer, entries, name, first});
  s.kept.push_back(id);
  s.mark(Mark::Kind::Begin, id);
}

void SegmentBuilder::release(isa::Buffer buffer, std::int64_t first) {
  State& s = *state_;
  const auto found = std::ranges::find_if(s.kept, [&](InstanceId id) {
    return s.stream.instances[id].buffer == buffer && s.stream.instances[id].first == first;
  });
  VDLA_CHECK(found != s.kept.end()) << "entry " << first << " of " << isa::to_string(buffer)
                                    << " is not kept";
  s.mark(Mark::Kind::End, *found);
  s.kept.erase(found);
}

const Stream& SegmentBuilder::stream() const { return state_->stream; }

isa::Program SegmentBuilder::finish(const StreamObserver& observer) {
  const std::unique_ptr<State> s = std::move(state_);
  for (const StreamPass& pass : stream_passes(s->latency)) {
    observer ? run_verified(pass, s->stream) : pass.run(s->stream);
    if (observer) observer(pass, s->stream);
  }
  encode(std::move(s->stream), s->program);
  isa::check(s->program);
  return std::move(s->program);
}

}  // namespace vdla::codegen
