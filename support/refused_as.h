// SPDX-License-Identifier: Apache-2.0
// Whose fault a refusal is, where a caller has to tell it from others.
#pragma once

#include "support/error.h"

namespace vdla {

/// What `use` gives; its UserError becomes an `Error` of the same words.
template <class Error, class Use>
auto refused_as(const Use& use) {
  try {
    return use();
  } catch (const UserError& error) {
    throw Error(error.what());
  }
}

}  // namespace vdla
