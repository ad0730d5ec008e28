// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/timeline/encoder.h"
#include "support/json_dump.h"

namespace vdla::timeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;

constexpr TrackId kOfProcess = 0;

Json fact_of_track(std::string_view what, TrackId track, Json args) {
  return {{"name", what}, {"ph", "M"}, {"pid", kProcess}, {"tid", track}, {"args", std::move(args)}};
}

Json args_of(std::span<const Fact> facts) {
  Json args = Json::object();
  for (const Fact& fact : facts)
    std::visit([&](const auto& value) { args[std::string(fact.name)] = value; }, fact.value);
  return args;
}

class JsonEncoder final : public Encoder {
 public:
  JsonEncoder(std::ostream& out, std::string_view process) : out_(out) {
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
    write(fact_of_track("process_name", kOfProcess, {{"name", process}}));
  }

  void track(TrackId id, const Track& track) override {
    // Tracks of one name do not become one row here, as they do in Perfetto's own form.
    const std::string number = track.lane == 0 ? "" : " " + std::to_string(track.lane + 1);
    write(fact_of_track("thread_name", id, {{"name", track.name + number}}));
    write(fact_of_track("thread_sort_index", id, {{"sort_index", track.place}}));
  }

  void counter_track(TrackId id, const Track& track, Unit) override { counters_[id] = track.name; }

  void slice(TrackId track, const Slice& slice) override {
    Json json{{"name", slice.name}, {"ph", "X"},         {"pid", kProcess},
              {"tid", track},       {"ts", slice.begin}, {"dur", slice.end - slice.begin}};
    if (!slice.category.empty()) json["cat"] = slice.category;
    json["args"] = args_of(slice.facts);
    write(json);
    for (const std::uint64_t flow : slice.flows_out) arrow("s", flow, track, slice.begin);
    for (const std::uint64_t flow : slice.flows_in) arrow("f", flow, track, slice.begin);
  }

  void value(TrackId counter, Cycle at, std::int64_t value) override {
    write({{"name", counters_.at(counter)},
           {"ph", "C"},
           {"pid", kProcess},
           {"ts", at},
           {"args", {{"value", value}}}});
  }

  void finish() override {
    out_ << "\n]}\n";
    out_.flush();
  }

 private:
  void write(const Json& json) { out_ << (std::exchange(first_, false) ? "\n" : ",\n") << json_dump(json); }

  /// An end binds to the slice around it, not to the next one.
  void arrow(std::string_view end, std::uint64_t flow, TrackId track, Cycle at) {
    Json json{{"name", "token"}, {"cat", "token"}, {"ph", end}, {"id", flow},
              {"pid", kProcess}, {"tid", track},   {"ts", at}};
    if (end == "f") json["bp"] = "e";
    write(json);
  }

  std::ostream& out_;
  std::map<TrackId, std::string> counters_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Encoder> json_encoder(std::ostream& out, std::string_view process) {
  return std::make_unique<JsonEncoder>(out, process);
}

}  // namespace vdla::timeline
