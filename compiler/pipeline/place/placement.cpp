// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/placement.h"

#include <utility>

#include "support/error.h"

namespace vdla::pipeline {

std::string_view name_of(Place place) {
  switch (place) {
    case Place::Device:
      return "vdla";
    case Place::Cpu:
      return "cpu";
    case Place::Gpu:
      return "gpu";
    case Place::Folded:
      return "folded";
  }
  VDLA_CHECK(false) << "place " << static_cast<int>(place);
  return {};
}

PlacedNode placed(Place place, std::string reason, std::vector<graph::TensorId> inputs) {
  PlacedNode node;
  node.place = place;
  node.reason = std::move(reason);
  node.inputs = std::move(inputs);
  return node;
}

PlacedNode folded(std::string reason) { return placed(Place::Folded, std::move(reason)); }

}  // namespace vdla::pipeline
