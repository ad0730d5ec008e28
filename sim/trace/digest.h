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
#include "sim/trace/event.h"

namespace vdla::trace {

class WriteDigest {
 public:
  explicit WriteDigest(const isa::Geometry& geometry);
  /// Whether take_writes() has what is added from now on.
  void keep_writes(bool keeps) { keeps_ = keeps; }

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
      const std::span<const std::byte> bytes = row(buffer, at / rows_[b], at % rows_[b]);
      sum_ += hash(static_cast<std::uint64_t>(b) << 32 | at, bytes);
      if (keeps_) keep(buffer, at, bytes);
      seen_[b][at] = false;
    }
    places_.clear();
  }
  /// Adds the words noted so far and forgets them; `word(address)` gives their value.
  template <class Word>
  void add_words(Word&& word) {
    join_words();
    for (const auto& [address, mask] : words_) {
      const std::uint64_t value = word(address) & bits_of(mask);
      sum_ += hash_word(address, mask, value);
      if (keeps_) writes_.words.push_back({address, mask, value});
    }
    words_.clear();
  }
  /// The digest; begins the next one.
  std::uint64_t take() { return std::exchange(sum_, 0); }
  /// Takes what was added since the last call.
  Writes take_writes() { return std::exchange(writes_, {}); }
  /// Forgets everything.
  void clear();

 private:
  static std::uint64_t mix(std::uint64_t v) {
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
    v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
    return v ^ (v >> 32);
  }
  static std::uint64_t hash(std::uint64_t place, std::span<const std::byte> bytes);
  /// Bits of the bytes of a word.
  static std::uint64_t bits_of(unsigned mask) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i)
      if ((mask >> i & 1u) != 0) bits |= 0xffull << (8 * i);
    return bits;
  }
  static std::uint64_t hash_word(std::uint64_t address, unsigned mask, std::uint64_t value);
  void join_words();
  void keep(isa::Buffer buffer, std::uint32_t at, std::span<const std::byte> bytes);

  struct Place {
    isa::Buffer buffer;
    std::uint32_t at;  ///< row of the whole buffer
  };
  std::array<unsigned, isa::kBuffers.size()> rows_{};
  std::array<std::vector<bool>, isa::kBuffers.size()> seen_;
  std::vector<Place> places_;
  std::vector<std::pair<std::uint64_t, unsigned>> words_;
  std::uint64_t sum_ = 0;
  bool keeps_ = false;
  Writes writes_;
};

}  // namespace vdla::trace
