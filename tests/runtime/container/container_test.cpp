// SPDX-License-Identifier: Apache-2.0
// The container of .vdla files: what it keeps, and that nothing in it can change unnoticed.
#include "runtime/container/container.h"

#include <gmock/gmock.h>

#include <random>

#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "support/error.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

void expect_refused(const Bytes& file, const std::string& message) {
  EXPECT_THAT([&] { unpack(file, "m"); }, ThrowsMessage<UserError>(StrEq(message)));
}

/// The same file with a hash that fits: what a fault meets that is not one of transport.
Bytes rehashed(Bytes file) {
  const std::size_t signature = file.size() - 104;
  const std::span<const std::byte> all = file;
  const Digest digest = Hash().add(all.first(16)).add(all.subspan(48, signature - 48)).finish();
  std::ranges::copy(digest, file.begin() + 16);
  return file;
}

constexpr std::size_t kFirstEntry = kHeaderBytes;

std::vector<Section> two_sections() {
  return {{"payload", true, int8s({1, 2, 3})}, {"x-notes", false, Bytes(100, std::byte{7})}};
}

TEST(Container, KeepsSectionsByteForByte) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Section> sections;
    for (unsigned i = 0, count = random() % 6; i < count; ++i) {
      Section s{"s-" + std::to_string(i), random() % 2 == 0, Bytes(random() % 200)};
      for (std::byte& b : s.bytes) b = static_cast<std::byte>(random());
      sections.push_back(std::move(s));
    }
    const Bytes file = pack(sections);
    const Container c = unpack(file, "m");
    ASSERT_EQ(c.sections.size(), sections.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const SectionView& v = c.sections[i];
      EXPECT_EQ((Section{v.name, v.required, {v.bytes.begin(), v.bytes.end()}}), sections[i]);
      EXPECT_EQ(v.offset % kSectionAlignment, 0u);
    }
    EXPECT_FALSE(c.signature);
    EXPECT_EQ(pack(sections), file);
  }
}

TEST(Container, TheHashIsTheDocumentedOne) {
  // sha256sum of the file's first 16 bytes and of what stands between the hash and the signature.
  const Bytes file = pack(two_sections());
  EXPECT_EQ(rehashed(file), file);
  EXPECT_EQ(to_string(Hash().add(int8s({'a', 'b', 'c'})).finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2
}

TEST(Container, EveryChangedByteOfHeaderTableAndSectionsIsNoticed) {
  Bytes file = pack(two_sections());
  set_signature(file, sign(unpack(file, "m").digest, make_key()));
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int mask : {1, 0x80, 0xff}) {
      Bytes corrupt = file;
      corrupt[at] ^= static_cast<std::byte>(mask);
      EXPECT_THROW(unpack(corrupt, "m"), UserError) << "byte " << at;
    }
  }
}

/// With a hash that fits: only bytes that may be anything pass, and those are contents.
TEST(Container, EveryChangedByteOfHeaderAndTableWithAGoodHashIsReadOrRefused) {
  const Bytes file = pack(two_sections());
  for (std::size_t at = 0; at < kFirstEntry + 3 * kTableEntryBytes; ++at) {
    for (int value = 0; value < 256; ++value) {
      Bytes changed = file;
      changed[at] = static_cast<std::byte>(value);
      try {
        const Container c = unpack(rehashed(changed), "m");
        for (const SectionView& s : c.sections) EXPECT_LE(s.offset + s.bytes.size(), file.size());
      } catch (const UserError&) {
      }
    }
  }
}

TEST(Container, EveryTruncationIsNoticed) {
  const Bytes file = pack(two_sections());
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THROW(unpack(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)), "m"),
                 UserError);
  expect_refused(Bytes(file.begin(), file.begin() + 20),
                 "'m' is truncated: 20 bytes, the header alone needs 48");
  expect_refused(Bytes(file.begin(), file.begin() + 100),
                 "'m' is truncated: 100 bytes, header and table alone need 192");
  expect_refused(Bytes(file.begin(), file.end() - 1), "'m' is truncated: " + std::to_string(file.size() - 1) +
                                                          " bytes of its " + std::to_string(file.size()) +
                                                          " are there");
}

