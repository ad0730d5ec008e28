// SPDX-License-Identifier: Apache-2.0
#include "tools/common/validators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "support/nearest.h"
#include "support/output_file.h"

namespace vdla::tools {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& names) {
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ","));
  return {[names, list](const std::string& text) {
            return std::ranges::count(names, text) != 0
                       ? std::string()
                       : fmt::format("'{}' is not in {}{}", text, list, did_you_mean(text, names));
          },
          list};
}

CLI::Validator not_empty(const std::string& needed) {
  return {[needed](const std::string& text) {
            return text.empty() ? "is empty, needs " + needed : std::string();
          },
          ""};
}

CLI::Validator ending(const std::vector<std::string>& endings, const std::string& what) {
  return {[endings, what](const std::string& text) {
            namespace fs = std::filesystem;
            std::error_code ignored;
            const fs::path path(text);
            if (text == kStandardOutput) return std::string();
            if (!path.has_extension()) return std::string();
            std::string name = path.filename().string();
            std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
            if (std::ranges::any_of(endings, [&](const auto& e) { return name.ends_with(e); }))
              return std::string();
            if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return std::string();
            return fmt::format("'{}': what is written is {}, needs a name that ends in {}", text, what,
                               fmt::join(endings, " or "));
          },
          ""};
}

std::string meant_option(const CLI::App& command, const std::vector<std::string>& words) {
  const std::vector<std::string> names = option_names(command);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name.size() < 3 || std::ranges::count(names, name) != 0) continue;
    return did_you_mean(name, names);
  }
  return "";
}

void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_min() > 0)
        throw CLI::ValidationError(option->get_name(),
                                   "is empty, needs a value; leave it out where none is meant");
}

std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> given;
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_lnames().empty())
      given.push_back("--" + option->get_lnames().front());
  return given;
}

}  // namespace vdla::tools
