// SPDX-License-Identifier: Apache-2.0
// Desk and server over a real connection: certificates, cuts, deadlines, cancellation. Each refusal is a
// sentence, and the device is free afterwards.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>

#include "fake_board.h"
#include "tools/remote/host.h"
#include "tools/remote/library.h"

namespace vdla::remote {
namespace {

using testing::FakeBoard;
using ::testing::HasSubstr;
using testing::module_file;
using testing::sha256_of;
using testing::soon;

Library& library() { return load_library(VDLA_BINARY_DIR); }

/// A server on a free port.
struct Board : FakeBoard {
  explicit Board(const Certificates& certificates = {}, ServiceOptions options = {},
                 const CacheLimits& limits = {})
      : FakeBoard(std::move(options), limits) {
    std::string why;
    server = library().serve("127.0.0.1", 0, certificates, service, why);
    EXPECT_TRUE(server) << why;
  }
  std::unique_ptr<Client> desk(const Certificates& certificates = {}) {
    return library().connect("127.0.0.1", server->port(), certificates);
  }
  bool free() {
    return soon([&] { return service.describe().holder.empty(); }) && device.loaded == 0;
  }

  std::unique_ptr<Server> server;
};

/// A desk with a lease and a module on the board.
struct Desk {
  explicit Desk(unsigned port) : client(library().connect("127.0.0.1", port, {})) {
    const Status leased = client->lease({"ann@desk", 60}, grant, 5);
    EXPECT_TRUE(leased.ok()) << leased.text;
    const Status taken = client->upload({grant.token, sha256_of(file), file.size()}, file, 0);
    EXPECT_TRUE(taken.ok()) << taken.text;
  }
  RunRequest request(std::size_t input_bytes) const {
    return {grant.token, sha256_of(file), {}, {runtime::Bytes(input_bytes)}};
  }

