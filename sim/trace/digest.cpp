// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/digest.h"

#include <algorithm>
#include <cstring>

namespace vdla::trace {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

WriteDigest::WriteDigest(const isa::Geometry& geometry) {
  for (const isa::NamedCode& row : isa::kBuffers) {
    const auto buffer = static_cast<isa::Buffer>(row.code);
    rows_[row.code] = geometry.rows(buffer);
    seen_[row.code].resize(std::size_t{geometry.depth(buffer)} * geometry.rows(buffer));
  }
}

void WriteDigest::note_bytes(std::uint64_t address, std::uint64_t count) {
  const std::uint64_t end = address + count;
  while (address < end) {
    const auto first = static_cast<unsigned>(address % kWordBytes);
    const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(kWordBytes - first, end - address));
    note_word(address - first, ((1u << bytes) - 1) << first);
    address += bytes;
  }
}

void WriteDigest::keep(isa::Buffer buffer, std::uint32_t at, std::span<const std::byte> bytes) {
  writes_.rows.push_back({buffer, at, writes_.bytes.size(), bytes.size()});
  writes_.bytes.insert(writes_.bytes.end(), bytes.begin(), bytes.end());
}

void WriteDigest::join_words() {
  std::ranges::sort(words_);
  std::size_t last = 0;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (words_[i].first == words_[last].first)
      words_[last].second |= words_[i].second;
    else
      words_[++last] = words_[i];
  }
  if (!words_.empty()) words_.resize(last + 1);
}

std::uint64_t WriteDigest::hash(std::uint64_t place, std::span<const std::byte> bytes) {
  std::uint64_t h = mix(place + 1);
  for (std::size_t i = 0; i < bytes.size(); i += kWordBytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(kWordBytes, bytes.size() - i));
    h = mix(h ^ word);
  }
  return h;
}

std::uint64_t WriteDigest::hash_word(std::uint64_t address, unsigned mask, std::uint64_t value) {
  return mix(mix(mix(address) + mask) ^ value);
}

void WriteDigest::clear() {
  for (const Place& p : places_) seen_[static_cast<std::size_t>(p.buffer)][p.at] = false;
  places_.clear();
  words_.clear();
  sum_ = 0;
  writes_ = {};
}

}  // namespace vdla::trace
