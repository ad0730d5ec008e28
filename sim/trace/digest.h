// SPDX-License-Identifier: Apache-2.0
// The digest of what one instruction wrote, the same on every engine: the sum, over all rows of SRAM entries
// and all words of memory that it wrote, of a hash of place and contents at its end. An engine notes places
// in any order and as often as it likes; it must take the digest before anything else writes there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::trace {

class WriteDigest {
 public:
  explicit WriteDigest(const isa::Geometry& geometry);

  void note_row(isa::Buffer buffer, unsigned entry, unsigned row) {
    const std::size_t b = static_cast<std::size_t>(buffer);
    const std::uint32_t at = entry * rows_[b] + row;
    if (at >= seen_[b].size() || seen_[b][at]) return;
    seen_[b][at] = true;
    places_.push_back({buffer, at});
  }
  void note_entry(isa::Buffer buffer, unsigned entry) {
    for (unsigned r = 0; r < rows_[static_cast<std::size_t>(buffer)]; ++r) note_row(buffer, entry, r);
  }
  /// Bytes of the 8-byte word at `address`, a multiple of 8.
  void note_word(std::uint64_t address, unsigned byte_mask) { words_.push_back({address, byte_mask}); }
  void note_bytes(std::uint64_t address, std::uint64_t count);

  /// Adds the rows noted so far and forgets them; `row(buffer, entry, row)` gives a span of their bytes.
  template <class Row>
  void add_rows(Row&& row) {
    for (const auto& [buffer, at] : places_) {
      const std::size_t b = static_cast<std::size_t>(buffer);
      sum_ += hash(static_cast<std::uint64_t>(b) << 32 | at, row(buffer, at / rows_[b], at % rows_[b]));
      seen_[b][at] = false;
    }
    places_.clear();
  }
  /// Adds the words noted so far and forgets them; `word(address)` gives their value.
  template <class Word>
  void add_words(Word&& word) {
    join_words();
    for (const auto& [address, mask] : words_) sum_ += hash_word(address, mask, word(address));
    words_.clear();
  }
  /// The digest; begins the next one.
  std::uint64_t take() { return std::exchange(sum_, 0); }
  /// Forgets everything.
  void clear();

 private:
  static std::uint64_t mix(std::uint64_t v) {
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
    return v ^ (v >> 32);
  }
  static std::uint64_t hash(std::uint64_t place, std::span<const std::byte> bytes);
  static std::uint64_t hash_word(std::uint64_t address, unsigned mask, std::uint64_t value);
  void join_words();

  struct Place {
    isa::Buffer buffer;
    std::uint32_t at;  ///< row of the whole buffer
  };
  std::array<unsigned, isa::kBuffers.size()> rows_{};
  std::array<std::vector<bool>, isa::kBuffers.size()> seen_;
  std::vector<Place> places_;
  std::vector<std::pair<std::uint64_t, unsigned>> words_;
  std::uint64_t sum_ = 0;
};

}  // namespace vdla::trace
