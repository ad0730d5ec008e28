// SPDX-License-Identifier: Apache-2.0
// An engine as the card of XRT's emulation, without the emulation: calls as it sends them, and the file that
// it reads. tests/boards/xrt has the real other end.
#include "sim/host/xrt_device.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xclbin.h>

#include <cstring>
#include <fstream>

#include "kit/xrt_device.h"
#include "sim/host/xclbin.h"
#include "support/input_file.h"
#include "support/temporary.h"
#include "tests/compiler/user_error.h"

namespace vdla::sim {
namespace {

using testing::HasSubstr;

/// Registers that keep what is written.
class Registers final : public Engine {
 public:
  std::string_view name() const override { return "registers"; }
  const isa::Variant& variant() const override { return variant_; }
  std::uint32_t read_register(std::uint32_t offset) override { return values_[offset / 4]; }
  void write_register(std::uint32_t offset, std::uint32_t value) override { values_[offset / 4] = value; }
  std::uint64_t memory_base() const override { return 0; }
  std::uint64_t memory_size() const override { return 0; }
  void read_memory(std::uint64_t, std::span<std::byte>) override {}
  void write_memory(std::uint64_t, std::span<const std::byte>) override {}
  bool interrupt() const override { return false; }
  Stop run(std::uint64_t) override { return Stop::Interrupt; }
  std::vector<UnitState> unit_states() const override { return {}; }
  void set_trace(trace::Sink*) override {}