  std::unique_ptr<Client> client;
  LeaseGrant grant;
  runtime::Bytes file = module_file();
};

/// Carries bytes between a desk and a server, until it is cut.
class Cable {
 public:
  Cable(unsigned server_port, std::size_t cut_after = SIZE_MAX)
      : server_port_(server_port), left_(cut_after) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any = address(0);
    socklen_t size = sizeof any;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size), 0);
    port = ntohs(any.sin_port);
    thread_ = std::thread([this] { carry(); });
  }
  ~Cable() {
    cut();
    thread_.join();
    close(listener_);
  }
  void cut() { is_cut = true; }

  unsigned port = 0;
  std::atomic<bool> is_cut = false;

 private:
  static sockaddr_in address(unsigned port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(static_cast<std::uint16_t>(port));
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return out;
  }
  static bool readable(int socket) {
    pollfd state{socket, POLLIN, 0};
    return poll(&state, 1, 10) > 0;
  }
  void carry() {
    while (!readable(listener_))
      if (is_cut) return;
    const int desk = accept(listener_, nullptr, nullptr),
              board = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in to = address(server_port_);
    EXPECT_EQ(connect(board, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    while (!is_cut && move(desk, board, true) && move(board, desk, false)) {
    }
    is_cut = true;
    close(desk);
    close(board);
  }
  bool move(int from, int to, bool counted) {
    if (!readable(from)) return true;
    char buffer[4096];
    const ssize_t n = recv(from, buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    if (counted && static_cast<std::size_t>(n) > left_) return false;
    if (counted) left_ -= static_cast<std::size_t>(n);
    return send(to, buffer, static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
  }

  const unsigned server_port_;
  std::size_t left_;
  int listener_ = -1;
  std::thread thread_;
};

Authority authority(const std::vector<std::string>& hosts = {"127.0.0.1"}) {
  Authority made;
  std::string why;
  EXPECT_TRUE(library().make_certificates(hosts, "ann", 1, made, why)) << why;
  return made;
}
Certificates server_of(const Authority& a) { return {a.ca, a.server.certificate, a.server.key}; }
Certificates client_of(const Authority& a) { return {a.ca, a.client.certificate, a.client.key}; }

TEST(RemoteConnection, RunsOverMutualTls) {
  const Authority ours = authority();
  Board board(server_of(ours));
  const auto desk = board.desk(client_of(ours));
  Facts facts;
  const Status status = desk->describe(facts, 5);
  EXPECT_EQ(facts.max_upload, CacheLimits().file_bytes);
  ASSERT_TRUE(status.ok()) << status.text;
  EXPECT_EQ(facts.device, "fake");
  LeaseGrant grant;
  ASSERT_TRUE(desk->lease({"ann@desk", 60}, grant, 5).ok());
  EXPECT_EQ(board.service.describe().holder, "'ann' (ann@desk)");
}

TEST(RemoteConnection, RefusesDesksThatItDoesNotKnow) {
  const Authority ours = authority(), others = authority(), elsewhere = authority({"other.lab"});
  Board board(server_of(ours));
  const struct {
    const char* what;
    Certificates certificates;
  } rows[] = {
      {"none", {}},
      {"of another authority", {ours.ca, others.client.certificate, others.client.key}},
      {"a server's", {ours.ca, ours.server.certificate, ours.server.key}},
      {"that does not know the server", client_of(others)},
      {"without a key that fits", {ours.ca, ours.client.certificate, others.client.key}},
  };
  for (const auto& row : rows) {
    const auto desk = board.desk(row.certificates);
    Facts facts;
    const Status status = desk->describe(facts, 5);
    EXPECT_EQ(status.code, Code::Unreachable) << row.what << ": " << status.text;
    EXPECT_NE(status.text, "") << row.what;
    EXPECT_EQ(facts.device, "") << row.what;
  }
  Board named(server_of(elsewhere));
  const auto desk = named.desk(client_of(elsewhere));
  Facts facts;
  const Status status = desk->describe(facts, 5);
  EXPECT_EQ(status.code, Code::Unreachable);
  EXPECT_THAT(status.text, HasSubstr("127.0.0.1"));
  EXPECT_TRUE(board.free());
}

TEST(RemoteConnection, DeskWithoutTlsGetsNothingOfOneWith) {
  Board board;
  const auto desk = board.desk(client_of(authority()));
  Facts facts;
  EXPECT_EQ(desk->describe(facts, 5).code, Code::Unreachable);
}

TEST(RemoteConnection, CutDuringAnUploadFreesTheBoard) {
  Board board;
  Cable cable(board.server->port(), 300'000);
  const auto client = library().connect("127.0.0.1", cable.port, {});
  LeaseGrant grant;
  ASSERT_TRUE(client->lease({"ann@desk", 60}, grant, 5).ok());
  const runtime::Bytes file = module_file(2'000'000);
  const Status status = client->upload({grant.token, sha256_of(file), file.size()}, file, 10);
  EXPECT_EQ(status.code, Code::Unreachable) << status.text;
  EXPECT_TRUE(cable.is_cut);
  EXPECT_TRUE(board.free());
  EXPECT_EQ(board.files(), 0u);
}

TEST(RemoteConnection, CutDuringARunEndsIt) {
  Board board;
  Cable cable(board.server->port());
  Desk desk(cable.port);
  std::thread cutter([&] {
    EXPECT_TRUE(soon([&] { return board.device.running == 1; }));
    cable.cut();
  });
  RunReply reply;
  const Status status = desk.client->run(desk.request(0), reply, 0);
  EXPECT_EQ(status.code, Code::Unreachable) << status.text;
  cutter.join();
  EXPECT_TRUE(board.free());
  EXPECT_EQ(board.device.running, 0);
}

TEST(RemoteConnection, CancelledRunEnds) {
  Board board;
  Desk desk(board.server->port());
  std::thread canceller([&] {
    EXPECT_TRUE(soon([&] { return board.device.running == 1; }));
    desk.client->cancel();
  });
  RunReply reply;
  EXPECT_EQ(desk.client->run(desk.request(0), reply, 0).code, Code::Cancelled);
  canceller.join();
  EXPECT_TRUE(board.free());
}

TEST(RemoteConnection, DeadlineEndsTheRunAndNotTheLease) {
  Board board;
  Desk desk(board.server->port());
  RunReply reply;
  EXPECT_EQ(desk.client->run(desk.request(0), reply, 0.2).code, Code::Late);
  EXPECT_TRUE(soon([&] { return board.device.loaded == 0; }));
  EXPECT_TRUE(soon([&] { return desk.client->run(desk.request(3), reply, 5).ok(); }));
  EXPECT_EQ(reply.result.cycles, 42u);
}

TEST(RemoteConnection, SecondDeskIsToldWhoHasTheBoard) {
  Board board;
  auto first = std::make_unique<Desk>(board.server->port());
  const auto second = board.desk();
  LeaseGrant grant;
  EXPECT_THAT(second->lease({"bob@desk", 60}, grant, 5).text,
              HasSubstr("the board is leased to 'ann@desk' until"));
  first.reset();
  EXPECT_TRUE(board.free());
  EXPECT_TRUE(second->lease({"bob@desk", 60}, grant, 5).ok());
}

TEST(RemoteConnection, LeaseThatIsOverEndsAnUploadThatWaits) {
  Board board;
  const auto client = board.desk();
  LeaseGrant grant;
  ASSERT_TRUE(client->lease({"ann@desk", 1}, grant, 5).ok());
  // The end of the file never comes: this side writes less than it says, and waits with its last word.
  std::thread slow([&] {
    UploadHead head{grant.token, std::string(64, '0'), 1000};
    const Status status =
        board.service.upload(head, {"", [] { return false; }, [] {}}, [&](std::string& part) {
          part.clear();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return board.service.describe().seconds_left > 0;
        });
    EXPECT_THAT(status.text, HasSubstr("is over"));
  });
  slow.join();
  EXPECT_TRUE(board.free());
  EXPECT_EQ(board.files(), 0u);
  RunReply reply;
  EXPECT_THAT(client->run({grant.token, std::string(64, '0'), {}, {}}, reply, 5).text,
              HasSubstr("the lease of 'ann@desk' is over: it was for 1 s"));
}

TEST(RemoteConnection, OversizedUploadEndsEarly) {
  Board board({}, {}, {.file_bytes = 100'000, .folder_bytes = 200'000});
  const auto client = board.desk();
  LeaseGrant grant;
  ASSERT_TRUE(client->lease({"ann@desk", 60}, grant, 5).ok());
  const runtime::Bytes file = module_file(8'000'000);
  const Status declared = client->upload({grant.token, sha256_of(file), file.size()}, file, 10);
  EXPECT_THAT(declared.text, HasSubstr("this board takes 100000 at most"));
  const Status undeclared = client->upload({grant.token, sha256_of(file), 50'000}, file, 10);
  EXPECT_THAT(undeclared.text, HasSubstr("goes on behind the 50000 bytes"));
  EXPECT_EQ(board.files(), 0u);
  RunReply reply;
  RunRequest inputs{grant.token, sha256_of(file), {}, {runtime::Bytes(kMaxRequestBytes + 1)}};
  EXPECT_EQ(client->run(inputs, reply, 10).code, Code::Refused);
}

/// With one connection at a time: gRPC must not go with the last.
TEST(RemoteConnection, EndsAtOnceAfterARefusedUpload) {
  const runtime::Bytes file = module_file(8'000'000);
  for (int i = 0; i < 100; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    {
      Board board({}, {}, {.file_bytes = 100'000, .folder_bytes = 200'000});
      const auto client = board.desk();
      LeaseGrant grant;
      ASSERT_TRUE(client->lease({"ann@desk", 60}, grant, 5).ok());
      EXPECT_FALSE(client->upload({grant.token, std::string(64, '0'), 50'000}, file, 10).ok());
    }
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << i;
  }
}

TEST(RemoteConnection, PortOfAnotherServerIsRefused) {
  Board board;
  std::string why;
  EXPECT_FALSE(library().serve("127.0.0.1", board.server->port(), {}, board.service, why));
  EXPECT_THAT(why, HasSubstr("another program has the port"));
}

TEST(RemoteLibrary, NamesThePackagesWhereItIsMissing) {
  try {
    load_library("/nowhere");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("install libgrpc++-dev, libssl-dev and protobuf-compiler-grpc"));
  }
}

TEST(RemoteHost, TakesNamesAndAddresses) {
  EXPECT_EQ(parse_host("board.lab", "--board").text(), "board.lab:50551");
  EXPECT_EQ(parse_host("board.lab:1234", "--board").port, 1234u);
  EXPECT_EQ(parse_host("[fe80::1]:5", "--board").plain_name(), "fe80::1");
  for (const char* own : {"localhost", "127.0.0.1", "127.9.8.7:4", "[::1]:3"})
    EXPECT_TRUE(parse_host(own, "--board").loopback()) << own;
  for (const char* other : {"0.0.0.0", "127.evil.org", "127.0.0.1.evil.org", "[::]", "localhost.evil.org"})
    EXPECT_FALSE(parse_host(other, "--board").loopback()) << other;
  for (const char* bad :
       {"", ":1", "a b", "a:", "a:0", "a:65536", "a:1x", "fe80::1", "-x", "a/b", "[]", "unix:/x"})
    EXPECT_THROW(parse_host(bad, "--board"), UserError) << bad;
}

}  // namespace
}  // namespace vdla::remote
