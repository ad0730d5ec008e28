// SPDX-License-Identifier: Apache-2.0
// Validators for options of several commands, and suggestions for mistyped ones.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace vdla::tools {

/// One of these names; the message lists them and says which was meant.
CLI::Validator one_of(const std::vector<std::string>& names);

/// A text that is not empty; the message says what it needs: "a device, as vdla or uio0".
CLI::Validator not_empty(const std::string& needed);

/// A file to write whose name has one of these endings (".npy"), since `what` ("a NumPy array") is written
/// whatever it is called. A name without an ending is taken, as is what exists and is no regular file
/// (/dev/stdout, and - for it).
CLI::Validator ending(const std::vector<std::string>& endings, const std::string& what);

/// ", did you mean '--variant'?" of the first option among the words that `command` does not have.
std::string meant_option(const CLI::App& command, const std::vector<std::string>& words);

/// Throws CLI::ValidationError for an option, or a file, that is given as nothing: an unset variable of a
/// script is that.
void refuse_empty(const CLI::App& command);

/// The options of the command that were given, by their longest names.
std::vector<std::string> given_options(const CLI::App& command);

}  // namespace vdla::tools
