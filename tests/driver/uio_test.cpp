// SPDX-License-Identifier: Apache-2.0
// The transport for Linux on a folder that looks like a machine's /sys and /dev.
#include "driver/uio/uio.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "driver/core/device.h"
#include "driver/selftest/selftest.h"
#include "isa/spec/registers.h"
#include "kit/uio_device.h"
#include "support/error.h"
#include "tests/driver/uio_tree.h"

namespace vdla::driver {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Uio : public ::testing::Test {
 protected:
  Uio() { options.root = root.c_str(); }
  ~Uio() override { vdla_uio_close(uio); }
  /// Each fault, its cause and what comes behind it.
  void TearDown() override { EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)); }

  vdla_driver_status try_open() { return vdla_uio_open(&options, &uio, message, sizeof message); }
  void open() {
    ASSERT_EQ(try_open(), VDLA_DRIVER_OK) << message;
    t = vdla_uio_transport(uio);
    ASSERT_EQ(vdla_probe(&device, t), VDLA_DRIVER_OK) << device.message;
    ASSERT_EQ(vdla_reset(&device), VDLA_DRIVER_OK) << device.message;
  }
  /// The program ends when the line is polled for the n-th time, and the interrupt comes or not.
  void end_at_poll(int n, bool interrupt) {
    tree.page().on_start = [] {};
    tree.kernel.on_poll = [this, n, interrupt, seen = 0]() mutable {
      if (++seen != n) return;
      tree.page().finish();
      if (interrupt) tree.kernel.events += 1;
    };
  }
  std::string warning() const {
    char text[VDLA_MESSAGE_BYTES];
    return vdla_warning(&device, text, sizeof text) ? text : "";
  }
  std::string who_says() const {
    const char* said = "";
    EXPECT_EQ(t->configured(t->context, &said), 0) << t->last_error(t->context);
    return said;
  }
  struct Stage {
    vdla_selftest_verdict verdict;
    std::string text;
  };
  /// Ends behind stage bus: the page is of no version that is asked for.
  std::vector<Stage> self_test(const kit::UioDevice& tested) {
    std::vector<Stage> stages;
    const vdla_selftest_plan plan{
        .variant = "none", .identity = {}, .memory_bytes = 0, .programs = nullptr, .program_count = 0};
    vdla_selftest_run(
        &device, tested.transport(), &plan,
        [](void* c, vdla_selftest_stage, vdla_selftest_verdict verdict, const char* text) {
          static_cast<std::vector<Stage>*>(c)->push_back({verdict, text});
        },
        &stages);
    return stages;
  }
  std::uint64_t alloc(std::uint64_t bytes) {
    std::uint64_t address = 0;
    EXPECT_EQ(t->alloc(t->context, bytes, 64, &address), 0) << t->last_error(t->context);
    return address;
  }

  /// Registers that are touched end this process.
  void take_registers_away() const { std::filesystem::resize_file(root + "/dev/uio1", 0); }
  void put_registers_back() {
    std::filesystem::resize_file(root + "/dev/uio1", UioTree::kPage + UioTree::kMemoryBytes);
    const FakePage again(tree.memory() - UioTree::kPage);  // the file has lost what was in it
  }

  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  UioTree tree;
  std::string root = tree.root();
  vdla_uio_options options{};
  vdla_uio* uio = nullptr;
  const vdla_transport* t = nullptr;
  vdla_device device{};
  vdla_launch launch{.insn_offset = 0, .insn_count = 9, .sequence = 7, .stall_limit = 1000};
  char message[VDLA_MESSAGE_BYTES] = "";
};

TEST_F(Uio, RunsByItsInterrupt) {
  open();
  for (int run = 1; run <= 20; ++run) {
    end_at_poll(1, true);
    ASSERT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
    EXPECT_EQ(tree.kernel.unmasked, run) << "let through before each wait";
  }
  EXPECT_EQ(device.interrupts_taken, 20u);
  EXPECT_EQ(warning(), "");
}

TEST_F(Uio, CountsFromBeforeDoNotEndAWait) {
  open();
  tree.kernel.events = 5;
  end_at_poll(1, true);
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(device.interrupts_taken, 1u);
  EXPECT_EQ(tree.kernel.polls, 2) << "one that forgets, one that waits";
}

