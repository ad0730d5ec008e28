// SPDX-License-Identifier: Apache-2.0
// Variants of isa/variants that are not compiled in, for tests that go over all of them.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/variants/variants.h"

namespace vdla {

inline std::vector<isa::Variant> variant_files() {
  std::vector<std::filesystem::path> files;
  const auto builtin = isa::builtin_variants();
  for (const auto& entry : std::filesystem::directory_iterator(VDLA_SOURCE_DIR "/isa/variants"))
    if (entry.path().extension() == ".json" &&
        std::ranges::find(builtin, entry.path().stem().string(), &isa::BuiltinVariant::name) == builtin.end())
      files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<isa::Variant> all;
  for (const auto& file : files) all.push_back(isa::load_variant(file.string()));
  return all;
}

/// A variant's name as the name of a test.
inline std::string test_name_of(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

}  // namespace vdla
