// SPDX-License-Identifier: Apache-2.0
#include "support/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vdla {
namespace {

struct Mark {
  std::size_t at;
  std::string_view bytes;
  FileKind kind;
};

using namespace std::string_view_literals;

constexpr std::array kMarks{
    Mark{0, "VDLA-MOD"sv, FileKind::Module},
    Mark{4, "TFL3"sv, FileKind::TfLite},
    Mark{0, "\x93NUMPY"sv, FileKind::Npy},
    Mark{0, "PK\x03\x04"sv, FileKind::Zip},
    Mark{0, "PK\x05\x06"sv, FileKind::Zip},
    Mark{0, "\x1f\x8b"sv, FileKind::Gzip},
    Mark{0, "\x89HDF\r\n\x1a\n"sv, FileKind::Hdf5},
    Mark{0, "\x80\x02}"sv, FileKind::Pickle},
    Mark{0, "\x80\x04\x95"sv, FileKind::Pickle},
    Mark{0, "\x89PNG\r\n"sv, FileKind::Png},
    Mark{0, "\xff\xd8\xff"sv, FileKind::Jpeg},
    Mark{0, "\xff\xfe"sv, FileKind::Utf16},
    Mark{0, "\xfe\xff"sv, FileKind::Utf16},
    Mark{0, "GIF8"sv, FileKind::Gif},
    Mark{0, "%PDF-"sv, FileKind::Pdf},
    Mark{0,
         "\x7f"
         "ELF"sv,
         FileKind::Elf},
    Mark{0, "RIFF"sv, FileKind::Wav},
    Mark{0, "version https://git-lfs"sv, FileKind::LfsPointer},
};

/// Whether `text` begins with `word`, in letters of either case.
bool begins(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::ranges::equal(text.substr(0, word.size()), word, {}, [](char c) {
           return std::tolower(static_cast<unsigned char>(c));
         });
}

FileKind kind_of_text(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return FileKind::Text;
  text.remove_prefix(first);
  for (const std::string_view tag : {"<!doctype html"sv, "<html"sv, "<head"sv, "<?xml"sv})
    if (begins(text, tag)) return FileKind::Html;
  return text[0] == '{' || text[0] == '[' ? FileKind::Json : FileKind::Text;
}

}  // namespace

FileKind file_kind(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 512;
  if (bytes.empty()) return FileKind::Empty;
  for (const Mark& mark : kMarks)
    if (bytes.size() >= mark.at && bytes.substr(mark.at).starts_with(mark.bytes)) return mark.kind;
  const std::string_view head = without_byte_order_mark(bytes.substr(0, kLookedAt));
  // Bytes from 0x80 on are letters of UTF-8, or of Latin-1.
  const bool text = std::ranges::all_of(head, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code >= 0x20 && code != 0x7f) || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
  return text ? kind_of_text(head) : FileKind::Unknown;
}

FileKind file_kind(std::span<const std::byte> bytes) {
  return file_kind(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string_view text_of(FileKind kind) {
  switch (kind) {
#define VDLA_CASE(name, text, remedy) \
  case FileKind::name:                \
    return text;
    VDLA_FILE_KINDS(VDLA_CASE)
#undef VDLA_CASE
  }
  return "";
}

namespace {

std::string_view remedy_of(FileKind kind) {
  switch (kind) {
#define VDLA_CASE(name, text, remedy) \
  case FileKind::name:                \
    return remedy;
    VDLA_FILE_KINDS(VDLA_CASE)
#undef VDLA_CASE
  }
  return "";
}

}  // namespace

std::string wrong_kind(FileKind kind, std::string_view needed) {
  if (kind == FileKind::Unknown) return "is not " + std::string(needed);
  std::string text = "is " + std::string(text_of(kind)) + ", needs " + std::string(needed);
  if (const std::string_view remedy = remedy_of(kind); !remedy.empty()) text += "; " + std::string(remedy);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

bool is_text(FileKind kind) {
  return kind == FileKind::Text || kind == FileKind::Json || kind == FileKind::Html ||
         kind == FileKind::LfsPointer;
}

}  // namespace vdla
