// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/error.h"

namespace vdla::lower {

/// What `f` is refused with, or "no error".
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace vdla::lower
