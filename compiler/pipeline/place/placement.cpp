// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/placement.h"

#include "support/error.h"

namespace vdla::pipeline {

std::string_view name_of(Place place) {
  switch (place) {
    case Place::Device:
      return "vdla";
    case Place::Cpu:
      return "cpu";
    case Place::Folded:
      return "folded";
  }
  VDLA_CHECK(false) << "place " << static_cast<int>(place);
  return {};
}

}  // namespace vdla::pipeline