 private:
  isa::Variant variant_;
  std::array<std::uint32_t, 1024> values_{};
};

std::string fixed(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
/// Fields of a message.
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(unsigned field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

class XrtCard : public testing::Test {
 protected:
  XrtCard()
      : memory_(kSegmentBytes),
        attached_(registers_),
        device_(kit::xrt_libraries() / "libxrt_hwemu.so.2", {0x1000'0000, memory_}, attached_) {
    auto [ours, theirs] = make_stream();
    near_ = std::move(ours);
    connection_.emplace(std::move(theirs), "XRT's emulation");
  }

  void send(std::uint32_t call, const std::string& message) {
    const std::string frame = "\x09" + fixed(message.size(), 8) + "\x15" + fixed(call, 4) + message;
    EXPECT_EQ(::send(near_.get(), frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
  }
  /// What the card answers, behind the header of 9 bytes.
  std::string answer(std::uint32_t call, const std::string& message) {
    send(call, message);
    EXPECT_TRUE(device_.serve(*connection_));
    std::string text(65536, '\0');
    const ssize_t got = recv(near_.get(), text.data(), text.size(), 0);
    text.resize(got < 9 ? 0 : static_cast<std::size_t>(got));
    EXPECT_EQ(text.substr(0, 9), "\x09" + fixed(text.size() - 9, 8));
    return text.substr(9);
  }
  std::string refusal(std::uint32_t call, const std::string& message) {
    send(call, message);
    return user_error([&] { device_.serve(*connection_); });
  }

  static constexpr std::uint32_t kCopyIn = 6, kCopyOut = 7, kWrite = 9, kRead = 11;

  const std::string kHandle = bytes(2, "");  // of the card, in copies

  std::vector<std::byte> memory_;
  Registers registers_;
  AttachedEngine attached_;
  XrtDevice device_;
  Descriptor near_;
  std::optional<Connection> connection_;
};

TEST_F(XrtCard, HasRegistersAndMemory) {
  EXPECT_FALSE(device_.serve(*connection_)) << "nothing was sent";
  const std::string data = fixed(0x12345678, 4);
  EXPECT_EQ(answer(kWrite, number(2, 0x180'0010) + number(3, 4) + bytes(4, data)), number(1, 1));
  EXPECT_EQ(answer(kRead, number(2, 0x180'0010) + number(3, 4)), number(1, 1) + bytes(2, data));
  EXPECT_EQ(attached_.counts().writes, 1u);
  EXPECT_EQ(attached_.counts().reads, 1u);

  EXPECT_EQ(answer(kCopyIn, kHandle + number(3, 0x1000'0000) + bytes(4, "abc") + number(5, 3) + number(6, 8))
                .substr(0, 2),
            number(1, 3));
  EXPECT_EQ(std::memcmp(memory_.data() + 8, "abc", 3), 0);
  EXPECT_EQ(answer(kCopyOut, kHandle + bytes(3, "") + number(4, 0x1000'0000) + number(5, 2) + number(6, 9)),
            number(1, 2) + bytes(2, "bc"));
  answer(1, "");  // the card is closed
}

TEST_F(XrtCard, NamesCallsThatAreNone) {
  EXPECT_THAT(refusal(28, ""), HasSubstr("makes call 28, which a card with one kernel has not"));
}
TEST_F(XrtCard, NamesMessagesThatAreNone) {
  EXPECT_THAT(refusal(kCopyOut, kHandle), HasSubstr("sent what is no xclCopyBufferDevice2Host_call"));
}
TEST_F(XrtCard, NamesAccessesOutsideOfTheRegisters) {
  EXPECT_THAT(refusal(kRead, number(2, 0x180'0ffe) + number(3, 4)),
              HasSubstr("4 bytes at 0x1800ffe, needs whole registers"));
}
TEST_F(XrtCard, NamesAccessesBehindTheRegisters) {
  EXPECT_THAT(refusal(kRead, number(2, 0x180'1000) + number(3, 4)), HasSubstr("4 bytes at 0x1801000"));
}
TEST_F(XrtCard, NamesCopiesOutsideOfTheMemory) {
  EXPECT_THAT(
      refusal(kCopyOut, kHandle + bytes(3, "") + number(4, 0x1000'0000) + number(5, 4097) + number(6, 0)),
      HasSubstr("4097 bytes at 0x10000000, needs memory of the card"));
}
TEST_F(XrtCard, NamesALibraryWithoutMessages) {
  EXPECT_THAT(
      user_error([&] { XrtDevice(kit::xrt_libraries() / "libxrt_core.so.2", {0, memory_}, attached_); }),
      HasSubstr("describes no messages of XRT's emulation"));
}
/// As another XRT's may be: the size of an answer is a text there.
TEST_F(XrtCard, NamesFieldsOfAnotherType) {
  const auto library = read_input(kit::xrt_libraries() / "libxrt_hwemu.so.2");
  std::string other(reinterpret_cast<const char*>(library.data()), library.size());
  constexpr char kTypeTag = '\x28', kText = 9;
  const std::size_t message = other.find("\x14response_packet_info"),
                    type = other.find(kTypeTag, other.find("\x04size", message));
  ASSERT_LT(type, other.size());
  other[type + 1] = kText;
  const Temporary file(std::filesystem::temp_directory_path(), Temporary::Kind::File, "a library");
  std::ofstream(file.path(), std::ios::binary) << other;
  XrtDevice device(file.path(), {0, memory_}, attached_);
  send(kRead, number(2, 0x180'0010) + number(3, 4));
  EXPECT_THAT(
      user_error([&] { device.serve(*connection_); }),
      HasSubstr("response_packet_info has another type of field size, needs the messages of XRT 2.13"));
}

TEST(Xclbin, HasItsSectionsWhereItsHeadersSay) {
  const XclbinFacts facts{"vdla_axi", 0x180'0000, 4096, "DDR[0]", 0x1000'0000, 1 << 20, "archive"};
  const std::string file = make_xclbin(facts);
  axlf top{};
  std::memcpy(&top, file.data(), sizeof top);
  EXPECT_STREQ(top.m_magic, "xclbin2");
  EXPECT_EQ(top.m_header.m_length, file.size());
  ASSERT_EQ(top.m_header.m_numSections, 5u);
  const axlf_section_header& first = top.m_sections[0];
  EXPECT_EQ(first.m_sectionKind, BITSTREAM);
  EXPECT_EQ(file.substr(first.m_sectionOffset, first.m_sectionSize), "archive");
  XclbinFacts odd = facts;
  odd.bank = "a bank with a long name";
  EXPECT_THAT(user_error([&] { make_xclbin(odd); }),
              HasSubstr("has 23 characters, an xclbin has room for 15"));
}

}  // namespace
}  // namespace vdla::sim
