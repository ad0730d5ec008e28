// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/table.h"

#include <utility>

#include "compiler/tensorize/tensorize.h"

namespace vdla::target {

passes::Target device_table(std::vector<intrinsics::Intrinsic> intrinsics) {
  passes::Target target = passes::device_target();
  passes::Pass tensorize = passes::find_pass("tensorize");
  tensorize.run = [table = std::move(intrinsics)](const loop::Func& func) {
    return tensorize::tensorize(func, table);
  };
  target.rows.insert(target.rows.begin(), std::move(tensorize));
  return target;
}

}  // namespace vdla::target
