// SPDX-License-Identifier: Apache-2.0
// Several arrays under their names: a new folder of .npy files, or one .npz.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/data/npy.h"

namespace vdla::tools {

/// Whether a path's name is that of an archive: NAME.npz, in letters of either case.
bool is_archive(const std::string& path);

/// A name that is one file below a folder, and one part of a path alone: the array's letters, digits, '_',
/// '-' and '.', other characters as '_'.
std::string file_of_tensor(const std::string& name);

/// UserError where ArrayFiles could not write to a path: a folder with files in it, an archive in a kit that
/// was built without them.
void require_place_of_arrays(const std::string& to);

class ArrayFiles {
 public:
  explicit ArrayFiles(std::string to) : to_(std::move(to)), archive_(is_archive(to_)) {}

  /// A name that no file has yet, for an array of this one: "conv", "conv.2".
  std::string free_name(const std::string& array);
  /// Adds an array as `name`.npy, and returns that.
  std::string add(const std::string& name, const NpyArray& array);
  void add_text(const std::string& file, std::string content);
  void write() const;

 private:
  std::string to_;
  bool archive_;
  std::set<std::string> taken_;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace vdla::tools
