// SPDX-License-Identifier: Apache-2.0
// Refusals that say whose fault they are, where a caller has to tell them from others.
#pragma once

#include "support/error.h"

namespace vdla {

/// Result of `use`; its UserError becomes an `Error` of the same words.
template <class Error, class Use>
auto refused_as(const Use& use) {
  try {
    return use();
  } catch (const UserError& error) {
    throw Error(error.what());
  }
}

}  // namespace vdla
