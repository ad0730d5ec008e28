// SPDX-License-Identifier: Apache-2.0
// JSON of files that may have been edited or cut.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "support/error.h"

namespace vdla {

/// Returns the result of `use`, which reads JSON from outside of the kit. UserError "run.json is damaged: key
/// 'name' not found; REMEDY" if `use` misses a key or finds a value of another type.
template <class Use>
auto whole_json(const std::string& what, const std::string& remedy, const Use& use) {
  try {
    return use();
  } catch (const nlohmann::json::exception& e) {
    const std::string fault = e.what();  // "[json.exception.out_of_range.403] key 'name' not found"
    const std::size_t end = fault.find("] ");
    throw UserError(what + " is damaged: " + (end == std::string::npos ? fault : fault.substr(end + 2)) +
                    "; " + remedy);
  }
}

}  // namespace vdla
