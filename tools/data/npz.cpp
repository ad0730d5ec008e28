// SPDX-License-Identifier: Apache-2.0
#include "tools/data/npz.h"

#include <zip.h>

#include <memory>

#include "support/error.h"

namespace vdla::tools {
namespace {

struct Free {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Fills `content`. The library looks at the sum of a file's bytes where one reads beyond the last.
bool is_whole(zip_file_t* file, std::string& content) {
  char more = 0;
  return zip_fread(file, content.data(), content.size()) == static_cast<zip_int64_t>(content.size()) &&
         zip_fread(file, &more, 1) == 0;
}

constexpr std::uint64_t kMostUnpacked = 4ull << 30;  // bytes
constexpr zip_uint16_t kFirstOfJanuary1980 = 0x21;   // the date that archives count from

}  // namespace

bool have_npz() { return true; }

std::vector<std::pair<std::string, std::string>> files_of_archive(const std::string& path) {
  int code = 0;
  const std::unique_ptr<zip_t, Free> archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    throw UserError(path + ": is no archive (.npz) that can be read: " + zip_error_strerror(&error));
  }
  std::vector<std::pair<std::string, std::string>> files;
  std::uint64_t total = 0;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    const auto at = static_cast<zip_uint64_t>(i);
    zip_stat_t stat;
    VDLA_CHECK_USER(zip_stat_index(archive.get(), at, 0, &stat) == 0)
        << path << ": " << zip_strerror(archive.get());
    total += stat.size;
    VDLA_CHECK_USER(total <= kMostUnpacked)
        << path << ": has more than " << kMostUnpacked << " bytes unpacked";
    std::string content(static_cast<std::size_t>(stat.size), '\0');
    const std::unique_ptr<zip_file_t, Free> file(zip_fopen_index(archive.get(), at, 0));
    VDLA_CHECK_USER(file != nullptr && is_whole(file.get(), content))
        << path << ": '" << stat.name << "' is damaged";
    files.emplace_back(stat.name, std::move(content));
  }
  return files;
}

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files) {
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, Free> memory(zip_source_buffer_create(nullptr, 0, 0, &error));
  VDLA_CHECK(memory != nullptr) << zip_error_strerror(&error);
  zip_source_keep(memory.get());  // beyond the archive's end, for its bytes
  std::unique_ptr<zip_t, Free> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error));
  VDLA_CHECK(archive != nullptr) << zip_error_strerror(&error);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    VDLA_CHECK_USER(index >= 0) << "'" << name << "' in an archive: " << zip_strerror(archive.get());
    const auto at = static_cast<zip_uint64_t>(index);
    zip_file_set_dostime(archive.get(), at, 0, kFirstOfJanuary1980, 0);
    zip_set_file_compression(archive.get(), at, ZIP_CM_STORE, 0);
  }
  VDLA_CHECK_USER(zip_close(archive.get()) == 0) << "an archive: " << zip_strerror(archive.get());
  [[maybe_unused]] const zip_t* closed = archive.release();
  zip_stat_t stat;
  VDLA_CHECK(zip_source_stat(memory.get(), &stat) == 0 && zip_source_open(memory.get()) == 0);
  std::string bytes(static_cast<std::size_t>(stat.size), '\0');
  const zip_int64_t read = zip_source_read(memory.get(), bytes.data(), bytes.size());
  zip_source_close(memory.get());
  VDLA_CHECK(read == static_cast<zip_int64_t>(bytes.size()));
  return bytes;
}

}  // namespace vdla::tools