TEST_F(Uio, ASignalThatEndsACallDoesNotEndTheWait) {
  open();
  end_at_poll(1, true);
  tree.kernel.on_unmask = [this] { tree.kernel.failing_polls = 3; };
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(device.interrupts_taken, 1u);
  tree.kernel.failing_polls = 2;
  tree.kernel.on_unmask = [] {};
  end_at_poll(1, true);
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
}

TEST_F(Uio, AnInterruptThatNeverComesIsAWarning) {
  open();
  end_at_poll(3, false);
  EXPECT_EQ(vdla_run(&device, &launch, 60'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_THAT(warning(), StartsWith("the interrupt is not wired"));
}

TEST_F(Uio, ADeviceWithoutALineIsPolledAndSaysSo) {
  open();
  tree.kernel.unmask_error = EIO;
  tree.page().on_start = [] {};
  tree.kernel.on_pause = [this] { tree.page().finish(); };
  EXPECT_EQ(vdla_run(&device, &launch, 60'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_THAT(warning(), StartsWith("the interrupt is not wired"));
}

TEST_F(Uio, AKernelThatMasksNothingNeedsNoUnmasking) {
  open();
  tree.kernel.unmask_error = ENOSYS;
  end_at_poll(1, true);
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(device.interrupts_taken, 1u);
}

TEST_F(Uio, AHangEndsWithTheTimeoutAndSaysWhoWaits) {
  open();
  tree.page().on_start = [] {};
  EXPECT_EQ(vdla_run(&device, &launch, 20'000), VDLA_DRIVER_TIMEOUT);
  EXPECT_THAT(device.message, StartsWith("the program did not finish within 20000 us: load "));
}

TEST_F(Uio, ASoftResetThatDoesNotEndIsEndedByTheBoardsHook) {
  const auto reset_of_a_stuck_device = [this] {
    tree.page().stuck = true;
    tree.page().set(isa::Register::STATUS, isa::kStatusBusy);
    tree.kernel.on_poll = [this] { tree.kernel.events = 1; };  // pauses take no time
    return vdla_reset(&device);
  };
  open();
  EXPECT_EQ(t->hard_reset, nullptr);
  EXPECT_EQ(reset_of_a_stuck_device(), VDLA_DRIVER_RESET) << "there is no such line";
  vdla_uio_close(uio);
  tree.page().stuck = false;
  tree.page().set(isa::Register::STATUS, isa::kStatusIdle);
  options.hard_reset_context = &tree.page();
  options.hard_reset = [](void* context) {
    auto& page = *static_cast<FakePage*>(context);
    page.stuck = false;
    page.set(isa::Register::STATUS, isa::kStatusIdle);
    return 0;
  };
  open();
  EXPECT_EQ(reset_of_a_stuck_device(), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(warning(), "hard resets, because a soft reset did not end: 1");
  end_at_poll(1, true);
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  vdla_uio_close(uio);
  options.hard_reset = [](void*) { return 1; };
  open();
  EXPECT_EQ(reset_of_a_stuck_device(), VDLA_DRIVER_TRANSPORT);
  EXPECT_STREQ(device.message,
               "the transport failed to reset the device from outside: uio1: its hard reset failed");
}

TEST_F(Uio, NoDeviceOfThatNameListsWhatThereIs) {
  tree.write("sys/class/uio/uio1/name", "gpio\n");
  EXPECT_EQ(try_open(), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(message, AllOf(StartsWith("no UIO device is named 'vdla'; "), HasSubstr("uio0 'timer'"),
                             HasSubstr("uio1 'gpio'"), HasSubstr("load the kernel module")));
  tree.remove("sys");
  EXPECT_EQ(try_open(), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(message, HasSubstr(" has none; "));
}

TEST_F(Uio, TwoOfOneNameHaveToBeChosenFrom) {
  tree.write("sys/class/uio/uio2/name", "vdla\n");
  EXPECT_EQ(try_open(), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(message,
              AllOf(StartsWith("several UIO devices are 'vdla': "), EndsWith("; say which one, by uioN")));
  options.device = "uio1";
  open();
}

TEST_F(Uio, MapsAreFoundByTheirNames) {
  tree.write("sys/class/uio/uio1/maps/map1/name", "axi\n");
  EXPECT_EQ(try_open(), VDLA_DRIVER_ARGUMENT);
  EXPECT_STREQ(message,
               "uio1 has no map named 'memory', only map0 'registers', map1 'axi'; name it so in the "
               "device tree (reg-names)");
  tree.write("sys/class/uio/uio1/maps/map0/size", "0x100\n");
  EXPECT_EQ(try_open(), VDLA_DRIVER_ARGUMENT);
  EXPECT_STREQ(message, "uio1: its map 'registers' has 256 bytes, needs 512");
}

TEST_F(Uio, AnFpgaThatIsNotConfiguredIsNotTouched) {
  tree.write("sys/class/fpga_manager/fpga0/state", "unknown\n");
  EXPECT_EQ(try_open(), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(message, AllOf(StartsWith("the FPGA is not configured: "),
                             HasSubstr("fpga0 'unknown', needs 'operating'; load the bitstream first")));
  options.any_fpga_state = 1;
  open();
  EXPECT_EQ(who_says(), "fpga0 'unknown', which any_fpga_state lets pass");
  vdla_uio_close(uio);
  options.any_fpga_state = 0;
  tree.write("sys/class/fpga_manager/fpga0/state", "operating\n");
  open();
  EXPECT_EQ(who_says(), "fpga0 'operating'");
  tree.remove("sys/class/fpga_manager");
  EXPECT_EQ(who_says(), "nobody can be asked: " + root + "/sys/class/fpga_manager has no FPGA manager");
}

/// Its registers were read and written where it had been configured when it was opened.
TEST_F(Uio, AnFpgaThatIsConfiguredNoMoreIsNotTouchedAnyMore) {
  tree.write("sys/class/fpga_manager/fpga0/state", "operating\n");
  open();
  EXPECT_EQ(who_says(), "fpga0 'operating'");
  tree.write("sys/class/fpga_manager/fpga0/state", "unknown\n");
  const char* said = "";
  EXPECT_NE(t->configured(t->context, &said), 0);
  EXPECT_THAT(t->last_error(t->context), HasSubstr("fpga0 'unknown', needs 'operating'"));
  tree.page().set(isa::Register::CONTROL, 0);
  std::uint32_t value = 0;
  EXPECT_NE(t->read32(t->context, 0, &value), 0);
  vdla_uio_close(uio);
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), 0u) << "it was reset";
  tree.write("sys/class/fpga_manager/fpga0/state", "operating\n");
  open();
  EXPECT_EQ(t->read32(t->context, 0, &value), 0);
}

/// The self test names the cause in its first stage, and neither it nor the end of the device reads a
/// register.
TEST_F(Uio, AnFpgaThatIsNotConfiguredIsTheFirstStageOfTheSelfTest) {
  tree.write("sys/class/fpga_manager/fpga0/state", "write init error\n");
  take_registers_away();
  {
    const kit::UioDevice to_test({.device = "vdla", .udmabuf = {}, .root = root, .use = kit::UioUse::Test});
    const vdla_transport* t = to_test.transport();
    std::uint32_t value = 0;
    EXPECT_NE(t->read32(t->context, 0, &value), 0);
    EXPECT_NE(t->write32(t->context, 0, 0), 0);
    EXPECT_STREQ(t->last_error(t->context),
                 "uio1: its registers are not touched before configured() has said that the FPGA is");
    const std::vector<Stage> stages = self_test(to_test);
    ASSERT_EQ(stages.size(), 1u);
    EXPECT_EQ(stages[0].verdict, VDLA_SELFTEST_FAILED);
    EXPECT_THAT(stages[0].text, StartsWith("the FPGA is not configured: fpga0 'write init error', needs "
                                           "'operating'; load the bitstream first"));
  }
  put_registers_back();
  tree.write("sys/class/fpga_manager/fpga0/state", "operating\n");
  {
    const kit::UioDevice to_test({.device = "vdla", .udmabuf = {}, .root = root, .use = kit::UioUse::Test});
    const std::vector<Stage> stages = self_test(to_test);
    ASSERT_GE(stages.size(), 2u);
    EXPECT_EQ(stages[0].verdict, VDLA_SELFTEST_PASSED);
    EXPECT_EQ(stages[0].text, "fpga0 'operating'");
    EXPECT_EQ(stages[1].verdict, VDLA_SELFTEST_PASSED) << stages[1].text;
    tree.page().set(isa::Register::CONTROL, 0);
  }
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlSoftReset) << "now it is reset at the end";
}

TEST_F(Uio, ABusErrorIsAStatus) {
  open();
  take_registers_away();
  EXPECT_EQ(vdla_probe(&device, t), VDLA_DRIVER_TRANSPORT);
  EXPECT_STREQ(
      device.message,
      "the transport failed to read a register: uio1: bus error at the read of register 0x000 (SIGBUS); is "
      "the bitstream loaded, and does its clock run?");
  EXPECT_NE(t->write32(t->context, 0x10, 2), 0);
  EXPECT_THAT(t->last_error(t->context), HasSubstr("at the write of register 0x010"));
  put_registers_back();
  EXPECT_EQ(vdla_probe(&device, t), VDLA_DRIVER_OK) << "and a good run afterwards";
}

TEST_F(Uio, ABusErrorElsewhereIsWhatItWas) {
  open();
  EXPECT_EXIT(
      {
        take_registers_away();
        *static_cast<volatile unsigned char*>(tree.memory()) = 1;
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

/// A child that has the device, and says so.
pid_t child_with_device(const vdla_uio_options& options, const std::function<void()>& then) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    vdla_uio* mine = nullptr;
    char why[VDLA_MESSAGE_BYTES] = "";
    const char ok = vdla_uio_open(&options, &mine, why, sizeof why) == VDLA_DRIVER_OK ? 'y' : 'n';
    if (ok == 'y') then();
    (void)!write(ready[1], &ok, 1);
    for (;;) pause();
  }
  char ok = 'n';
  EXPECT_EQ(read(ready[0], &ok, 1), 1);
  EXPECT_EQ(ok, 'y');
  close(ready[0]);
  close(ready[1]);
  return child;
}

int end(pid_t child, int signal) {
  int status = 0;
  kill(child, signal);
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Uio, ADeviceThatIsBusyElsewhereNamesItsOwner) {
  const std::string name = program_invocation_short_name;
  const pid_t child = child_with_device(options, [] {});
  EXPECT_EQ(try_open(), VDLA_DRIVER_OWNED);
  EXPECT_THAT(message,
              AllOf(StartsWith("process " + std::to_string(child) + " (" + name.substr(0, 15) + ") has "),
                    EndsWith("/dev/uio1; end it first, or wait for it")));
  EXPECT_TRUE(WIFSIGNALED(end(child, SIGKILL)));
  open();  // a lock ends with its process, however that ends
  end_at_poll(1, true);
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(device.interrupts_taken, 1u);
  EXPECT_EQ(warning(), "");
}

TEST_F(Uio, SignalsThatEndTheProcessResetTheDeviceFirst) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    tree.page().set(isa::Register::CONTROL, 0);
    const pid_t child =
        child_with_device(options, [this] { tree.page().set(isa::Register::CONTROL, isa::kControlStart); });
    const int status = end(child, signal);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal) << "it ends as it would have";
    EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlSoftReset);
  }
}

TEST_F(Uio, SignalsAreLeftAloneOnRequestAndWhereTheyAreIgnored) {
  options.no_reset_by_signals = 1;
  pid_t child = child_with_device(options, [this] { tree.page().set(isa::Register::CONTROL, 1); });
  EXPECT_TRUE(WIFSIGNALED(end(child, SIGTERM)));
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), 1u);
  options.no_reset_by_signals = 0;
  signal(SIGHUP, SIG_IGN);  // nohup
  child = child_with_device(options, [this] { tree.page().set(isa::Register::CONTROL, 1); });
  kill(child, SIGHUP);
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), 1u);
  EXPECT_EQ(WTERMSIG(end(child, SIGTERM)), SIGTERM);
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlSoftReset);
  signal(SIGHUP, SIG_DFL);
}

