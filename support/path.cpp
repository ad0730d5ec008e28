// SPDX-License-Identifier: Apache-2.0
#include "support/path.h"

#include <algorithm>
#include <system_error>

#include "support/error.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

void check_read(const std::error_code& error, const fs::path& path) {
  VDLA_CHECK_USER(!error) << path.string() << ": cannot be read: " << error.message();
}

/// Status of a path after all links. A path where nothing stands is no error.
fs::file_status status_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found || error == std::errc::filename_too_long)
    return fs::file_status(fs::file_type::not_found);
  check_read(error, path);
  return status;
}

std::vector<fs::path> read_folder(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

bool is_there(const fs::path& path) { return status_of(path).type() != fs::file_type::not_found; }
bool is_file(const fs::path& path) { return status_of(path).type() == fs::file_type::regular; }
bool is_folder(const fs::path& path) { return status_of(path).type() == fs::file_type::directory; }

std::uint64_t bytes_of_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  check_read(error, path);
  return bytes;
}

fs::file_time_type time_written(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  check_read(error, path);
  return time;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries = read_folder(folder, error);
  check_read(error, folder);
  return entries;
}

std::vector<fs::path> entries_or_none(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries = read_folder(folder, error);
  return error ? std::vector<fs::path>{} : entries;
}

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  VDLA_CHECK_USER(!error) << path.string() << ": has no place: the current folder: " << error.message();
  return absolute;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(absolute_path(path), error);
  check_read(error, path);
  return found.has_filename() ? found : found.parent_path();  // "out/" is "out"
}

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  VDLA_CHECK_USER(!error) << "no folder for temporary files (TMPDIR, or /tmp): " << error.message();
  return folder;
}

fs::path program_path() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  VDLA_CHECK_USER(!error) << "/proc/self/exe, which names this program: " << error.message();
  return program;
}

void add_permissions(const fs::path& path, fs::perms more) {
  std::error_code error;
  fs::permissions(path, more, fs::perm_options::add, error);
  VDLA_CHECK_USER(!error) << path.string() << ": cannot be written: " << error.message();
}

}  // namespace vdla