TEST(Container, BytesBehindItsEnd) {
  Bytes file = pack(two_sections());
  file.push_back(std::byte{0});
  expect_refused(file, "'m' is corrupt: 1 bytes stand behind its end; copy or compile it again");
}

TEST(Container, AWrongHash) {
  Bytes file = pack(two_sections());
  file[kFirstEntry + 3 * kTableEntryBytes] ^= std::byte{1};  // of the payload
  expect_refused(file, "'m' is corrupt: its SHA-256 does not fit its contents; copy or compile it again");
}

TEST(Container, AnotherVersion) {
  for (const int version : {0, 1, 3}) {
    Bytes file = pack(two_sections());
    file[8] = static_cast<std::byte>(version);
    expect_refused(file, "'m' has module format version " + std::to_string(version) +
                             ", this kit reads version 2; compile the model again");
  }
}

TEST(Container, TablesThatMakeNoSense) {
  const Bytes good = pack(two_sections());
  const auto refuse = [&](std::size_t at, std::initializer_list<int> values, const std::string& why) {
    Bytes file = good;
    for (const int v : values) file[at++] = static_cast<std::byte>(v);
    expect_refused(rehashed(file), "'m' is corrupt: " + why + "; copy or compile it again");
  };
  const std::size_t second = kFirstEntry + kTableEntryBytes;
  refuse(12, {0}, "its table claims 0 sections");
  refuse(12, {1, 2}, "its table claims 513 sections");
  refuse(kFirstEntry, {0}, "section 0 has no proper name");
  refuse(kFirstEntry, {'P'}, "section 0 has no proper name");
  refuse(kFirstEntry + 20, {'x'}, "section 0 has no proper name");  // behind its end
  refuse(second, {'p', 'a', 'y', 'l', 'o', 'a', 'd'}, "it has two sections 'payload'");
  const std::string payload = "the table's entry of section 'payload' makes no sense";
  refuse(kFirstEntry + 24, {2}, payload);                                               // an unknown flag
  refuse(kFirstEntry + 28, {1}, payload);                                               // reserved
  refuse(kFirstEntry + 32, {0}, payload);                                               // into the table
  refuse(kFirstEntry + 47, {0xff}, payload);                                            // 2^63 bytes
  refuse(second + 32, {192}, "the table's entry of section 'x-notes' makes no sense");  // over the payload
  refuse(second + kTableEntryBytes, {'t'}, "its last section is not the place of a signature");
}

TEST(Signature, Good) {
  const SecretKey key = make_key();
  Bytes file = pack(two_sections());
  const Digest digest = unpack(file, "m").digest;
  set_signature(file, sign(digest, key));
  const Container c = unpack(file, "m");
  ASSERT_TRUE(c.signature);
  EXPECT_EQ(c.signature->key, key.public_key());
  EXPECT_EQ(c.digest, digest);  // signing changes nothing else
  EXPECT_NO_THROW(require_signature(c, key.public_key(), "m"));
  set_signature(file, std::nullopt);
  EXPECT_EQ(file, pack(two_sections()));
}

TEST(Signature, Missing) {
  const PublicKey key = make_key().public_key();
  const Bytes file = pack(two_sections());
  EXPECT_THAT(
      [&] { require_signature(unpack(file, "m"), key, "m"); },
      ThrowsMessage<UserError>(StrEq("'m' is not signed, and a signature of key " + base64_of(key) +
                                     " is asked for; sign it with 'vdla sign', or leave out --trust")));
}

TEST(Signature, OfAnotherKey) {
  const SecretKey mine = make_key(), other = make_key();
  Bytes file = pack(two_sections());
  set_signature(file, sign(unpack(file, "m").digest, other));
  EXPECT_THAT([&] { require_signature(unpack(file, "m"), mine.public_key(), "m"); },
              ThrowsMessage<UserError>(StrEq("'m' is signed with key " + base64_of(other.public_key()) +
                                             ", not with the trusted key " + base64_of(mine.public_key()))));
}

