// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/output_file.h"
#include "support/path.h"
#include "tools/vdla/common/output_options.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

/// Value of an option; empty where it is not given.
std::string value_of(const CLI::App& command, std::string_view option) {
  const CLI::Option* found = option.empty() ? nullptr : command.get_option_no_throw(std::string(option));
  return found == nullptr || found->count() == 0 ? "" : found->as<std::string>();
}

bool given(const CLI::App& command, std::string_view option) { return !value_of(command, option).empty(); }

bool is_for(const OutputOption& row, const CLI::App& command, const CLI::Option& option) {
  return (row.command.empty() || row.command == command.get_name()) &&
         option.check_name(std::string(row.option)) &&
         (row.with.option.empty() || value_of(command, row.with.option) == row.with.value);
}

std::optional<Writes> writes(const CLI::App& command, const CLI::Option& option) {
  for (const OutputOption& row : kOutputOptions)
    if (is_for(row, command, option))
      return std::ranges::any_of(row.unless, [&](std::string_view other) { return given(command, other); })
                 ? std::nullopt
                 : std::optional(row.writes);
  return std::nullopt;
}

/// File of NAME=FILE, where the name may have a '=', too: the longest one that is there.
std::string file_of(const std::string& value) {
  const auto equals = value.find('=');
  std::error_code none;
  if (equals == std::string::npos || fs::exists(value, none)) return value;
  for (auto at = equals; at != std::string::npos; at = value.find('=', at + 1))
    if (fs::exists(value.substr(at + 1), none)) return value.substr(at + 1);
  return value.substr(equals + 1);
}

struct Named {
  std::string option, file;
  Writes writes = Writes::File;
  bool made = false;  ///< a name that the command makes, perhaps in a folder that it makes too
};

/// Adds outputs whose names a command makes of those on its command line.
void add_made_names(const CLI::App& command, std::vector<Named>& outputs) {
  const auto value = [&](std::string_view option) { return value_of(command, option); };
  const std::string name = command.get_name();
  if (name == "opt" && !value("--object").empty())
    outputs.push_back({"--object", value("--object") + ".loop", Writes::File, true});
  if (name == "compile" && !value("--kernel-lines").empty())
    outputs.push_back({"--kernel-lines", value("--output") + ".loop", Writes::File, true});
  if (name == "report" && value("--html").empty() && !value("record").empty())
    outputs.push_back(
        {"the page", fs::path(value("record")).replace_extension(".html").string(), Writes::File, true});
  if (name == "explore")
    for (const char* file : {"results.json", "results.csv", "report.html"})
      outputs.push_back({"--output",
                         (fs::path(command.get_option("--output")->as<std::string>()) / file).string(),
                         Writes::File, true});
}

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> regular_file(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

class Inputs {
 public:
  Inputs() {
    struct stat status{};
    if (fstat(STDIN_FILENO, &status) == 0) add(status, "standard input");
  }
  void add(const std::string& value) {
    struct stat status{};
    if (stat(value.c_str(), &status) != 0) return;
    add(status, "'" + value + "'");
    if (!S_ISDIR(status.st_mode)) return;
    std::error_code error;
    for (fs::directory_iterator at(value, error), end; !error && at != end; at.increment(error))
      if (stat(at->path().c_str(), &status) == 0) add(status, "'" + at->path().string() + "'");
  }
  /// How the command line calls what stands under this name; nullptr when it is no input.
  const std::string* find(const std::string& output) const {
    struct stat status{};
    const auto identity = stat(output.c_str(), &status) == 0 ? regular_file(status) : std::nullopt;
    const auto found = identity ? names_.find(*identity) : names_.end();
    return found == names_.end() ? nullptr : &found->second;
  }

 private:
  void add(const struct stat& status, const std::string& name) {
    if (const auto identity = regular_file(status)) names_.emplace(*identity, name);
  }

  std::map<Identity, std::string> names_;
};

/// UserError for - where standard output cannot be what the option names.
void refuse_standard_output(const Named& output) {
  if (output.file != kStandardOutput || output.writes == Writes::File || output.writes == Writes::Arrays)
    return;
  const bool folder = output.writes == Writes::Folder;
  throw UserError(output.option + " '-': is standard output, and the option names a " +
                  (folder ? "folder, needs the name of one (./- for one of this name)"
                          : "file that is read, too, needs the name of one (./- for one of this name)"));
}

}  // namespace

Outputs check_outputs(const CLI::App& command) {
  Outputs found;
  Inputs inputs;
  std::vector<Named> outputs;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const auto kind = writes(command, *option);
    for (const std::string& value : option->results()) {
      if (value.empty()) continue;  // an option that may stand without a value
      if (kind) outputs.push_back({option->get_name(), file_of(value), *kind});
      if (!kind) inputs.add(file_of(value));
    }
  }
  add_made_names(command, outputs);
  std::map<fs::path, std::string> places;
  for (const Named& output : outputs) {
    refuse_standard_output(output);
    if (output.writes == Writes::Folder || (output.writes == Writes::Arrays && is_folder(output.file)))
      continue;
    const std::string* input = inputs.find(output.file);
    VDLA_CHECK_USER(input == nullptr) << output.option << " '" << output.file << "': would write over "
                                      << *input << ", which the command reads; give the output another name";
    const OutputPlace place = output_place(output.file);
    if (place.descriptor == STDOUT_FILENO) {
      VDLA_CHECK_USER(!found.standard_output) << output.option << " '" << output.file
                                              << "': is standard output, as an output before it is; give "
                                                 "each output its own";
      found.standard_output = true;
    }
    if (place.in_place) continue;
    const fs::path folder = place.path.has_parent_path() ? place.path.parent_path() : ".";
    VDLA_CHECK_USER(output.made || is_folder(folder))
        << output.file << ": cannot be written: No such file or directory: there is no folder "
        << folder.string();
    VDLA_CHECK_USER(output.made || access(folder.c_str(), W_OK | X_OK) == 0)
        << output.file << ": cannot be written: " << std::strerror(errno) << ": folder " << folder.string()
        << " takes no files of this user";
    std::error_code error;  // error of a name that cannot be, which writing it will tell
    const fs::path canonical = fs::weakly_canonical(place.path, error);
    const auto [other, alone] = places.emplace(error ? place.path : canonical, output.option);
    VDLA_CHECK_USER(alone) << output.option << " '" << output.file << "': is the file of " << other->second
                           << " too; give each output its own";
  }
  return found;
}

}  // namespace vdla::tools
