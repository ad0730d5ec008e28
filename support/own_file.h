// SPDX-License-Identifier: Apache-2.0
// Files whose content is about to run: only those count that no other user could have written.
#pragma once

#include <filesystem>
#include <string>

namespace vdla {

/// Why a file, or what stands in its place, may be another user's work: "folder '/tmp/c' can be written by
/// all users (mode 0777)". Empty where this user, the owner of this program and root alone can have made it:
/// the file and all folders above belong to one of them, and no others may write there. A folder with the
/// sticky bit (/tmp) and what lies in a folder that is closed to others may have any mode.
std::string others_may_have_written(const std::filesystem::path& file);

/// The file's path without links, to open that and no other. UserError "FILE is not WHAT: folder .." where
/// others may have written it.
std::filesystem::path require_own(const std::filesystem::path& file, const std::string& what);

/// Makes a folder and those above it that are missing, closed to writers other than this user whatever the
/// umask; UserError where that fails.
void make_own_folder(const std::filesystem::path& folder);

}  // namespace vdla
