// SPDX-License-Identifier: Apache-2.0
// Questions about paths. The functions of std::filesystem without an error code throw in a closed folder, at
// a name that is too long, in a ring of links; these have a sentence for that, or an answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace vdla {

/// Whether something, a regular file or a folder is there. UserError "PATH: cannot be read: Permission
/// denied" where that cannot be known. Nothing has a name that is too long.
bool is_there(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// Size and time of a file that is there, else UserError.
std::uint64_t bytes_of_file(const std::filesystem::path& path);
std::filesystem::file_time_type time_written(const std::filesystem::path& path);

/// Entries of a folder, sorted. UserError if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);
/// Entries of a folder, sorted; none if it cannot be read.
std::vector<std::filesystem::path> entries_or_none(const std::filesystem::path& folder);

/// The path from the root on, without links if `path` exists. UserError if the current folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);
std::filesystem::path without_links(const std::filesystem::path& path);  ///< ends with no slash

/// The folder that TMPDIR names, /tmp without it; UserError where that is none.
std::filesystem::path temporary_folder();

/// The running program, without links.
std::filesystem::path program_path();

/// Adds permissions to a file, UserError where that fails.
void add_permissions(const std::filesystem::path& path, std::filesystem::perms more);

}  // namespace vdla
