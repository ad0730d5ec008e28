// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/canvas.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::timeline {
namespace {

/// Number of a track, whatever order events come in: engines tell units in orders of their own.
TrackId track_at(int place, std::size_t lane) {
  constexpr std::size_t kLanes = 256;
  VDLA_CHECK(lane < kLanes) << "a timeline's track has " << lane << " slices at once";
  return static_cast<TrackId>(static_cast<std::size_t>(place) * kLanes + lane + 1);
}

}  // namespace

Canvas::Canvas(std::ostream& out, Form form, std::string_view process) {
  if (is_gzip(form)) {
    gzip_.emplace(out);
    compressed_.emplace(&*gzip_);
  }
  std::ostream& to = compressed_ ? *compressed_ : out;
  encoder_ = is_json(form) ? json_encoder(to, process) : perfetto_encoder(to, process);
}

void Canvas::draw(const std::string& track, int place, const Slice& slice) {
  std::vector<Lane>& lanes = lanes_[track];
  auto lane = std::ranges::find_if(lanes, [&](const Lane& l) { return l.end <= slice.begin; });
  if (lane == lanes.end()) {
    const TrackId id = track_at(place, lanes.size());
    encoder_->track(id, {track, place, static_cast<unsigned>(lanes.size())});
    lane = lanes.insert(lane, {id, 0});
  }
  lane->end = slice.end;
  encoder_->slice(lane->track, slice);
}

void Canvas::count(const std::string& counter, int first_place, Unit unit, Cycle at, std::int64_t value) {
  const int place = first_place + static_cast<int>(counters_.size());
  const auto [known, is_new] = counters_.try_emplace(counter, track_at(place, 0));
  if (is_new) encoder_->counter_track(known->second, {counter, place}, unit);
  encoder_->value(known->second, at, value);
}

std::uint64_t Canvas::colour_of(const std::string& layer) {
  return colours_.try_emplace(layer, colours_.size() + 1).first->second;
}

void Canvas::finish() {
  encoder_->finish();
  if (gzip_) gzip_->finish();
}

}  // namespace vdla::timeline
