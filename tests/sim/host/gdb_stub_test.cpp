// SPDX-License-Identifier: Apache-2.0
// The client of QEMU's gdb stub and of its qtest line, against a peer that plays QEMU from a script.
#include "sim/host/gdb_stub.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <numeric>
#include <thread>

#include "sim/host/qtest_line.h"
#include "tests/compiler/user_error.h"

namespace vdla::sim {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::string packet_of(const std::string& text) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto sum = static_cast<unsigned char>(std::accumulate(text.begin(), text.end(), 0));
  return "$" + text + "#" + kDigits[sum >> 4] + kDigits[sum & 15];
}

/// The other end: what has to arrive, byte for byte, and what is sent behind it.
class Peer {
 public:
  struct Turn {
    std::string expected, answer;
  };

  Peer(Descriptor end, std::vector<Turn> turns)
      : end_(std::move(end)), thread_([this, turns = std::move(turns)] { play(turns); }) {}
  ~Peer() {
    thread_.join();
    EXPECT_EQ(problem_, "");
  }

 private:
  void play(const std::vector<Turn>& turns) {
    for (const Turn& turn : turns) {
      std::string seen(turn.expected.size(), '\0');
      const ssize_t bytes =
          turn.expected.empty() ? 0 : recv(end_.get(), seen.data(), seen.size(), MSG_WAITALL);
      if (bytes != static_cast<ssize_t>(seen.size()) || seen != turn.expected) {
        problem_ = "needs '" + turn.expected + "', got '" + seen + "'";
        break;
      }
      // In two pieces, as streams may come.
      const std::size_t half = turn.answer.size() / 2;
      send(end_.get(), turn.answer.data(), half, MSG_NOSIGNAL);
      send(end_.get(), turn.answer.data() + half, turn.answer.size() - half, MSG_NOSIGNAL);
    }
    end_.close();
  }

  Descriptor end_;
  std::string problem_;
  std::thread thread_;
};

const std::vector<Peer::Turn> kGreeting = {
    {packet_of("qSupported:multiprocess+"), "+" + packet_of("PacketSize=1000")},
    {packet_of("qXfer:features:read:target.xml:0,ffb"), "+" + packet_of("l<target/>")}};

/// A stub behind the greeting, and the peer.
struct Scene {
  explicit Scene(std::vector<Peer::Turn> turns) {
    auto [mine, theirs] = make_stream();
    turns.insert(turns.begin(), kGreeting.begin(), kGreeting.end());
    peer.emplace(std::move(theirs), std::move(turns));
    stub.emplace(Connection(std::move(mine), "the stub"));
  }
  std::optional<Peer> peer;
  std::optional<GdbStub> stub;
};

TEST(GdbStub, StopsBeforeAnAccessAndGoesOnBehindIt) {
  const std::string registers = "0500000000003ca000000000" + std::string(8, '1');
  Scene scene({{packet_of("Z4,43c00000,1000"), "+" + packet_of("OK")},
               {packet_of("c"), "+" + packet_of("T05thread:p01.02;awatch:43c00000;")},
               {packet_of("Hgp01.02"), "+" + packet_of("OK")},
               {packet_of("g"), "+" + packet_of(registers)},
               {packet_of("m1000,4"), "+" + packet_of("78563412")},
               // Registers go out together with what follows: one byte more would stop the processor again.
               {packet_of("P2=ffeeddcc") + packet_of("Pf=04100000") + packet_of("c"),
                "+" + packet_of("OK") + "+" + packet_of("OK") + "+" +
                    packet_of("T05thread:p01.02;awatch:43c00000;")}});
  scene.stub->watch(0x43c00000, 0x1000);
  scene.stub->go();
  auto halt = scene.stub->stopped(milliseconds(5000));
  ASSERT_TRUE(halt);
  EXPECT_EQ(halt->why, GdbStub::Halt::Why::Access);
  EXPECT_THAT(scene.stub->read_registers(3, 4), testing::ElementsAre(5, 0xa03c0000, 0));
  EXPECT_EQ(scene.stub->read_word(0x1000), 0x12345678u);
  scene.stub->write_register(2, 0xccddeeff, 4);
  scene.stub->write_register(15, 0x1004, 4);
  scene.stub->go();
  halt = scene.stub->stopped(milliseconds(5000));
  ASSERT_TRUE(halt);
  EXPECT_EQ(halt->why, GdbStub::Halt::Why::Access);
}

