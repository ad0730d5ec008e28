// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/module_file.h"

#include "runtime/container/sections.h"
#include "runtime/module/module_check.h"
#include "support/input_file.h"
#include "support/output_file.h"

namespace vdla::runtime {

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

Bytes read_module_file(const std::filesystem::path& path) { return read_input(path); }

}  // namespace vdla::runtime
