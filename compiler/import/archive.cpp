// SPDX-License-Identifier: Apache-2.0
#include <zip.h>

#include <memory>

#include "compiler/import/metadata.h"

namespace vdla::import {
namespace {

/// A file of names is far smaller; a few bytes can claim to unpack to anything.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24;

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Entry = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

}  // namespace

std::optional<std::string> archived_file(std::span<const std::byte> bytes, const std::string& file) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  if (source == nullptr) return std::nullopt;
  const Archive archive(zip_open_from_source(source, ZIP_RDONLY, nullptr), zip_discard);
  if (!archive) {
    zip_source_free(source);
    return std::nullopt;
  }
  zip_stat_t stat;
  if (zip_stat(archive.get(), file.c_str(), 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0 ||
      stat.size > kMaxBytes)
    return std::nullopt;
  const Entry entry(zip_fopen_index(archive.get(), stat.index, 0), zip_fclose);
  if (!entry) return std::nullopt;
  std::string text(stat.size, '\0');
  if (zip_fread(entry.get(), text.data(), text.size()) != static_cast<zip_int64_t>(text.size()))
    return std::nullopt;
  return text;
}

}  // namespace vdla::import