TEST_F(Uio, ClosingResetsAndLeavesSignalsAsTheyWere) {
  const auto handler_of = [](int number) {
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    return now.sa_handler;
  };
  const std::array numbers = {SIGTERM, SIGINT, SIGHUP, SIGBUS};
  std::vector<sighandler_t> before;
  for (const int number : numbers) before.push_back(handler_of(number));
  open();
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NE(handler_of(numbers[i]), before[i]);
  vdla_uio_close(uio);
  uio = nullptr;
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlSoftReset);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(handler_of(numbers[i]), before[i]);
}

TEST_F(Uio, WhoLooksChangesNothingAndNeedsNotOwnTheDevice) {
  const pid_t owner = child_with_device(options, [] {});
  tree.page().set(isa::Register::CONTROL, isa::kControlStart);
  options.no_reset = options.shared = 1;
  ASSERT_EQ(try_open(), VDLA_DRIVER_OK) << message;
  vdla_uio_close(uio);
  {
    const kit::UioDevice look({.device = "vdla", .udmabuf = {}, .root = root, .use = kit::UioUse::Look});
    EXPECT_THROW(kit::UioDevice({.device = "vdla", .udmabuf = {}, .root = root, .use = kit::UioUse::Keep}),
                 UserError)
        << "who writes owns it";
  }
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlStart);
  end(owner, SIGKILL);
  options.shared = 0;
  const pid_t child = child_with_device(options, [] {});
  EXPECT_EQ(WTERMSIG(end(child, SIGTERM)), SIGTERM);
  EXPECT_EQ(tree.page().get(isa::Register::CONTROL), isa::kControlStart) << "nor by a signal";
  uio = nullptr;
}

