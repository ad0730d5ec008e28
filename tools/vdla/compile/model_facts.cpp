// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/model_facts.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "support/error.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"

namespace vdla::tools {

std::vector<std::string> keep_model_facts(runtime::Module& module, kit::NetworkFile file,
                                          const std::string& path, const Preprocessing& flags) {
  std::vector<std::string> notes;
  import::Metadata& metadata = file.metadata;
  if (!metadata.pixels.empty()) try {
      check_pixels_fit(metadata.pixels, input_spec(module));
    } catch (const UserError& e) {
      notes.push_back(fmt::format("the model's own preprocessing is left out: {}", e.what()));
      metadata.pixels = {};
    }
  module.preprocessing = merge(flags, metadata.pixels);
  if (!flags.empty()) check_pixels_fit(module.preprocessing, input_spec(module));
  const std::size_t names = metadata.class_names.size();
  const auto classes = static_cast<std::size_t>(
      module.outputs.empty() ? 0 : runtime::element_count(module.outputs[0].model_shape));
  if (names == classes)
    module.class_names = std::move(metadata.class_names);
  else if (names != 0)
    notes.push_back(fmt::format("the model's own {} names of classes are left out: its first output has {}",
                                names, classes));
  module.provenance.model_file = std::filesystem::path(path).filename().string();
  module.provenance.model_sha256 = runtime::to_string(file.hash);
  return notes;
}

}  // namespace vdla::tools
