// SPDX-License-Identifier: Apache-2.0
// Programs beside this process, and memory that they share with it.
#include "sim/host/companion.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "sim/host/shared_memory.h"
#include "tests/compiler/user_error.h"

namespace vdla::sim {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kPatience{20'000};

/// Everything that it prints until it ends.
std::string output_of(Companion& companion) {
  std::string text;
  while (!companion.wait(milliseconds(5))) text += companion.take_output();
  return text + companion.take_output();
}

TEST(Companion, InheritsWhatItIsGivenAndEndsWithItsStatus) {
  const SharedMemory memory(8192);
  std::memcpy(memory.bytes().data() + 4096, "from here", 9);
  Companion companion(
      {"sh", "-c",
       "dd if=/proc/self/fd/" + std::to_string(memory.fd()) +
           " bs=4096 skip=1 count=1 2>/dev/null | tr -d '\\0'; printf 'from there' | dd of=/proc/self/fd/" +
           std::to_string(memory.fd()) + " conv=notrunc 2>/dev/null; echo bad >&2; exit 3"},
      std::array{memory.fd()}, "dash");
  EXPECT_EQ(output_of(companion), "from here");
  EXPECT_EQ(companion.wait(kPatience), 3);
  EXPECT_EQ(companion.take_errors(), "bad\n");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(memory.bytes().data()), 10), "from there");
}

TEST(Companion, DoesNotOutliveItsObject) {
  pid_t pid = 0;
  {
    Companion companion({"sh", "-c", "echo $$; exec sleep 1000"}, {}, "dash");
    std::string text;
    while (text.find('\n') == std::string::npos) text += companion.take_output();
    pid = std::stoi(text);
    EXPECT_FALSE(companion.wait(milliseconds(1)));
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);  // no zombie either
}

TEST(Companion, NamesThePackageOfAMissingProgram) {
  EXPECT_EQ(user_error([] { const Companion companion({"qemu-system-none"}, {}, "qemu-system-arm"); }),
            "qemu-system-none is not installed; it comes with package qemu-system-arm");
}

}  // namespace
}  // namespace vdla::sim
