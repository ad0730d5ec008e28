// SPDX-License-Identifier: Apache-2.0
// Unique names.
#include "compiler/lower/names.h"

#include <cctype>

namespace vdla::lower {

std::string UniqueNames::operator()(const std::string& wanted) {
  std::string base;
  for (char c : wanted) base += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
  if (base.empty() || !std::isalpha(static_cast<unsigned char>(base[0]))) base.insert(0, "_");
  std::string name = base;
  for (int i = 1; !taken_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

}  // namespace vdla::lower
