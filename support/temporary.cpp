// SPDX-License-Identifier: Apache-2.0
#include "support/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "support/error.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

// .vdla-<process>-<number>.part and ...part<what other writers add>; a folder has the same name.
constexpr std::string_view kPrefix = ".vdla-";
constexpr std::string_view kEnding = ".part";

fs::path new_name(const fs::path& folder) {
  static std::atomic<unsigned> count = 0;
  return folder / fmt::format("{}{}-{}{}", kPrefix, getpid(), count++, kEnding);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_temporary_name(std::string_view name) {
  const std::size_t ending = name.find(kEnding);
  if (!name.starts_with(kPrefix) || ending == std::string_view::npos) return false;
  const std::string_view numbers = name.substr(kPrefix.size(), ending - kPrefix.size());
  const std::size_t dash = numbers.find('-');
  return dash != std::string_view::npos && is_digits(numbers.substr(0, dash)) &&
         is_digits(numbers.substr(dash + 1));
}

/// Opens the file itself; -1 where a link, a device or nothing stands.
int open_temporary(const fs::path& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) return -1;
  return open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/// Names in a folder that are those of temporaries; none where it cannot be read.
std::vector<fs::path> temporaries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error))
    if (is_temporary_name(at->path().filename().string())) found.push_back(at->path());
  return found;
}

/// With what other writers put beside it: its name with something behind it.
void remove_with_company(const fs::path& path) {
  std::error_code ignored;
  for (const fs::path& other : temporaries_of(path.parent_path()))
    if (other.filename().string().starts_with(path.filename().string())) fs::remove_all(other, ignored);
}

}  // namespace

void remove_dead_temporaries(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& path : temporaries_of(folder)) {
    // Files that another writer put beside go with the temporary itself, or after it.
    const std::string name = path.filename().string();
    const std::size_t end = name.find(kEnding) + kEnding.size();
    const fs::path owner = path.parent_path() / name.substr(0, end);
    const int held = open_temporary(owner);
    if (held >= 0 && flock(held, LOCK_EX | LOCK_NB) == 0) fs::remove_all(owner, ignored);
    if (held >= 0) close(held);
    if (end != name.size() && !fs::exists(owner, ignored)) fs::remove_all(path, ignored);
  }
}

void Temporary::make(const fs::path& folder) {
  // Between making and locking, another process may take the new one for a dead one's: then it is gone, and
  // the next name is tried.
  for (;;) {
    path_ = new_name(folder);
    const bool made =
        kind_ == Kind::File
            ? (descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) >= 0
            : mkdir(path_.c_str(), 0777) == 0;
    if (!made && errno == EEXIST) continue;  // left by a dead process with this number
    VDLA_CHECK_USER(made) << target_ << ": cannot be written: " << std::strerror(errno);
    if (kind_ == Kind::Folder) descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status{};
    // Files are not taken for dead where there are no locks.
    if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
    if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && status.st_nlink != 0) return;
    if (descriptor_ >= 0) close(descriptor_);
  }
}

Temporary::Temporary(const fs::path& folder, Kind kind, const std::string& target)
    : kind_(kind), target_(target) {
  remove_dead_temporaries(folder);
  const Uninterrupted held;
  make(folder.empty() ? "." : folder);
  there_ = true;
  unfinished_.emplace(held, [path = path_, target](const Uninterrupted&) {
    remove_with_company(path);
    return "removed the unfinished " + target;
  });
}

Temporary::~Temporary() {
  if (there_) remove_with_company(path_);
  close(descriptor_);
}

void Temporary::rename_to(const fs::path& target, const Uninterrupted& held) {
  std::error_code error;
  fs::rename(path_, target, error);
  VDLA_CHECK_USER(!error) << target_ << ": cannot be written: " << error.message();
  there_ = false;
  unfinished_->cancel(held);
}

}  // namespace vdla
