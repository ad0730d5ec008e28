// SPDX-License-Identifier: Apache-2.0
// What a guest of Linux is refused with before QEMU starts, and what QEMU is started with; tests/boards/linux
// runs guests.
#include "sim/host/linux_guest.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "tests/compiler/user_error.h"
#include "tests/sim/host/registers_only.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class LinuxGuestRefusal : public testing::Test {
 protected:
  LinuxGuestRefusal() {
    board_.qemu.emplace();
    board_.pci.emplace();
    board_.ram.emplace();
    fs::remove_all(folder_);
    for (const char* file : {"vmlinuz", "uio.ko", "vdla_uio.ko", "init", "program", "one/note", "two/note"}) {
      fs::create_directories((folder_ / file).parent_path());
      std::ofstream(folder_ / file) << file;
    }
    guest_.kernel = folder_;
    guest_.init = folder_ / "init";
    guest_.program = folder_ / "program";
  }
  ~LinuxGuestRefusal() override { fs::remove_all(folder_); }

  std::string refusal() const {
    return user_error([&] { run_linux_guest(board_, guest_, {}, {}); });
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("linux_guest_test_" + std::to_string(getpid()));
  boards::Board board_;
  LinuxGuest guest_;
};

TEST_F(LinuxGuestRefusal, NamesFilesThatWouldBeOne) {
  guest_.files = {folder_ / "one/note", folder_ / "two/note"};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("/one/note' and '"), HasSubstr("/two/note' would both be 'note'")));
  guest_.files = {folder_ / "one/note", folder_ / "program"};
  EXPECT_THAT(refusal(), HasSubstr("would both be 'program' in the guest; rename one"));
}

TEST_F(LinuxGuestRefusal, NamesArgumentsThatInitWouldCut) {
  guest_.arguments = {std::string(65536 - sizeof "./program", 'x')};
  EXPECT_THAT(refusal(), HasSubstr("arguments have 65537 bytes, needs at most 65536"));
}

TEST_F(LinuxGuestRefusal, NamesFilesThatAreMissing) {
  guest_.files = {folder_ / "none"};
  EXPECT_THAT(refusal(), HasSubstr("/none': No such file"));
  fs::remove(folder_ / "vmlinuz");
  EXPECT_THAT(refusal(), HasSubstr("boards/linux/get_kernel.sh gets it"));
}

TEST_F(LinuxGuestRefusal, TheKernelIsToldNotToCheckItsTimer) {
  // Says what it is started with, and ends.
  const fs::path qemu = folder_ / "qemu";
  std::ofstream(qemu) << "#!/bin/sh\nprintf '%s ' \"$@\"\n";
  fs::permissions(qemu, fs::perms::owner_all);
  board_.qemu->system = qemu;
  const std::string said = user_error([&] {
    run_linux_guest(board_, guest_, [](const auto&) { return std::make_unique<RegistersOnly>(); }, {});
  });
  EXPECT_THAT(said, AllOf(HasSubstr("ended with status 0 before the guest had run its program"),
                          ContainsRegex("-append console=[^-]*=-1[^-]* no_timer_check -")));
}

}  // namespace
}  // namespace vdla::sim
