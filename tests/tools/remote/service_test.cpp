// SPDX-License-Identifier: Apache-2.0
// What the server of a board does with calls, without a network.
#include <gmock/gmock.h>

#include <future>

#include "fake_board.h"
#include "runtime/container/container.h"

namespace vdla::remote {
namespace {

using ::testing::AllOf;
using testing::FakeBoard;
using ::testing::HasSubstr;
using testing::module_file;
using testing::nobody;
using testing::sha256_of;
using testing::soon;

struct Parts {
  runtime::Bytes file;
  std::size_t at = 0, size = 1000;
  bool operator()(std::string& part) {
    const std::size_t n = std::min(size, file.size() - at);
    part.assign(reinterpret_cast<const char*>(file.data()) + at, n);
    at += n;
    return n > 0;
  }
};

std::string token_of(FakeBoard& board, std::uint32_t seconds = 60) {
  LeaseGrant grant;
  const Status status = board.service.grant({"ann@desk", seconds}, nobody(), grant);
  EXPECT_TRUE(status.ok()) << status.text;
  return grant.token;
}

Status upload(FakeBoard& board, const UploadHead& head, const runtime::Bytes& file) {
  return board.service.upload(head, nobody(), Parts{file});
}

TEST(BoardService, RunsWhatWasUploaded) {
  FakeBoard board;
  const std::string token = token_of(board);
  const runtime::Bytes file = module_file();
  RunReply reply;
  RunRequest request{token, sha256_of(file), {}, {runtime::Bytes(3)}};
  EXPECT_EQ(board.service.run(request, nobody(), reply).code, Code::Missing);
  ASSERT_TRUE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  const Status status = board.service.run(request, nobody(), reply);
  ASSERT_TRUE(status.ok()) << status.text;
  EXPECT_EQ(reply.result.cycles, 42u);
  EXPECT_EQ(board.files(), 1u);
  EXPECT_EQ(board.device.loaded, 1);
  board.service.end(token, "over");
  EXPECT_EQ(board.device.loaded, 0);
  EXPECT_EQ(board.service.run(request, nobody(), reply).text, "over");
}

TEST(BoardService, FailedRunSaysWhatTheDeviceDid) {
  FakeBoard board;
  const std::string token = token_of(board);
  const runtime::Bytes file = module_file();
  ASSERT_TRUE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  RunReply reply;
  ASSERT_TRUE(board.service.run({token, sha256_of(file), {}, {runtime::Bytes(4)}}, nobody(), reply).ok());
  ASSERT_TRUE(reply.failed.has_value());
  EXPECT_EQ(reply.failed->message, "it failed");
  EXPECT_EQ(board.device.loaded, 0);
  RunReply after;
  EXPECT_TRUE(board.service.run({token, sha256_of(file), {}, {runtime::Bytes(3)}}, nobody(), after).ok());
}

/// A process of the device that broke ends its lease, and nobody else's.
TEST(BoardService, LeaseWhoseDeviceBrokeIsOver) {
  FakeBoard board;
  std::promise<std::string> leased;
  std::thread lease([&] {
    const Status status = board.service.lease({"ann@desk", 60}, nobody(), [&](const LeaseGrant& grant) {
      leased.set_value(grant.token);
      return true;
    });
    EXPECT_EQ(status.text, "it crashed");
  });
  const std::string token = leased.get_future().get();
  const runtime::Bytes file = module_file();
  EXPECT_TRUE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  board.device.why_broken = "it crashed";
  RunReply reply;
  EXPECT_EQ(board.service.run({token, sha256_of(file), {}, {runtime::Bytes(3)}}, nobody(), reply).text,
            "it crashed");
  EXPECT_THAT(board.service.run({token, sha256_of(file), {}, {runtime::Bytes(3)}}, nobody(), reply).text,
              HasSubstr("it crashed"));
  lease.join();
  EXPECT_EQ(board.device.renewed, 1);
  EXPECT_EQ(board.device.loaded, 0);
  const std::string next = token_of(board);
  EXPECT_TRUE(board.service.run({next, sha256_of(file), {}, {runtime::Bytes(3)}}, nobody(), reply).ok());
}

TEST(BoardService, NamesWhoHasTheBoard) {
  FakeBoard board;
  const std::string token = token_of(board);
  LeaseGrant grant;
  const Status second =
      board.service.grant({"bob@other\x1b[2J", 60}, {"bob", [] { return false; }, [] {}}, grant);
  EXPECT_EQ(second.code, Code::Refused);
  EXPECT_THAT(second.text, AllOf(HasSubstr("leased to 'ann@desk' until"), HasSubstr("UTC, in 60 s")));
  EXPECT_EQ(board.service.describe().holder, "'ann@desk'");
  board.service.end(token, "");
  ASSERT_TRUE(
      board.service.grant({"bob@other\x1b[2J", 60}, {"bob", [] { return false; }, [] {}}, grant).ok());
  EXPECT_EQ(board.service.describe().holder, "'bob' (bob@other?[2J)");  // nothing of a terminal's language
}

TEST(BoardService, RefusesLeasesThatAreTooLongOrNone) {
  FakeBoard board({.max_lease_seconds = 100});
  LeaseGrant grant;
  EXPECT_THAT(board.service.grant({"a", 101}, nobody(), grant).text, HasSubstr("this board gives 1 to 100"));
  EXPECT_THAT(board.service.grant({"a", 0}, nobody(), grant).text, HasSubstr("a lease of 0 s"));
}

TEST(BoardService, NeedsTheTokenOfTheLease) {
  FakeBoard board;
  const runtime::Bytes file = module_file();
  RunReply reply;
  HookReply hook;
  for (std::string token : {"", "0123456789abcdef0123456789abcdef"}) {
    EXPECT_THAT(upload(board, {token, sha256_of(file), file.size()}, file).text, HasSubstr("has no lease"));
    EXPECT_THAT(board.service.run({token, sha256_of(file), {}, {}}, nobody(), reply).text,
                HasSubstr("has no lease"));
    EXPECT_THAT(board.service.hook({token, Hook::Reset}, nobody(), hook).text, HasSubstr("has no lease"));
  }
  EXPECT_EQ(board.files(), 0u);
}

TEST(BoardService, RefusedUploadsLeaveNothing) {
  FakeBoard board({}, {.file_bytes = 50'000, .folder_bytes = 100'000});
  const std::string token = token_of(board);
  const runtime::Bytes file = module_file(), other(20'000);
  const struct {
    UploadHead head;
    const runtime::Bytes& file;
    const char* says;
  } rows[] = {
      {{token, sha256_of(file), 50'001}, file, "has 50001 bytes, this board takes 50000 at most"},
      {{token, sha256_of(file), file.size() - 1}, file, "goes on behind the"},
      {{token, sha256_of(file), file.size() + 1}, file, "ended after"},
      {{token, sha256_of(other), file.size()}, file, "SHA-256 is "},
      {{token, sha256_of(other), other.size()}, other, "is not a compiled module"},
      {{token, "../../etc/passwd", file.size()}, file, "64 lower-case hexadecimal digits"},
      {{token, std::string(64, 'A'), file.size()}, file, "64 lower-case hexadecimal digits"},
  };
  for (const auto& row : rows) {
    const Status status = upload(board, row.head, row.file);
    EXPECT_EQ(status.code, Code::Refused);
    EXPECT_THAT(status.text, HasSubstr(row.says));
    EXPECT_EQ(board.files(), 0u) << row.says;
  }
}

TEST(BoardService, TakesSignedModulesAloneWhereItsOwnerAsks) {
  const runtime::SecretKey mine = runtime::make_key(), others = runtime::make_key();
  ServiceOptions options;
  options.trust.trusted = mine.public_key();
  FakeBoard board(options);
  const std::string token = token_of(board);
  runtime::Bytes file = module_file();
  EXPECT_THAT(upload(board, {token, sha256_of(file), file.size()}, file).text, HasSubstr("sign"));
  const runtime::Digest digest = runtime::unpack(file, "m").digest;
  runtime::set_signature(file, runtime::sign(digest, others));
  EXPECT_FALSE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  EXPECT_EQ(board.files(), 0u);
  runtime::set_signature(file, runtime::sign(digest, mine));
  const Status status = upload(board, {token, sha256_of(file), file.size()}, file);
  EXPECT_TRUE(status.ok()) << status.text;
}

TEST(BoardService, CacheForgetsWhatWasNotUsedForLongest) {
  const runtime::Bytes a = module_file(20'000), b = module_file(20'100), c = module_file(20'200);
  FakeBoard board({}, {.file_bytes = 50'000, .folder_bytes = 50'000});
  const std::string token = token_of(board);
  const auto has = [&](const runtime::Bytes& file) { return board.cache.find(sha256_of(file)).has_value(); };
  for (const runtime::Bytes* file : {&a, &b}) {
    ASSERT_TRUE(upload(board, {token, sha256_of(*file), file->size()}, *file).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(has(a));  // now used later than b
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(upload(board, {token, sha256_of(c), c.size()}, c).ok());
  EXPECT_TRUE(has(a));
  EXPECT_FALSE(has(b));
  EXPECT_TRUE(has(c));
}

TEST(BoardService, ModuleThatChangedInTheCacheIsGone) {
  FakeBoard board;
  const std::string token = token_of(board);
  const runtime::Bytes file = module_file();
  ASSERT_TRUE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  std::filesystem::resize_file(board.folder / (sha256_of(file) + ".vdla"), file.size() - 1);
  RunReply reply;
  EXPECT_EQ(board.service.run({token, sha256_of(file), {}, {}}, nobody(), reply).code, Code::Missing);
  EXPECT_EQ(board.files(), 0u);
}

TEST(BoardService, LeaseThatIsOverEndsItsRun) {
  FakeBoard board;
  std::promise<std::string> leased;
  std::thread lease([&] {
    const Status status = board.service.lease({"ann@desk", 2}, nobody(), [&](const LeaseGrant& grant) {
      leased.set_value(grant.token);
      return true;
    });
    EXPECT_THAT(status.text, HasSubstr("the lease of 'ann@desk' is over: it was for 2 s"));
  });
  const std::string token = leased.get_future().get();
  const runtime::Bytes file = module_file();
  EXPECT_TRUE(upload(board, {token, sha256_of(file), file.size()}, file).ok());
  RunReply reply;
  const Status status = board.service.run({token, sha256_of(file), {}, {runtime::Bytes()}}, nobody(), reply);
  EXPECT_THAT(status.text, HasSubstr("is over"));
  lease.join();
  EXPECT_EQ(board.device.loaded, 0);
  token_of(board);
}

TEST(BoardService, MemoryOfADeskGoesBackBeforeTheDeviceDoes) {
  FakeBoard board;
  const std::string token = token_of(board);
  driver::TransportFacts facts;
  driver::AccessReply reply;
  const AccessCall alloc{token, {.kind = driver::AccessKind::Alloc, .value = 4096, .alignment = 4096}};
  EXPECT_THAT(board.service.access(alloc, nobody(), reply).text, HasSubstr("not attached"));
  ASSERT_TRUE(board.service.attach(token, nobody(), facts).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(board.service.access(alloc, nobody(), reply).ok());
  EXPECT_EQ(board.device.blocks, 3);
  board.service.end(token, "over");
  EXPECT_EQ(board.device.blocks, 0);
  EXPECT_FALSE(board.device.attached);
}

TEST(BoardService, HooksAreTheOwnersCommands) {
  FakeBoard board({.reset_command = "true"});
  const std::string token = token_of(board);
  HookReply reply;
  EXPECT_THAT(board.service.hook({token, Hook::Flash}, nobody(), reply).text, HasSubstr("--flash-command"));
  EXPECT_TRUE(board.service.hook({token, Hook::Reset}, nobody(), reply).ok());
  EXPECT_THAT(reply.text, HasSubstr("'true' has run; the device answers"));
  EXPECT_EQ(board.device.reopened, 1);
}

TEST(BoardService, SaysWhatItIsWhileTheDeviceIsMadeAnew) {
  FakeBoard board({.reset_command = "sleep 0.1"});
  const std::string token = token_of(board);
  std::thread asks([&] {
    EXPECT_TRUE(soon([&] { return board.device.reopening.load(); }));
    EXPECT_EQ(board.service.describe().device, "fake");
  });
  HookReply reply;
  EXPECT_TRUE(board.service.hook({token, Hook::Reset}, nobody(), reply).ok());
  asks.join();
}

TEST(BoardService, HookThatFailsSaysSo) {
  FakeBoard board({.flash_command = "echo no bitstream; exit 3"});
  const std::string token = token_of(board);
  HookReply reply;
  EXPECT_THAT(board.service.hook({token, Hook::Flash}, nobody(), reply).text,
              AllOf(HasSubstr("ended with status 3"), HasSubstr("no bitstream")));
}

// Its end was waited for without a limit once its output was closed.
TEST(BoardService, HookThatClosesItsOutputIsKilledAsWell) {
  FakeBoard board({.flash_command = "exec >/dev/null 2>&1; sleep 600", .command_limit = 0.2});
  HookReply reply;
  EXPECT_THAT(board.service.hook({token_of(board), Hook::Flash}, nobody(), reply).text,
              HasSubstr("within the --command-limit of 0.2 s"));
}

TEST(BoardService, HookThatDoesNotEndIsKilled) {
  FakeBoard board({.flash_command = "echo begun; sleep 600 & sleep 600", .command_limit = 0.2});
  const std::string token = token_of(board);
  HookReply reply;
  EXPECT_THAT(board.service.hook({token, Hook::Flash}, nobody(), reply).text,
              AllOf(HasSubstr("within the --command-limit of 0.2 s"), HasSubstr("begun")));
  EXPECT_FALSE(board.device.reopening);
}

}  // namespace
}  // namespace vdla::remote
