// SPDX-License-Identifier: Apache-2.0
// Why machine code cannot be loaded.
#pragma once

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::runtime {

/// UserError "cannot load the module's host kernels: ..." unless `good`.
template <class... Values>
void require_object(bool good, fmt::format_string<Values...> why, Values&&... values) {
  if (good) return;
  throw UserError("cannot load the module's host kernels: " +
                  fmt::format(why, std::forward<Values>(values)...));
}

}  // namespace vdla::runtime
