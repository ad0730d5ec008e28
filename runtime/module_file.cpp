// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "runtime/module_payload.h"
#include "support/error.h"
#include "support/output_file.h"

namespace vdla::runtime {
namespace {

/// 32 bytes, little-endian: magic, format version, reserved (zero), size and checksum of the payload.
constexpr std::array<char, 8> kFileMagic = {'V', 'D', 'L', 'A', '-', 'M', 'O', 'D'};
constexpr std::size_t kHeaderBytes = 32;

std::uint64_t get(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

void put(Bytes& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
}

/// FNV-1a, 64 bits, over 8 bytes at a time (the rest zero-extended).
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    sum ^= get(bytes, at, std::min<std::size_t>(8, bytes.size() - at));
    sum *= 0x0000'0100'0000'01b3;
  }
  return sum;
}

std::string error_text() { return std::generic_category().message(errno); }

}  // namespace

Bytes serialize(const Module& module) {
  check(module);
  const Bytes payload = encode_payload(module);
  Bytes file;
  file.reserve(kHeaderBytes + payload.size());
  for (char c : kFileMagic) file.push_back(static_cast<std::byte>(c));
  put(file, kModuleFormatVersion, 4);
  put(file, 0, 4);
  put(file, payload.size(), 8);
  put(file, checksum(payload), 8);
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

Module parse(std::span<const std::byte> bytes, const std::string& name) {
  VDLA_CHECK_USER(bytes.size() >= kFileMagic.size() &&
                  std::memcmp(bytes.data(), kFileMagic.data(), kFileMagic.size()) == 0)
      << "'" << name << "' is not a compiled module; make one with 'vdla compile'";
  VDLA_CHECK_USER(bytes.size() >= kHeaderBytes) << "'" << name << "' is truncated: " << bytes.size()
                                                << " bytes, the header alone needs " << kHeaderBytes;
  const std::uint64_t version = get(bytes, 8, 4);
  VDLA_CHECK_USER(version == kModuleFormatVersion)
      << "'" << name << "' has module format version " << version << ", this kit reads version "
      << kModuleFormatVersion << "; compile the model again";
  const std::uint64_t size = get(bytes, 16, 8);
  const auto payload = bytes.subspan(kHeaderBytes);
  VDLA_CHECK_USER(payload.size() >= size)
      << "'" << name << "' is truncated: " << payload.size() << " bytes of its " << size << " are there";
  VDLA_CHECK_USER(payload.size() == size && get(bytes, 12, 4) == 0 && checksum(payload) == get(bytes, 24, 8))
      << "'" << name << "' is corrupt: its checksum does not fit its contents; copy or compile it again";
  return decode_payload(payload, name);
}

void save(const Module& module, const std::filesystem::path& path) {
  const Bytes bytes = serialize(module);
  write_output(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Module load(const std::filesystem::path& path) {
  errno = 0;
  VDLA_CHECK_USER(!std::filesystem::is_directory(path))
      << "cannot read '" << path.string() << "': it is a folder";
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  VDLA_CHECK_USER(in) << "cannot read '" << path.string() << "': " << error_text();
  Bytes bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  VDLA_CHECK_USER(in) << "cannot read '" << path.string() << "': " << error_text();
  return parse(bytes, path.string());
}

}  // namespace vdla::runtime