TEST(Signature, OfAnotherModule) {
  const SecretKey key = make_key();
  Bytes file = pack(two_sections()), other = pack({});
  set_signature(file, sign(unpack(other, "m").digest, key));
  expect_refused(file, "'m' is corrupt: its signature does not fit its contents; copy or compile it again");
}

/// The key of somebody whom one trusts, in front of a value that is not his.
TEST(Signature, WithTheKeyReplaced) {
  const SecretKey mine = make_key(), other = make_key();
  Bytes file = pack(two_sections());
  Signature forged = sign(unpack(file, "m").digest, other);
  forged.key = mine.public_key();
  set_signature(file, forged);
  expect_refused(file, "'m' is corrupt: its signature does not fit its contents; copy or compile it again");
}

TEST(Sections, UnknownOptionalOnesAreKept) {
  Module m = two_host_steps();
  std::vector<Section> sections = to_sections(m);
  sections.push_back({"x-zebra", false, int8s({3, 1, 4})});
  sections.insert(sections.begin(), {"x-apple", false, {}});
  const Bytes file = pack(sections);
  const Module read = parse(file, "m");
  EXPECT_THAT(read.other_sections, ::testing::ElementsAre(Section{"x-apple", false, {}},
                                                          Section{"x-zebra", false, int8s({3, 1, 4})}));
  const Bytes again = serialize(read);
  EXPECT_EQ(parse(again, "m").other_sections, read.other_sections);
  EXPECT_EQ(serialize(parse(again, "m")), again);
}

TEST(Sections, UnknownRequiredOnesAreRefused) {
  std::vector<Section> sections = to_sections(two_host_steps());
  sections.push_back({"quantum-code", true, int8s({1})});
  EXPECT_THAT(
      [&] { parse(pack(sections), "m"); },
      ThrowsMessage<UserError>(StrEq("'m' needs section 'quantum-code', which this kit does not know; use a "
                                     "newer kit, or compile the model again")));
}

TEST(Sections, WithoutThePayload) {
  EXPECT_THAT([&] { parse(pack({}), "m"); },
              ThrowsMessage<UserError>(StrEq("'m' is corrupt: it has no section 'payload'")));
}

TEST(Sections, ContentsThatCannotBeRead) {
  const std::vector<Section> good = to_sections(two_host_steps());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<Section> sections = good;
    sections[i].bytes = Bytes(sections[i].bytes.size() / 2, std::byte{0x5a});
    EXPECT_THAT([&] { parse(pack(sections), "m"); }, ThrowsMessage<UserError>(StartsWith("'m' is corrupt: ")))
        << sections[i].name;
  }
}

TEST(Sections, ProvenanceIsOptional) {
  Module m = two_host_steps();
  m.provenance = {};
  EXPECT_EQ(to_sections(m).size(), 1u);
  EXPECT_EQ(parse(serialize(m), "m").provenance, Provenance{});
}

/// Contents lie at multiples of 64 in the file; where the caller put the file is another matter.
TEST(Sections, AFileAtAnyAddress) {
  const Bytes file = serialize(two_host_steps());
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Bytes moved(shift);
    moved.insert(moved.end(), file.begin(), file.end());
    EXPECT_EQ(parse(std::span(moved).subspan(shift), "m").tensors, two_host_steps().tensors);
  }
}

TEST(Trust, IsLookedAtBeforeAnySection) {
  std::vector<Section> sections = to_sections(two_host_steps());
  sections[0].bytes = int8s({1, 2, 3});
  EXPECT_THAT([&] { parse(pack(sections), "m", {.trusted = make_key().public_key()}); },
              ThrowsMessage<UserError>(HasSubstr("is not signed")));
}

}  // namespace
}  // namespace vdla::runtime
