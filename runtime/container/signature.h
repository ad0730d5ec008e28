// SPDX-License-Identifier: Apache-2.0
// SHA-256 and Ed25519 as modules use them: what a file holds, and who vouches for it. Nothing else of the kit
// calls libsodium.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace vdla::runtime {

/// A SHA-256.
using Digest = std::array<std::byte, 32>;
/// 64 lower-case hexadecimal digits.
std::string to_string(const Digest& digest);

/// SHA-256 of parts, one after the other.
class Hash {
 public:
  Hash();
  Hash(Hash&&) noexcept;
  ~Hash();
  Hash& add(std::span<const std::byte> part);
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of a file's bytes. UserError when it cannot be read.
Digest hash_of_file(const std::filesystem::path& path);

using PublicKey = std::array<std::byte, 32>;
/// As key files have it.
std::string base64_of(const PublicKey& key);

/// Key that signs; wiped from memory at the end.
class SecretKey {
 public:
  static constexpr std::size_t kBytes = 64;

  explicit SecretKey(std::span<const std::byte, kBytes> bytes);
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  SecretKey(SecretKey&& other) noexcept;
  ~SecretKey();

  std::span<const std::byte, kBytes> bytes() const { return bytes_; }
  PublicKey public_key() const;

 private:
  std::array<std::byte, kBytes> bytes_{};
};

/// A new pair from the system's random numbers.
SecretKey make_key();

/// Signature of a module's hash.
struct Signature {
  PublicKey key{};
  std::array<std::byte, 64> value{};
  bool operator==(const Signature&) const = default;
};

Signature sign(const Digest& digest, const SecretKey& key);
/// Whether the owner of signature.key signed this digest.
bool fits(const Signature& signature, const Digest& digest);

/// Key files are two lines of text: what it is, and the key in base64. UserError names the file when it is
/// none, or a secret key where a public one is wanted and the other way round.
std::string to_text(const PublicKey& key);
std::string to_text(const SecretKey& key);
PublicKey read_public_key(const std::filesystem::path& path);
SecretKey read_secret_key(const std::filesystem::path& path);

}  // namespace vdla::runtime