TEST(GdbStub, ReadsRegistersOf64Bits) {
  Scene scene({{packet_of("g"), "+" + packet_of("efcdab8967452301ffffffffffffffff")}});
  EXPECT_THAT(scene.stub->read_registers(2, 8), testing::ElementsAre(0x0123456789abcdefull, ~0ull));
}

TEST(GdbStub, InterruptsAndSeesTheEnd) {
  Scene scene({{packet_of("c"), ""},
               {"+\x03", packet_of("T02thread:p01.01;")},
               {packet_of("Hgp01.01"), "+" + packet_of("OK")},
               {packet_of("s"), "+" + packet_of("T05thread:p01.01;")},
               {packet_of("c"), "+" + packet_of("W2a")}});
  scene.stub->go();
  EXPECT_FALSE(scene.stub->stopped(milliseconds(1)));
  scene.stub->interrupt();
  auto halt = scene.stub->stopped(milliseconds(5000));
  ASSERT_TRUE(halt);
  EXPECT_EQ(halt->why, GdbStub::Halt::Why::Interrupted);
  scene.stub->step();
  halt = scene.stub->stopped(milliseconds(5000));
  ASSERT_TRUE(halt);
  EXPECT_EQ(halt->why, GdbStub::Halt::Why::Stepped);
  scene.stub->go();
  halt = scene.stub->stopped(milliseconds(5000));
  ASSERT_TRUE(halt);
  EXPECT_EQ(halt->why, GdbStub::Halt::Why::Exited);
  EXPECT_EQ(halt->status, 42u);
}

TEST(GdbStub, NamesAnswersThatAreNone) {
  {
    Scene scene({{packet_of("Z4,0,4"), "+" + packet_of("E22")}});
    EXPECT_EQ(user_error([&] { scene.stub->watch(0, 4); }), "the stub answers 'E22' to 'Z4,0,4', needs OK");
  }
  {
    Scene scene({{packet_of("g"), "+" + packet_of("0102")}});
    EXPECT_THAT(user_error([&] { scene.stub->read_registers(4, 4); }),
                HasSubstr("answers '0102' to 'g', needs 16 bytes"));
  }
  {
    Scene scene({{packet_of("m0,4"), "$00000000#00"}});
    EXPECT_THAT(user_error([&] { scene.stub->read_word(0); }), HasSubstr("checksum 00, needs 80"));
  }
  {
    Scene scene(
        {{packet_of("P1=00000000") + packet_of("g"), "+" + packet_of("E01") + packet_of("00000000")}});
    scene.stub->write_register(1, 0, 4);
    EXPECT_THAT(user_error([&] { scene.stub->read_registers(1, 4); }),
                HasSubstr("'E01' to 'P1=00000000', needs OK"));
  }
  {
    Scene scene({{packet_of("c"), packet_of("O41")}});
    scene.stub->go();
    EXPECT_THAT(user_error([&] { scene.stub->stopped(milliseconds(5000)); }),
                HasSubstr("sent 'O41', needs a reason"));
  }
  Scene scene({});
  EXPECT_THAT(user_error([&] { scene.stub->read_word(0); }), HasSubstr("the stub has closed its connection"));
}

TEST(QtestLine, SetsALevelOnceAndNamesWhatQemuHasNot) {
  auto [mine, theirs] = make_stream();
  const Peer peer(std::move(theirs),
                  {{"set_irq_in /machine/soc/gic unnamed-gpio-in 89 1\n", "OK\n"},
                   {"set_irq_in /machine/soc/gic unnamed-gpio-in 89 0\n", "FAIL Unknown device\n"}});
  QtestLine line(Connection(std::move(mine), "qtest"), "/machine/soc/gic", 89);
  line.set(true);
  line.set(true);
  EXPECT_TRUE(line.high());
  EXPECT_THAT(user_error([&] { line.set(false); }),
              HasSubstr("qtest has no interrupt input 89 of /machine/soc/gic: FAIL Unknown device; "));
}

}  // namespace
}  // namespace vdla::sim
