// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/layer_watch.h"

#include <utility>

#include "compiler/observe/pass_list.h"

namespace vdla::tools {

void LayerWatch::see(const pipeline::PassResult& result) {
  if (result.layer.empty()) return;
  Seen& seen = layers_[{std::string(result.gpu), std::string(result.layer)}];
  const auto function = [&] { return FunctionText{std::string(result.function), result.text(), "", ""}; };
  if (result.pass == pipeline::Pass::Schedule) seen.schedules.push_back(function());
  if (result.pass == pipeline::Pass::SimplifyLowered) seen.lowered.push_back(function());
  const bool is_last_row =
      result.pass == (result.gpu.empty() ? pipeline::Pass::Unroll : pipeline::Pass::PlaceThreads);
  if (is_last_row && !seen.lowered.empty()) seen.lowered.back().lowered = result.text();
  if (result.pass == pipeline::Pass::PlaceViews) seen.views = function();
  if (result.pass == pipeline::Pass::Tensorize && !seen.views.name.empty()) {
    seen.views.tensorized = result.text();
    seen.tensorized.push_back(std::exchange(seen.views, {}));
  }
}

LayerTexts LayerWatch::of(const std::string& layer, const std::string& gpu) const {
  const auto found = layers_.find({gpu, layer});
  if (found == layers_.end()) return {};
  const Seen& seen = found->second;
  return {seen.schedules, seen.tensorized.empty() ? seen.lowered : seen.tensorized};
}

}  // namespace vdla::tools
