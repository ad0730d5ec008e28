// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/module_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/container/module_file.h"
#include "runtime/container/signature.h"
#include "support/error.h"
#include "support/own_file.h"
#include "support/path.h"
#include "support/temporary.h"

namespace vdla::remote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".vdla";

std::string hash_of(const runtime::Bytes& file) {
  return runtime::to_string(runtime::Hash().add(file).finish());
}

void write_all(int file, const std::string& part) {
  for (std::size_t at = 0; at < part.size();) {
    const ssize_t written = ::write(file, part.data() + at, part.size() - at);
    if (written < 0 && errno == EINTR) continue;
    VDLA_CHECK_USER(written > 0) << "the board's cache cannot be written: " << std::strerror(errno);
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace

bool is_sha256(const std::string& text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

ModuleCache::ModuleCache(fs::path folder, const CacheLimits& limits)
    : folder_(std::move(folder)), limits_(limits) {
  make_own_folder(folder_);
  struct stat status{};
  VDLA_CHECK_USER(stat(folder_.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                  status.st_uid == geteuid())
      << folder_.string() << ": is no folder of this user's; name one with --cache: modules in it are run";
  VDLA_CHECK_USER(chmod(folder_.c_str(), 0700) == 0)
      << folder_.string() << ": cannot be closed to others: " << std::strerror(errno);
  folder_ = require_own(folder_, "a place for modules that are run");
  remove_dead_temporaries(folder_);
}

fs::path ModuleCache::path_of(const std::string& sha256) const {
  VDLA_CHECK_USER(is_sha256(sha256))
      << "a module's name is its SHA-256, 64 lower-case hexadecimal digits, got " << sha256.size()
      << " bytes that are none";
  return folder_ / (sha256 + kEnding);
}

std::optional<runtime::Bytes> ModuleCache::find(const std::string& sha256) {
  const fs::path path = path_of(sha256);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  // A file whose bytes are known, whichever process wrote it.
  runtime::Bytes file = runtime::read_module_file(path);
  if (hash_of(file) != sha256) {
    fs::remove(path, ignored);
    return {};
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return file;
}

void ModuleCache::add(const std::string& sha256, std::uint64_t bytes,
                      const std::function<bool(std::string& part)>& next,
                      const std::function<void(const runtime::Bytes& file)>& check) {
  const fs::path path = path_of(sha256);
  VDLA_CHECK_USER(bytes <= largest())
      << "the module has " << bytes << " bytes, this board takes " << largest()
      << " at most; its owner sets that with --max-upload and --cache-size";
  Temporary made(folder_, Temporary::Kind::File, "upload");
  std::uint64_t received = 0;
  for (std::string part; next(part);) {
    received += part.size();
    VDLA_CHECK_USER(received <= bytes)
        << "the upload goes on behind the " << bytes << " bytes that it said it has";
    write_all(made.descriptor(), part);
  }
  VDLA_CHECK_USER(received == bytes) << "the upload ended after " << received << " of " << bytes << " bytes";
  const runtime::Bytes file = runtime::read_module_file(made.path());
  const std::string hash = hash_of(file);
  VDLA_CHECK_USER(hash == sha256) << "the upload's SHA-256 is " << hash << ", it said " << sha256;
  check(file);
  made.rename_to(path, Uninterrupted());
  make_room(path);
}

void ModuleCache::make_room(const fs::path& newest) const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  for (const fs::path& entry : entries_or_none(folder_)) {
    if (entry.extension() != kEnding || !is_sha256(entry.stem().string())) continue;
    std::error_code no_time, no_size;
    const Entry row{fs::last_write_time(entry, no_time), fs::file_size(entry, no_size), entry};
    if (no_time || no_size) continue;
    all += row.bytes;
    if (row.path != newest) entries.push_back(row);
  }
  std::ranges::sort(entries, {}, &Entry::used);
  std::error_code error;
  for (const Entry& entry : entries) {
    if (all <= limits_.folder_bytes) return;
    if (fs::remove(entry.path, error)) all -= entry.bytes;
  }
}

}  // namespace vdla::remote
