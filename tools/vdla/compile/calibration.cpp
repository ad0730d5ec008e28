// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/calibration.h"

#include <map>

#include "support/error.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"
#include "tools/data/output_values.h"
#include "tools/data/whole_inputs.h"

namespace vdla::tools {
namespace {

using runtime::Port;

bool is_array(const std::string& path) { return path.ends_with(".npy") || path.ends_with(".bin"); }

/// "'a' and 'b'"
std::string names_of(const runtime::Module& module) {
  std::string text;
  for (const Port& port : module.inputs) text += (text.empty() ? "'" : " and '") + port.name + "'";
  return text;
}

/// The file of each input, by its name.
std::map<std::string, std::string> files_by_input(const std::vector<std::string>& files,
                                                  const runtime::Module& module) {
  std::map<std::string, std::string> result;
  for (const std::string& file : files) {
    const Port* named = nullptr;
    for (const Port& port : module.inputs)
      if (file.starts_with(port.name + "=")) named = &port;
    VDLA_CHECK_USER(named != nullptr || module.inputs.size() == 1)
        << "--calibration " << file << " names no input: the network has " << names_of(module)
        << ", needs --calibration NAME=FILE for each";
    const std::string& name = named ? named->name : module.inputs[0].name;
    const std::string path = named ? file.substr(name.size() + 1) : file;
    VDLA_CHECK_USER(result.emplace(name, path).second)
        << "input '" << name << "' has two files as --calibration, needs one";
  }
  for (const Port& port : module.inputs)
    VDLA_CHECK_USER(result.contains(port.name))
        << "input '" << port.name << "' has no samples, needs --calibration " << port.name << "=FILE";
  return result;
}

/// Inputs in the port's own type, which is not float32.
std::vector<graph::Bytes> own_values(const std::string& path, const Port& port) {
  VDLA_CHECK_USER(is_array(path)) << path << ": is no .npy or .bin file, which input '" << port.name
                                  << "' of " << name_of(port.model_type) << " needs";
  const InputNeed need{port.name, npy_type(port.model_type), port.model_shape};
  std::vector<graph::Bytes> result;
  const auto cut = [&](const FileValues& values) {
    for (const auto bytes : whole_inputs(values, need, path)) result.emplace_back(bytes.begin(), bytes.end());
  };
  if (path.ends_with(".bin")) {
    const std::vector<std::byte> bytes = read_file(path);
    cut({need.type, {}, bytes});
  } else {
    const NpyArray array = read_npy(path);
    cut(values_of(array));
  }
  return result;
}

/// Bytes of one input from each sample.
std::vector<graph::Bytes> values_of_input(const std::string& path, const Port& port,
                                          const runtime::Module& module, const Preprocessing& flags,
                                          const Preprocessing& kept, Calibration& calibration) {
  if (port.model_type != runtime::DataType::Float32) return own_values(path, port);
  LoadedInput loaded = load_input(path, input_spec(module, port), flags, kept);
  if (loaded.pixels) calibration.pixels = loaded.used;
  calibration.notes.insert(calibration.notes.end(), loaded.notes.begin(), loaded.notes.end());
  std::vector<graph::Bytes> result;
  for (Sample& sample : loaded.samples) result.push_back(std::move(sample.bytes));
  return result;
}

}  // namespace

Calibration load_calibration(const std::vector<std::string>& files, const runtime::Module& module,
                             const Preprocessing& flags, const Preprocessing& kept) {
  Calibration result;
  VDLA_CHECK_USER(!module.inputs.empty())
      << "model '" << module.model_name << "' has no input, so no samples make its values";
  const auto by_input = files_by_input(files, module);
  const bool several = by_input.size() > 1;
  for (const Port& port : module.inputs) {
    const std::string& path = by_input.at(port.name);
    // Flags of pixels are for the inputs that are images.
    const Preprocessing of_input = several && is_array(path) ? Preprocessing{} : flags;
    std::vector<graph::Bytes> values = values_of_input(path, port, module, of_input, kept, result);
    if (&port == &module.inputs.front()) result.samples.resize(values.size());
    VDLA_CHECK_USER(values.size() == result.samples.size())
        << path << ": has " << values.size() << " samples of input '" << port.name << "', input '"
        << module.inputs.front().name << "' has " << result.samples.size() << ", needs as many of each";
    for (std::size_t i = 0; i < values.size(); ++i)
      result.samples[i].emplace(port.name, std::move(values[i]));
  }
  if (!result.pixels) refuse_flags(flags, files.front());
  return result;
}

}  // namespace vdla::tools
