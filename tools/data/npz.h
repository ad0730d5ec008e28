// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz: an archive of files, of which numpy.load() gives those called NAME.npy as arrays.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vdla::tools {

/// Whether this kit was built with the library of archives.
bool have_npz();

/// Files of an archive, name and content, in its order. UserError for what is none, a damaged one, or one of
/// more than 4 GiB unpacked.
std::vector<std::pair<std::string, std::string>> files_of_archive(const std::string& path);

/// Returns the content of an archive with these files (name, content), the same bytes for the same files.
/// UserError without the library.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace vdla::tools
