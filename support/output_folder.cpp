// SPDX-License-Identifier: Apache-2.0
#include "support/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <set>

#include "support/error.h"
#include "support/output_file.h"
#include "support/path.h"
#include "support/temporary.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

/// Folders on the way to `folder` that are missing, the innermost first.
std::vector<fs::path> missing_folders(fs::path folder) {
  std::vector<fs::path> missing;
  for (; !folder.empty() && !is_there(folder); folder = folder.parent_path()) missing.push_back(folder);
  return missing;
}

void write_files(const fs::path& into, const std::vector<FolderFile>& files, const fs::path& target) {
  for (const FolderFile& file : files) {
    const fs::path path = into / file.name;
    const NewFolder around(path.parent_path(), (target / file.name.parent_path()).string());
    write_output(path.string(), file.content);
    if (file.executable)
      add_permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec);
  }
}

std::vector<std::string> remove_files(const fs::path& folder, const std::vector<std::string>& gone) {
  std::vector<std::string> removed;
  for (const std::string& name : gone) {
    std::error_code none;
    if (fs::remove(folder / name, none)) removed.push_back(name);
  }
  return removed;
}

/// Whether a folder can change its place without a process that stands in it: neither the current folder nor
/// one above, nor a mount.
bool can_change_place(const fs::path& folder) {
  std::error_code error;
  const fs::path current = fs::current_path(error);
  if (error) return false;
  const fs::path relative = current.lexically_relative(folder);
  const bool stands_in_it = !relative.empty() && *relative.begin() != "..";
  struct stat own{}, above{};
  return !stands_in_it && stat(folder.c_str(), &own) == 0 &&
         stat(folder.parent_path().c_str(), &above) == 0 && own.st_dev == above.st_dev &&
         access(folder.parent_path().c_str(), W_OK | X_OK) == 0;
}

/// Gives a second name to all that is in `from` and not yet in `to`; false where something takes none or
/// cannot be read.
bool link_others(const fs::path& from, const fs::path& to, const std::set<fs::path>& left_out) {
  if (access(from.c_str(), R_OK | X_OK) != 0) return false;
  for (const fs::path& entry : entries_of(from)) {
    const fs::path made = to / entry.filename();
    if (left_out.contains(made)) continue;
    struct stat status{};
    if (lstat(entry.c_str(), &status) != 0) return false;
    if (S_ISDIR(status.st_mode)) {
      if (mkdir(made.c_str(), 0777) != 0 && errno != EEXIST) return false;
      if (!link_others(entry, made, left_out) || chmod(made.c_str(), status.st_mode & 07777) != 0)
        return false;
    } else if (link(entry.c_str(), made.c_str()) != 0 && errno != EEXIST) {
      return false;
    }
  }
  return true;
}

/// The new folder in the place of the old one; false where nothing has changed.
bool exchange(const fs::path& target, const std::vector<FolderFile>& files,
              const std::vector<std::string>& gone) {
  if (!can_change_place(target)) return false;
  struct stat status{};
  if (stat(target.c_str(), &status) != 0) return false;
  Temporary made(target.parent_path(), Temporary::Kind::Folder, target.string());
  write_files(made.path(), files, target);
  std::set<fs::path> left_out;
  for (const std::string& name : gone) left_out.insert(made.path() / name);
  if (!link_others(target, made.path(), left_out)) return false;
  const Uninterrupted held;
  return chmod(made.path().c_str(), status.st_mode & 07777) == 0 &&
         renameat2(AT_FDCWD, made.path().c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
  // The old one goes with the temporary's name.
}

}  // namespace

NewFolder::NewFolder(const fs::path& folder, const std::string& name)
    : made_(missing_folders(folder)), exceptions_(std::uncaught_exceptions()) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !is_folder(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) remove_empty();
  VDLA_CHECK_USER(!error) << "folder " << name << " cannot be made: " << error.message();
}

NewFolder::~NewFolder() {
  if (std::uncaught_exceptions() > exceptions_) remove_empty();
}

void NewFolder::remove_empty() const {
  for (const fs::path& folder : made_) rmdir(folder.c_str());  // refuses those with anything in them
}

std::vector<std::string> write_folder(const fs::path& folder, const std::vector<FolderFile>& files,
                                      const std::vector<std::string>& gone) {
  VDLA_CHECK_USER(!is_there(folder) || is_folder(folder))
      << "folder " << folder.string() << " cannot be made: Not a directory";
  const fs::path target = without_links(folder);
  if (!is_folder(target)) {
    const NewFolder around(target.parent_path(), folder.string());
    Temporary made(target.parent_path(), Temporary::Kind::Folder, folder.string());
    write_files(made.path(), files, folder);
    made.rename_to(target, Uninterrupted());
    return {};
  }
  std::vector<std::string> removed;
  for (const std::string& name : gone)
    if (is_file(target / name)) removed.push_back(name);
  if (exchange(target, files, gone)) return removed;
  write_files(target, files, folder);
  return remove_files(target, gone);
}

}  // namespace vdla
