// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tuned_points.h"

#include <fmt/format.h>

#include "tools/tune/network_tuning.h"

namespace vdla::tune {

namespace {

constexpr double kPointTrialSeconds = 600, kPointSeconds = 3600;

}  // namespace

double point_seconds(std::int64_t trials) {
  return kPointSeconds + kPointTrialSeconds * static_cast<double>(trials);
}

explore::PointMeasure tuned_points(std::int64_t trials) {
  return {fmt::format("tuned, {} trials", trials),
          [trials](const graph::Graph& graph, const isa::Variant& variant, const std::string& engine) {
            pipeline::CompileOptions options;
            options.variant = variant;
            options.machine_code = false;
            explore::Json before = explore::measure(graph, options, engine);
            if (before.at("status") != "ok") return before;
            std::vector<std::string> notes;
            const auto tuned =
                search_in_passing(graph, options, {.limit_seconds = kPointTrialSeconds}, trials, notes);
            if (!tuned) return before;
            options.book = tuned->book;
            explore::Json point = explore::measure(graph, options, engine);
            if (point.at("status") == "ok") point["default_cycles"] = before.at("record").at("cycles");
            return point;
          }};
}

}  // namespace vdla::tune
