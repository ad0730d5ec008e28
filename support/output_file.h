// SPDX-License-Identifier: Apache-2.0
// The one way in which the kit writes a file: beside its target, whose place it takes when all of it is
// written, so that nothing partial ever stands there and an old file survives a failure. Links are followed.
// What is no regular file (a device, a FIFO, /dev/stdout and other open descriptors) is written into and
// never replaced. The name - means standard output.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "support/temporary.h"

namespace vdla {

/// The name that means standard output; a file of this name is ./-
inline constexpr std::string_view kStandardOutput = "-";

/// The place behind a path: links followed as far as they lead, also where the last of them leads to nothing
/// yet.
struct OutputPlace {
  std::filesystem::path path;
  int descriptor = -1;  ///< descriptor of this process, where the path names one (-, /dev/stdout, /dev/fd/3)
  bool in_place = false;  ///< whether it is written in place: no regular file
};
/// UserError for a folder, for a circle of links and for a file that may not be written.
OutputPlace output_place(const std::string& target);

class OutputFile {
 public:
  /// UserError when `target` cannot be written, so make it before the work. One that is written in place is
  /// opened here; opening a FIFO waits for its reader.
  explicit OutputFile(std::string target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream();
  /// For writers that take names only, instead of stream(): what stands there at keep() becomes the output.
  std::filesystem::path file();
  /// Takes the target's place when all of it was written, and throws UserError otherwise. Without it nothing
  /// changes, except in a target that is written in place.
  void keep();
  void keep(const Uninterrupted& held);

 private:
  class Buffer;

  void copy_file();
  void finish();
  void take_place(const Uninterrupted& held);

  std::string target_;
  OutputPlace place_;
  std::optional<Temporary> temporary_;  ///< none where the stream goes right into the target
  int descriptor_ = -1;                 ///< descriptor of the target, where it is written in place
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

/// All of a file at once.
void write_output(const std::string& target, std::string_view content);

}  // namespace vdla