TEST_F(Uio, TakesMemoryThatIsReservedForIt) {
  open();
  const std::uint64_t a = alloc(100), b = alloc(5000);
  EXPECT_EQ(a, UioTree::kAddress);
  EXPECT_EQ(t->copy_in(t->context, b + 3, "instructions", 12), 0);
  EXPECT_EQ(std::memcmp(tree.memory() + (b - a) + 3, "instructions", 12), 0);
  char back[12];
  EXPECT_EQ(t->sync_for_device(t->context, b, 12), 0);
  EXPECT_EQ(t->sync_for_cpu(t->context, b, 12), 0);
  EXPECT_EQ(t->copy_out(t->context, back, b + 3, 12), 0);
  EXPECT_EQ(std::memcmp(back, "instructions", 12), 0);
  EXPECT_EQ(t->map, nullptr) << "uncached memory is for aligned words";
  EXPECT_NE(t->copy_out(t->context, back, UioTree::kAddress + UioTree::kMemoryBytes - 4, 12), 0);
  EXPECT_THAT(t->last_error(t->context), HasSubstr("is outside of its DMA memory"));
  EXPECT_EQ(vdla_set_window(&device, 1, UioTree::kAddress, UioTree::kMemoryBytes + 1), VDLA_DRIVER_ARGUMENT);
  std::uint64_t address = 0;
  EXPECT_NE(t->alloc(t->context, 20'000, 64, &address), 0);
  EXPECT_THAT(
      t->last_error(t->context),
      HasSubstr("the DMA memory is too small: 20000 bytes wanted, 5104 of 16384 in use; reserve more"));
  t->free(t->context, a);
  t->free(t->context, b);
  for (int i = 0; i < 100; ++i) alloc(8);  // more blocks than a table begins with
}

/// Kernels have two ways to say it.
TEST_F(Uio, MapsThatBeginInsideOfAPage) {
  const std::string map = "sys/class/uio/uio1/maps/map1/";
  for (const char* address : {"0x18000000\n", "0x18000200\n"}) {
    tree.write(map + "addr", address);
    tree.write(map + "offset", "0x200\n");
    tree.write(map + "size", std::string(address) == "0x18000200\n" ? "0x3e00\n" : "0x4000\n");
    open();
    EXPECT_EQ(alloc(0x3e00), UioTree::kAddress + 0x200);
    EXPECT_EQ(t->copy_in(t->context, UioTree::kAddress + 0x200, "first", 5), 0);
    EXPECT_EQ(std::memcmp(tree.memory() + 0x200, "first", 5), 0);
    std::uint64_t address_of_more = 0;
    EXPECT_NE(t->alloc(t->context, 1, 1, &address_of_more), 0) << "that is all";
    vdla_uio_close(uio);
    uio = nullptr;
  }
}

/// The command's way: a thread takes the signal, and interrupt() ends what is unfinished.
TEST_F(Uio, AnInterruptedProgramOfTheKitResetsItsDevice) {
  EXPECT_EXIT(
      {
        const kit::UioDevice mine({.device = "vdla", .udmabuf = {}, .root = root});
        tree.page().set(isa::Register::CONTROL, isa::kControlStart);
        const std::vector<std::string> said = interrupt();
        const bool reset = tree.page().get(isa::Register::CONTROL) == isa::kControlSoftReset;
        _exit(reset && said == std::vector<std::string>{"reset the device"} ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  try {
    const kit::UioDevice other({.device = "none", .udmabuf = {}, .root = root});
    FAIL() << "there is none";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), StartsWith("no UIO device is named 'none'; "));
  }
}

class Udmabuf : public Uio {
 protected:
  Udmabuf() {
    options.udmabuf = "udmabuf0";
    tree.write(folder + "phys_addr", "0x20000000\n");
    tree.write(folder + "size", "8192\n");
    memory = static_cast<unsigned char*>(tree.device_file("udmabuf0", 8192));
  }
  void offer_syncs() {
    for (const char* name : {"sync_direction", "sync_for_cpu", "sync_for_device", "sync_offset", "sync_size"})
      tree.write(folder + name, "\n");
  }
  std::string said(const std::string& name) const { return tree.read(folder + name); }

  const std::string folder = "sys/class/u-dma-buf/udmabuf0/";
  unsigned char* memory = nullptr;
};

TEST_F(Udmabuf, IsCachedAndSyncedByLines) {
  offer_syncs();
  open();
  EXPECT_EQ(t->cache_line, 64u);
  EXPECT_EQ(said("sync_direction"), "0");
  alloc(64);
  const std::uint64_t block = alloc(300);
  EXPECT_EQ(block, 0x2000'0040u);
  std::memset(t->map(t->context, block, 300), 0x5a, 300);
  EXPECT_EQ(memory[64 + 299], 0x5a);
  EXPECT_EQ(t->sync_for_device(t->context, block + 70, 60), 0) << t->last_error(t->context);
  EXPECT_EQ(said("sync_offset"), "128");
  EXPECT_EQ(said("sync_size"), "128");
  EXPECT_EQ(said("sync_for_device"), "1");
  EXPECT_EQ(said("sync_for_cpu"), "");
  EXPECT_EQ(t->sync_for_cpu(t->context, block, 1), 0) << t->last_error(t->context);
  EXPECT_EQ(said("sync_offset"), "64");
  EXPECT_EQ(said("sync_size"), "64");
  EXPECT_EQ(said("sync_for_cpu"), "1");
}

TEST_F(Udmabuf, IsNotCachedWhereItCannotBeSynced) {
  open();
  EXPECT_EQ(t->cache_line, 0u);
  EXPECT_EQ(t->map, nullptr);
  EXPECT_EQ(t->copy_in(t->context, alloc(10) + 1, "bytes", 5), 0);
  EXPECT_EQ(std::memcmp(memory + 1, "bytes", 5), 0);
}

TEST_F(Udmabuf, ThatHardwareKeepsCoherentNeedsNoSyncs) {
  offer_syncs();
  tree.write(folder + "dma_coherent", "1\n");
  open();
  ASSERT_NE(t->map, nullptr);
  EXPECT_EQ(t->sync_for_device(t->context, alloc(100), 100), 0);
  EXPECT_EQ(said("sync_for_device"), "");
}

TEST_F(Udmabuf, ThatIsNotThereIsNamed) {
  options.udmabuf = "udmabuf7";
  EXPECT_EQ(try_open(), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(message, StartsWith("no u-dma-buf is named 'udmabuf7' in "));
}

TEST_F(Udmabuf, OfOldModulesIsFoundToo) {
  std::filesystem::rename(root + "/sys/class/u-dma-buf", root + "/sys/class/udmabuf");
  open();
  EXPECT_EQ(alloc(1), 0x2000'0000u);
}

}  // namespace
}  // namespace vdla::driver
