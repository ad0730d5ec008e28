// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain_layer.h"

#include <algorithm>
#include <utility>

namespace vdla::tools {
namespace {

void add(std::vector<FunctionText>& list, FunctionText one) {
  const auto same = std::ranges::find_if(list, [&](const FunctionText& other) {
    return other.name == one.name && other.text == one.text && other.tensorized == one.tensorized &&
           other.lowered == one.lowered;
  });
  if (same == list.end()) {
    list.push_back(std::move(one));
  } else {
    ++same->times;
  }
}

}  // namespace

void LayerWatch::see(const pipeline::PassResult& result) {
  if (result.layer.empty()) return;
  Seen& seen = layers_[std::string(result.layer)];
  const auto function = [&] { return FunctionText{std::string(result.function), result.text(), "", "", 1}; };
  if (result.pass == pipeline::Pass::Schedule) add(seen.schedules, function());
  if (result.pass == pipeline::Pass::Lower) add(seen.lowered, function());
  if (result.pass == pipeline::Pass::Unroll && !seen.lowered.empty())
    seen.lowered.back().lowered = result.text();  // the last row of the CPU's table
  if (result.pass == pipeline::Pass::PlaceViews) seen.views = function();
  if (result.pass == pipeline::Pass::Tensorize && !seen.views.name.empty()) {
    seen.views.tensorized = result.text();
    add(seen.tensorized, std::exchange(seen.views, {}));
  }
}

LayerTexts LayerWatch::of(const std::string& layer) const {
  const auto found = layers_.find(layer);
  if (found == layers_.end()) return {};
  const Seen& seen = found->second;
  return {seen.schedules, seen.tensorized.empty() ? seen.lowered : seen.tensorized};
}

}  // namespace vdla::tools
