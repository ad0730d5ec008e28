// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/boosting.h"
#include "support/error.h"

namespace vdla::tune {

bool can_boost() { return false; }

Trees boost(const Rows&, const std::vector<float>&, const BoostingOptions&) {
  throw InternalError("this build has no XGBoost");
}

Trees boost(const Rows&, const Loss&, const BoostingOptions&) {
  throw InternalError("this build has no XGBoost");
}

}  // namespace vdla::tune
