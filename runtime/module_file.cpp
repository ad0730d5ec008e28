// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_file.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "runtime/module_check.h"
#include "runtime/sections.h"
#include "support/error.h"
#include "support/output_file.h"

namespace vdla::runtime {
namespace {

std::string error_text() { return std::generic_category().message(errno); }

}  // namespace

Bytes serialize(const Module& module) {
  check(module);
  return pack(to_sections(module));
}

Module parse(std::span<const std::byte> bytes, const std::string& name, const LoadOptions& options) {
  const Container container = unpack(bytes, name);
  if (options.trusted) require_signature(container, *options.trusted, name);
  return from_sections(container, name);
}

void save(const Module& module, const std::filesystem::path& path) {
  write_module_file(serialize(module), path);
}

void write_module_file(const Bytes& bytes, const std::filesystem::path& path) {
  write_output(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Module load(const std::filesystem::path& path, const LoadOptions& options) {
  return parse(read_module_file(path), path.string(), options);
}

Bytes read_module_file(const std::filesystem::path& path) {
  errno = 0;
  VDLA_CHECK_USER(!std::filesystem::is_directory(path))
      << "cannot read '" << path.string() << "': it is a folder";
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  VDLA_CHECK_USER(in) << "cannot read '" << path.string() << "': " << error_text();
  Bytes bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  VDLA_CHECK_USER(in) << "cannot read '" << path.string() << "': " << error_text();
  return bytes;
}

}  // namespace vdla::runtime
