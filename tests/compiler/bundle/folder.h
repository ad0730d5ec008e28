// SPDX-License-Identifier: Apache-2.0
// A bundle on disk, and the compiler that firmware engineers would use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/bundle/bundle.h"
#include "kit/engine.h"
#include "runtime/module/module.h"

namespace vdla::bundle {

constexpr const char* kCompiler = "clang-19";

/// Every warning is an error, and nothing of a hosted C library is there.
constexpr const char* kFlags = "-std=c99 -Wall -Wextra -Wpedantic -Werror -ffreestanding -nostdlibinc -Os";

/// Written to a temporary folder, which goes with this object.
class Folder {
 public:
  Folder(const runtime::Module& module, const Options& options);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Bundle& bundle() const { return bundle_; }
  void write(const std::string& name, const std::string& text) const;
  /// All C files of the bundle, and the archive of kernels where there is one.
  std::string sources() const;
  /// "-I..."
  std::string includes() const;
  /// Output of a command in the folder; EXPECTs status 0.
  std::string run(const std::string& command) const;

 private:
  std::filesystem::path path_;
  Bundle bundle_;
};

/// Why programs cannot be made here; empty: they can.
std::string no_compiler();

#define VDLA_NEED_C_COMPILER() \
  if (const std::string why = ::vdla::bundle::no_compiler(); !why.empty()) GTEST_SKIP() << why

}  // namespace vdla::bundle
