// SPDX-License-Identifier: Apache-2.0
// What tests of the compiler compare: the words of a refusal.
#pragma once

#include <string>

#include "support/error.h"

namespace vdla {

/// The message of the UserError that `f` throws, or "no error".
template <class F>
std::string user_error(const F& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace vdla
