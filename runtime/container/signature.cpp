// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/signature.h"

#include <sodium.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/error.h"
#include "support/path.h"

namespace vdla::runtime {
namespace {

static_assert(sizeof(Digest) == crypto_hash_sha256_BYTES);
static_assert(sizeof(PublicKey) == crypto_sign_PUBLICKEYBYTES);
static_assert(SecretKey::kBytes == crypto_sign_SECRETKEYBYTES);
static_assert(sizeof(Signature::value) == crypto_sign_BYTES);

constexpr std::string_view kPublicLine = "vdla public key", kSecretLine = "vdla secret key";
/// Prefix of the digest, so that a signature is a statement about a module and nothing else.
constexpr std::string_view kContext = "VDLA-MODULE-SIG1";

void start_sodium() { VDLA_CHECK(sodium_init() >= 0) << "libsodium cannot start"; }

template <class T>
auto* u8(T* bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
  return reinterpret_cast<Byte*>(bytes);
}

std::vector<std::byte> statement(const Digest& digest) {
  std::vector<std::byte> text(kContext.size() + digest.size());
  std::memcpy(text.data(), kContext.data(), kContext.size());
  std::ranges::copy(digest, text.begin() + static_cast<std::ptrdiff_t>(kContext.size()));
  return text;
}

std::string base64(std::span<const std::byte> bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), u8(bytes.data()), bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminator
  return text;
}

std::string last_error() { return std::generic_category().message(errno); }

std::string text_of(std::string_view first_line, std::span<const std::byte> key) {
  return fmt::format("{}\n{}\n", first_line, base64(key));
}

/// The key in a file whose first line is `first_line`.
template <std::size_t N>
std::array<std::byte, N> read_key(const std::filesystem::path& path, std::string_view first_line) {
  errno = 0;
  std::ifstream in(path);
  VDLA_CHECK_USER(in && !is_folder(path))
      << "cannot read key '" << path.string() << "': " << (errno != 0 ? last_error() : "it is no file");
  std::string kind(64, '\0'), line(256, '\0');
  in.getline(kind.data(), static_cast<std::streamsize>(kind.size()));
  kind.resize(std::strlen(kind.c_str()));
  VDLA_CHECK_USER(kind == kPublicLine || kind == kSecretLine)
      << "'" << path.string() << "' is no key; vdla keygen makes a pair of NAME.key and NAME.pub";
  VDLA_CHECK_USER(kind == first_line)
      << "'" << path.string() << "' is a " << kind.substr(5) << ", needs a " << first_line.substr(5)
      << ": NAME." << (first_line == kPublicLine ? "pub" : "key") << " of vdla keygen";
  in.getline(line.data(), static_cast<std::streamsize>(line.size()));
  std::array<std::byte, N> key{};
  std::size_t size = 0;
  const bool good = sodium_base642bin(u8(key.data()), N, line.data(), std::strlen(line.c_str()), " \r\n",
                                      &size, nullptr, sodium_base64_VARIANT_ORIGINAL) == 0;
  sodium_memzero(line.data(), line.size());
  VDLA_CHECK_USER(good && size == N) << "key '" << path.string()
                                     << "' is damaged: its second line is not the base64 of " << N
                                     << " bytes";
  return key;
}

}  // namespace

std::string to_string(const Digest& digest) {
  std::string text;
  for (const std::byte b : digest) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

struct Hash::State {
  crypto_hash_sha256_state sha;
};

Hash::Hash() : state_(std::make_unique<State>()) { crypto_hash_sha256_init(&state_->sha); }
Hash::Hash(Hash&&) noexcept = default;
Hash::~Hash() = default;

Hash& Hash::add(std::span<const std::byte> part) {
  crypto_hash_sha256_update(&state_->sha, u8(part.data()), part.size());
  return *this;
}

Digest Hash::finish() {
  Digest digest;
  crypto_hash_sha256_final(&state_->sha, u8(digest.data()));
  return digest;
}

Digest hash_of_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  Hash hash;
  std::vector<std::byte> part(1 << 16);
  while (in) {
    in.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    hash.add(std::span(part).first(static_cast<std::size_t>(in.gcount())));
  }
  VDLA_CHECK_USER(in.eof()) << "cannot read '" << path.string() << "': " << last_error();
  return hash.finish();
}

std::string base64_of(const PublicKey& key) { return base64(key); }

SecretKey::SecretKey(std::span<const std::byte, kBytes> bytes) { std::ranges::copy(bytes, bytes_.begin()); }
SecretKey::SecretKey(SecretKey&& other) noexcept : bytes_(other.bytes_) {
  sodium_memzero(other.bytes_.data(), kBytes);
}
SecretKey::~SecretKey() { sodium_memzero(bytes_.data(), kBytes); }

PublicKey SecretKey::public_key() const {
  PublicKey key;
  crypto_sign_ed25519_sk_to_pk(u8(key.data()), u8(bytes_.data()));
  return key;
}

SecretKey make_key() {
  start_sodium();
  PublicKey key;
  std::array<std::byte, SecretKey::kBytes> secret;
  crypto_sign_keypair(u8(key.data()), u8(secret.data()));
  SecretKey made(secret);
  sodium_memzero(secret.data(), secret.size());
  return made;
}

Signature sign(const Digest& digest, const SecretKey& key) {
  start_sodium();
  const std::vector<std::byte> text = statement(digest);
  Signature signature{.key = key.public_key(), .value = {}};
  crypto_sign_detached(u8(signature.value.data()), nullptr, u8(text.data()), text.size(),
                       u8(key.bytes().data()));
  return signature;
}

bool fits(const Signature& signature, const Digest& digest) {
  const std::vector<std::byte> text = statement(digest);
  return crypto_sign_verify_detached(u8(signature.value.data()), u8(text.data()), text.size(),
                                     u8(signature.key.data())) == 0;
}

std::string to_text(const PublicKey& key) { return text_of(kPublicLine, key); }
std::string to_text(const SecretKey& key) { return text_of(kSecretLine, key.bytes()); }

PublicKey read_public_key(const std::filesystem::path& path) {
  return read_key<std::tuple_size_v<PublicKey>>(path, kPublicLine);
}

SecretKey read_secret_key(const std::filesystem::path& path) {
  auto bytes = read_key<SecretKey::kBytes>(path, kSecretLine);
  SecretKey key(bytes);
  sodium_memzero(bytes.data(), bytes.size());
  // The second half is the public key: a damaged file would sign what no key can check.
  std::array<std::byte, SecretKey::kBytes> again;
  PublicKey public_key;
  crypto_sign_seed_keypair(u8(public_key.data()), u8(again.data()), u8(key.bytes().data()));
  const bool whole = sodium_memcmp(again.data(), key.bytes().data(), again.size()) == 0;
  sodium_memzero(again.data(), again.size());
  VDLA_CHECK_USER(whole) << "key '" << path.string()
                         << "' is damaged: its halves do not fit; make a new pair with vdla keygen";
  return key;
}

}  // namespace vdla::runtime
