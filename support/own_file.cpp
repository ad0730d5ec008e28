// SPDX-License-Identifier: Apache-2.0
#include "support/own_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "support/error.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeBits = 07777, kOthers = S_IRWXG | S_IRWXO;

std::optional<struct stat> link_status_of(const char* path) {
  struct stat status{};
  return lstat(path, &status) == 0 ? std::optional(status) : std::nullopt;
}

/// Users whose files count as one's own. What "/" belongs to stands for root, also where a container gives
/// root another number.
std::vector<uid_t> own_users() {
  std::vector<uid_t> users{0, geteuid()};
  struct stat program{};
  if (stat("/proc/self/exe", &program) == 0) users.push_back(program.st_uid);
  if (const auto root = link_status_of("/")) users.push_back(root->st_uid);
  return users;
}

bool group_is_own(const struct stat& s) {
  // The administrator chose the members of a group that may write root's files. Any other group counts only
  // if it is private: its number is its user's.
  return s.st_uid == 0 || s.st_gid == s.st_uid;
}

/// Empty, or why a part of a path may be another user's.
std::string fault_of(const fs::path& part, const struct stat& s, const std::vector<uid_t>& own, bool closed) {
  const char* kind = S_ISDIR(s.st_mode) ? "folder" : "file";
  if (std::ranges::find(own, s.st_uid) == own.end())
    return fmt::format("{} '{}' belongs to user {}", kind, part.string(), s.st_uid);
  const bool sticky = S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) != 0;
  if (closed || sticky) return {};
  const bool all = (s.st_mode & S_IWOTH) != 0, group = (s.st_mode & S_IWGRP) != 0 && !group_is_own(s);
  if (!all && !group) return {};
  return fmt::format("{} '{}' can be written by {} (mode {:04o})", kind, part.string(),
                     all ? "all users" : fmt::format("group {}", s.st_gid), s.st_mode & kModeBits);
}

/// Empty, or why a file may be another user's. The path has no links.
std::string fault_in(const fs::path& real) {
  const std::vector<uid_t> own = own_users();
  bool closed = false;
  fs::path part;
  for (const fs::path& name : real) {
    part /= name;
    const auto status = link_status_of(part.c_str());
    if (!status) return fmt::format("'{}' cannot be read: {}", part.string(), std::strerror(errno));
    if (std::string fault = fault_of(part, *status, own, closed); !fault.empty()) return fault;
    closed = closed || (status->st_mode & kOthers) == 0;
  }
  return {};
}

}  // namespace

std::string others_may_have_written(const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return error ? fmt::format("'{}' cannot be read: {}", file.string(), error.message()) : fault_in(real);
}

fs::path require_own(const fs::path& file, const std::string& what) {
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  VDLA_CHECK_USER(!error) << file.string() << ": cannot be read: " << error.message();
  const std::string fault = fault_in(real);
  VDLA_CHECK_USER(fault.empty()) << file.string() << " is not " << what << ": " << fault
                                 << ", needs to be this user's, root's or the kit's owner's and closed to "
                                    "other writers; remove it, or close it with chmod go-w";
  return real;
}

void make_own_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error);
  fs::path part;
  for (const fs::path& name : whole) {
    part /= name;
    constexpr mode_t kMode = 0755;
    const bool there = mkdir(part.c_str(), kMode) == 0 || errno == EEXIST || fs::is_directory(part, error);
    VDLA_CHECK_USER(there) << "folder " << folder.string() << " cannot be made: " << part.string() << ": "
                           << std::strerror(errno);
  }
  VDLA_CHECK_USER(fs::is_directory(whole, error)) << folder.string() << " is no folder, needs to be one";
}

}  // namespace vdla
