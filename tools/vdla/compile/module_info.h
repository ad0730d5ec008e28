// SPDX-License-Identifier: Apache-2.0
// Text of vdla info about a module file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "runtime/module/section.h"
#include "tools/vdla/common/trust.h"

namespace vdla::tools {

/// Format, hash, signature, sections, where the module comes from. UserError for what is no whole module
/// file; a module that is whole, but not one for this kit, has "problem".
nlohmann::ordered_json module_info(const std::string& path, const TrustFlag& trust);
void print_module_info(const nlohmann::ordered_json& info);

/// "x-notes, x-origin": the sections that this kit does not know; empty: there are none.
std::string names_of(const std::vector<runtime::Section>& sections);

}  // namespace vdla::tools
