// SPDX-License-Identifier: Apache-2.0
// A device in a process of its own: what it says arrives, what breaks it is named, and the next one is whole.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <new>

#include "fake_board.h"
#include "tools/remote/device_process.h"

namespace vdla::remote {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::module_file;
using testing::sha256_of;
using ::testing::ThrowsMessage;

/// A module whose runs do what the first byte of their input says.
class Actor final : public Loaded {
 public:
  explicit Actor(std::function<std::string()> why) : why_(std::move(why)) {}
  RunReply run(const std::vector<runtime::Bytes>& inputs) override {
    RunReply reply;
    switch (static_cast<char>(inputs.at(0).at(0))) {
      case 's':
        raise(SIGSEGV);
        break;
      case 'e':
        _exit(3);
      case 'l':  // a kernel does not ask
        for (;;) usleep(1000);
      case 'q':  // the server is asked to end in the meantime
        kill(getpid(), SIGTERM);
        [[fallthrough]];
      case 'w':  // a device does
        while (why_().empty()) usleep(1000);
        reply.failed = {"it was stopped", "", "", nullptr};
        break;
      case 'm':
        throw std::bad_alloc();
      case 'u':
        throw UserError("the input is wrong");
      case 'i':
        throw InternalError("a bug");
      case 'f':
        reply.failed = {
            "it failed", "as a text", "{}",
            std::make_shared<runtime::Recording>(runtime::Recording{{1, 2, 3}, runtime::Bytes(5)})};
        break;
      default:
        reply.result = whole();
        reply.result.outputs = inputs;
    }
    return reply;
  }
  std::string timeline() override { return "[1]"; }

  static runtime::Result whole() {
    runtime::Result r;
    r.cycles = 42;
    r.read_bytes = 7;
    r.write_bytes = 8;
    r.steps = {{.step = 1, .on_device = true, .counters = {}, .seconds = 0.5}, {}};
    r.steps[0].counters.cycles = 9;
    r.layers = {{"conv\xff", "conv2d", 3, {{"x", Likeness::Within}}, 100, 2.5, {4, 5, 6}}};
    r.warning = "slow";
    return r;
  }

 private:
  std::function<std::string()> why_;
};

class ActingDevice final : public Device {
 public:
  Facts facts() override {
    return {.device = "actor " + std::to_string(getpid()), .about = {.geometry_hash = 5, .numbers = {1, 2}}};
  }
  std::unique_ptr<Loaded> load(runtime::Module module, const RunOptions& options,
                               std::function<std::string()> why) override {
    VDLA_CHECK_USER(options.threads == 3) << "options of " << module.model_name << " did not arrive";
    return std::make_unique<Actor>(std::move(why));
  }
  const vdla_transport* attach() override { return fake_.attach(); }
  void detach() override { fake_.detach(); }

 private:
  testing::FakeDevice fake_;
};

class RemoteProcess : public ::testing::Test {
 protected:
  std::unique_ptr<Loaded> load(std::function<std::string()> why = [] { return std::string(); }) {
    return device.load(module_file(), {.threads = 3}, std::move(why));
  }
  static RunReply run(Loaded& loaded, char what) { return loaded.run({{static_cast<std::byte>(what)}}); }

