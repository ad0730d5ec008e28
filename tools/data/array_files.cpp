// SPDX-License-Identifier: Apache-2.0
#include "tools/data/array_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/error.h"
#include "support/output_file.h"
#include "support/output_folder.h"
#include "tools/data/files.h"
#include "tools/data/npz.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Whether an archive can have a file of this name: text, and no way out of a folder.
bool is_key(const std::string& name) {
  return !name.empty() && !name.starts_with('/') && name.find("..") == std::string::npos &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

bool is_archive(const std::string& path) { return lower(fs::path(path).extension().string()) == ".npz"; }

std::string file_of_tensor(const std::string& name) {
  std::string file;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    file += plain ? c : '_';
  }
  constexpr std::size_t kMost = 200;  // letters; file systems take 255 with the ending
  if (file.empty() || file.front() == '.') file.insert(0, "_");
  return file.substr(0, kMost);
}

void require_place_of_arrays(const std::string& to) {
  VDLA_CHECK_USER(to != kStandardOutput)
      << "'-': is standard output, which takes no folder of arrays; needs the "
         "name of a new folder (./- for one of this name), or FILE.npz";
  if (is_archive(to)) {
    VDLA_CHECK_USER(have_npz()) << to << ": this kit was built without archives; name a folder";
    const OutputFile can_be_written(to);
    return;
  }
  std::error_code none;
  VDLA_CHECK_USER(!fs::exists(to, none) || (fs::is_directory(to, none) && fs::is_empty(to, none)))
      << to << ": is no empty folder, and arrays are written over nothing; name a new folder, or FILE.npz";
}

std::string ArrayFiles::free_name(const std::string& array) {
  // NumPy's key in an archive is the file's name.
  const std::string wanted = archive_ && is_key(array) ? array : file_of_tensor(array);
  std::string name = wanted;
  // Some file systems take capital letters for small ones.
  const auto key = [&] { return archive_ ? name : lower(name); };
  for (int i = 2; !taken_.insert(key()).second; ++i) name = fmt::format("{}.{}", wanted, i);
  return name;
}

std::string ArrayFiles::add(const std::string& name, const NpyArray& array) {
  std::string file = name + ".npy";
  files_.emplace_back(file, npy_file(array));
  return file;
}

void ArrayFiles::add_text(const std::string& file, std::string content) {
  files_.emplace_back(file, std::move(content));
}

void ArrayFiles::write() const {
  if (archive_) return write_file(to_, archive_of(files_));
  std::vector<FolderFile> contents;
  contents.reserve(files_.size());
  for (const auto& [name, content] : files_) contents.push_back({name, content});
  write_folder(to_, contents, {});
}

}  // namespace vdla::tools
