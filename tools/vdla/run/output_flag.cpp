// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/output_flag.h"

#include <filesystem>

#include "runtime/module/run_extents.h"
#include "support/error.h"
#include "support/output_file.h"
#include "tools/common/validators.h"
#include "tools/data/array_files.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

NpyArray array_of(const runtime::Port& port, const runtime::Bytes& bytes, std::size_t count) {
  std::vector<std::int64_t> shape = port.model_shape;
  if (count != 1 && shape.empty()) shape = {1};
  if (count != 1) shape[0] *= static_cast<std::int64_t>(count);
  return {npy_type(port.model_type), std::move(shape), bytes};
}

}  // namespace

CLI::Option* OutputFlag::add_to(CLI::App& command) {
  return command
      .add_option(
          "--output", to,
          "Write the outputs: FILE.npy of the only one, or a new folder of .npy files or one FILE.npz "
          "of all, by their names")
      ->check(ending({".npy", ".npz"}, "a NumPy array or a folder of them"));
}

bool OutputFlag::one_array() const {
  std::error_code none;
  return to.ends_with(".npy") || to == kStandardOutput ||
         (fs::exists(to, none) && !fs::is_regular_file(to, none) && !fs::is_directory(to, none));
}

void OutputFlag::require_place(const runtime::Module& module) const {
  if (to.empty()) return;
  if (!one_array()) return require_place_of_arrays(to);
  const std::size_t count = runtime::outputs_of_runs(module.outputs).size();
  VDLA_CHECK_USER(count == 1) << "--output " << to << ": is one array, and model '" << module.model_name
                              << "' has " << count << " outputs; name a new folder, or FILE.npz";
}

void OutputFlag::write(const std::vector<runtime::Port>& model, const std::vector<runtime::Bytes>& all,
                       std::size_t count) const {
  if (to.empty()) return;
  VDLA_CHECK_USER(!one_array() || count == 1 || model.size() == 1)
      << "--output " << to << ": is one array, and each of the " << count
      << " runs gives one of another extent; name a new folder, or FILE.npz, for the extents, too";
  const auto [outputs, bytes] =
      count == 1 ? runtime::cut_to_extents(model, all) : runtime::RunOutputs{model, all};
  if (one_array()) return write_npy(to, array_of(outputs.at(0), bytes.at(0), count));
  ArrayFiles files(to);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    files.add(files.free_name(outputs[i].name), array_of(outputs[i], bytes.at(i), count));
  files.write();
}

}  // namespace vdla::tools
