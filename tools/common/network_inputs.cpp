// SPDX-License-Identifier: Apache-2.0
#include "tools/common/network_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "support/error.h"
#include "support/path.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"
#include "tools/data/array_files.h"
#include "tools/data/files.h"

namespace vdla::tools {
namespace {

using runtime::Port;

/// A file of one input, or of all.
struct Source {
  std::string path;
  bool named = false;
};

bool is_array(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".bin") || is_archive(path);
}

/// Whether each sample of a path has an array for each input.
bool is_of_archives(const std::string& path) {
  return is_archive(path) || (is_folder(path) && std::ranges::any_of(files_of(path), is_archive));
}

/// "'a' and 'b'"
std::string names_of(const runtime::Module& module) {
  std::vector<std::string> names;
  names.reserve(module.inputs.size());
  for (const Port& port : module.inputs) names.push_back("'" + port.name + "'");
  return fmt::format("{}", fmt::join(names, " and "));
}

/// The file of each input, by its name.
std::map<std::string, Source> sources_of(const std::vector<std::string>& files, const runtime::Module& module,
                                         const std::string& option) {
  std::map<std::string, Source> sources;
  for (const std::string& file : files) {
    const auto named = std::ranges::find_if(
        module.inputs, [&](const Port& port) { return file.starts_with(port.name + "="); });
    if (named == module.inputs.end() && module.inputs.size() > 1) {
      VDLA_CHECK_USER(is_of_archives(file))
          << option << " " << file << " names no input: the network has " << names_of(module) << ", needs "
          << option << " NAME=FILE for each, or FILE.npz with arrays of these names";
      VDLA_CHECK_USER(files.size() == 1) << option << " " << file << " is of all inputs, and stands beside "
                                         << files.size() - 1 << " more; give it alone";
      for (const Port& port : module.inputs) sources[port.name] = {file, false};
      return sources;
    }
    const Port& port = named == module.inputs.end() ? module.inputs[0] : *named;
    const std::string path = named == module.inputs.end() ? file : file.substr(port.name.size() + 1);
    VDLA_CHECK_USER(sources.emplace(port.name, Source{path, true}).second)
        << "input '" << port.name << "' has two files as " << option << ", needs one";
  }
  for (const Port& port : module.inputs)
    VDLA_CHECK_USER(sources.contains(port.name))
        << "input '" << port.name << "' has no samples, needs " << option << " " << port.name << "=FILE";
  return sources;
}

}  // namespace

NetworkInputs load_inputs(const std::vector<std::string>& files, const runtime::Module& module,
                          const Preprocessing& flags, const Preprocessing& kept, const std::string& option) {
  VDLA_CHECK_USER(!module.inputs.empty())
      << "model '" << module.model_name << "' has no input, and takes no " << option;
  const auto sources = sources_of(files, module, option);
  NetworkInputs result;
  for (const Port& port : module.inputs) {
    const Source& source = sources.at(port.name);
    InputSpec spec = input_spec(module, port);
    spec.sole = source.named;
    const bool images = module.inputs.size() == 1 || !(is_array(source.path) || is_of_archives(source.path));
    LoadedInput loaded = load_input(source.path, spec, images ? flags : Preprocessing{}, kept);
    if (loaded.pixels) result.pixels = loaded.used;
    result.notes.insert(result.notes.end(), loaded.notes.begin(), loaded.notes.end());
    if (&port == &module.inputs.front())
      for (Sample& sample : loaded.samples)
        result.samples.push_back({std::move(sample.name), {}, sample.label});
    VDLA_CHECK_USER(loaded.samples.size() == result.samples.size())
        << source.path << ": has " << loaded.samples.size() << " samples of input '" << port.name
        << "', input '" << module.inputs.front().name << "' has " << result.samples.size()
        << ", needs as many of each";
    for (std::size_t i = 0; i < loaded.samples.size(); ++i)
      result.samples[i].inputs.push_back(std::move(loaded.samples[i].bytes));
  }
  if (!result.pixels) refuse_flags(flags, files.front());
  return result;
}

NetworkSample random_inputs(const runtime::Module& module, std::uint64_t seed) {
  NetworkSample sample{fmt::format("random{}", seed), {}, {}};
  for (std::size_t i = 0; i < module.inputs.size(); ++i)
    sample.inputs.push_back(random_sample(input_spec(module, module.inputs[i]), seed ^ i << 32).bytes);
  return sample;
}

}  // namespace vdla::tools