  DeviceProcess device{[] { return std::make_unique<ActingDevice>(); }};
};

TEST_F(RemoteProcess, RepliesArriveWhole) {
  EXPECT_NE(device.facts().device, "actor " + std::to_string(getpid()));
  EXPECT_EQ(device.facts().about.geometry_hash, 5u);
  const auto loaded = load();
  const RunReply reply = run(*loaded, 'x');
  ASSERT_FALSE(reply.failed);
  const runtime::Result want = Actor::whole();
  EXPECT_EQ(reply.result.outputs, std::vector<runtime::Bytes>(1, runtime::Bytes(1, std::byte{'x'})));
  EXPECT_EQ(reply.result.cycles, want.cycles);
  EXPECT_EQ(reply.result.write_bytes, want.write_bytes);
  ASSERT_EQ(reply.result.steps.size(), 2u);
  EXPECT_TRUE(reply.result.steps[0].on_device);
  EXPECT_EQ(reply.result.steps[0].counters.cycles, 9u);
  ASSERT_EQ(reply.result.layers.size(), 1u);
  EXPECT_EQ(reply.result.layers[0].name, "conv\xff");
  EXPECT_EQ(reply.result.layers[0].sources, (Sources{{"x", Likeness::Within}}));
  EXPECT_EQ(reply.result.layers[0].cost.write_bytes, 6u);
  EXPECT_EQ(reply.result.warning, "slow");
  EXPECT_EQ(loaded->timeline(), "[1]");
  const RunReply failed = run(*loaded, 'f');
  ASSERT_TRUE(failed.failed && failed.failed->recording);
  EXPECT_EQ(failed.failed->text, "as a text");
  EXPECT_EQ(failed.failed->recording->registers, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(failed.failed->recording->insns.size(), 5u);
}

TEST_F(RemoteProcess, RefusalsAreThoseOfTheDevice) {
  const auto loaded = load();
  EXPECT_THAT([&] { run(*loaded, 'u'); }, ThrowsMessage<UserError>("the input is wrong"));
  EXPECT_THAT([&] { run(*loaded, 'm'); },
              ThrowsMessage<UserError>(HasSubstr("memory of the board's server")));
  EXPECT_THAT([&] { run(*loaded, 'i'); }, ThrowsMessage<InternalError>("a bug"));
  EXPECT_THAT([&] { device.load(module_file(), {}, {}); },
              ThrowsMessage<UserError>(HasSubstr("did not arrive")));
  EXPECT_EQ(device.broken(), "");
  EXPECT_THAT([] { DeviceProcess([]() -> std::unique_ptr<Device> { throw UserError("no device here"); }); },
              ThrowsMessage<UserError>("no device here"));
}

TEST_F(RemoteProcess, WhatBreaksItIsNamed) {
  for (const auto& [what, says] :
       {std::pair{'s', "signal 11 (Segmentation fault)"}, {'e', "ended with status 3"}}) {
    {
      const auto loaded = load();
      EXPECT_THAT([&] { run(*loaded, what); },
                  ThrowsMessage<UserError>(AllOf(HasSubstr(says), HasSubstr("lease is over"))));
      EXPECT_THAT(device.broken(), HasSubstr(says));
      EXPECT_THAT([&] { run(*loaded, 'x'); }, ThrowsMessage<UserError>(HasSubstr(says)));
    }
    device.renew();
    EXPECT_EQ(device.broken(), "");
    EXPECT_EQ(run(*load(), 'x').result.cycles, 42u);
  }
}

TEST_F(RemoteProcess, WhatIsToStopStops) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char what : {'w', 'l'}) {
    int asked = 0;
    const auto loaded = load([&] { return std::string(++asked < 3 ? "" : "stop"); });
    EXPECT_THAT([&] { run(*loaded, what); }, ThrowsMessage<UserError>("the run was ended"));
    EXPECT_EQ(device.broken(), "") << "it was asked to";
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  EXPECT_EQ(run(*load(), 'x').result.cycles, 42u);
}

/// The server and its processes get the signal in any order, and a desk reads the same sentence.
TEST_F(RemoteProcess, RunOfAServerThatEndsIsRefused) {
  const auto loaded = load();
  EXPECT_THAT([&] { run(*loaded, 'q'); }, ThrowsMessage<UserError>("the server has ended the run"));
}

TEST_F(RemoteProcess, AccessesReachTheDevice) {
  const vdla_transport* t = device.attach();
  std::uint64_t address = 0;
  EXPECT_EQ(t->alloc(t->context, 64, 64, &address), 0);
  EXPECT_EQ(address, 4096u);
  std::uint32_t value = 0;
  EXPECT_NE(t->read32(t->context, 0, &value), 0);
  EXPECT_STREQ(t->last_error(t->context), "no registers");
  const char* said = "";
  EXPECT_EQ(t->configured(t->context, &said), 0);
  EXPECT_STREQ(said, "fpga0 'operating'");
  kill(std::stoi(device.facts().device.substr(6)), SIGKILL);
  EXPECT_NE(t->alloc(t->context, 64, 64, &address), 0);
  EXPECT_THAT(t->last_error(t->context), HasSubstr("signal 9 (Killed)"));
  device.detach();
  device.renew();
  EXPECT_EQ(device.facts().about.geometry_hash, 5u);
}

TEST_F(RemoteProcess, OwnersWorkHasTheDeviceForItself) {
  const std::string before = device.facts().device;
  device.reopen([&] { EXPECT_NE(kill(std::stoi(before.substr(6)), 0), 0) << "it still has the device"; });
  EXPECT_NE(device.facts().device, before);
}

TEST(RemoteProcesses, NothingIsLeftBehind) {
  {
    DeviceProcess device([] { return std::make_unique<ActingDevice>(); });
    device.facts();
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

}  // namespace
}  // namespace vdla::remote
