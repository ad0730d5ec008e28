// SPDX-License-Identifier: Apache-2.0
// Kernels that crash or never end, processes that somebody kills: a named cause at the desk, the server goes
// on, and nothing is left behind.
#include <elf.h>

#include <cstring>

#include "remote_command.h"
#include "runtime/container/module_file.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The module with these two bytes in the place of all machine code.
void replace_code(const std::string& file, const std::string& made, std::uint16_t code) {
  runtime::Module module = runtime::load(file);
  ASSERT_FALSE(module.objects.empty());
  for (runtime::KernelObject& object : module.objects) {
    Elf64_Ehdr head{};
    std::memcpy(&head, object.elf.data(), sizeof head);
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section{};
      std::memcpy(&section, object.elf.data() + head.e_shoff + i * sizeof section, sizeof section);
      if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
      for (std::uint64_t at = 0; at + 2 <= section.sh_size; at += 2)
        std::memcpy(object.elf.data() + section.sh_offset + at, &code, sizeof code);
    }
  }
  runtime::save(module, made);
}

class RemoteCrash : public RemoteCommand {
 protected:
  /// Process ids below `pid`.
  static std::vector<pid_t> children(pid_t pid) {
    std::vector<pid_t> all;
    std::ifstream list("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
    for (pid_t child = 0; list >> child;) all.push_back(child);
    return all;
  }
  /// The process that makes the others, and that of the lease.
  std::vector<pid_t> processes() const {
    const std::vector<pid_t> makers = children(server_);
    EXPECT_EQ(makers.size(), 1u);
    std::vector<pid_t> all;
    // The next lease's process is made when the last one has ended, on a busy machine some time later.
    for (int i = 0; i < 2000 && all.size() < 2; ++i) {
      all = makers;
      for (const pid_t lease : children(makers.at(0))) all.push_back(lease);
      if (all.size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(all.size(), 2u);
    return all;
  }
  static bool gone(const std::vector<pid_t>& processes) {
    for (int i = 0; i < 1000; ++i) {
      if (std::ranges::none_of(processes, [](pid_t p) { return kill(p, 0) == 0; })) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  /// A desk with a long run.
  pid_t long_run() {
    const pid_t desk = start("run " + digits("tiny") + " --random-input 1 --repeat 1000000" + at_board() +
                             ">" + path("out") + " 2>" + path("err"));
    for (int i = 0; i < 2000 && leases() < 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return desk;
  }
  static int wait_for(pid_t desk) {
    int status = 0;
    waitpid(desk, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(RemoteCrash, KernelThatCrashesIsNamed) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the crafted kernels are x86-64 code";
#endif
  const std::string module = digits("tiny", "--target cpu");
  replace_code(module, path("crashes.vdla"), 0x0b0f);  // ud2
  replace_code(module, path("endless.vdla"), 0xfeeb);  // a jump to itself
  serve("--variant tiny --engine functional");
  const std::string input = " --json --random-input 1" + at_board();
  const Json good = facts(run("run " + module + input));
  expect_error("run " + path("crashes.vdla") + " --random-input 1" + at_board(),
               {"board " + board_, "signal 4 (Illegal instruction)", "the lease is over"});
  EXPECT_EQ(facts(run("run " + module + input)), good);
  expect_error("run " + path("endless.vdla") + " --random-input 1 --time-limit 0.3" + at_board(),
               {"--time-limit of 0.3 s"});
  EXPECT_EQ(facts(run("run " + module + input)), good);
  EXPECT_THAT(log(), HasSubstr("the process of this lease was ended by signal 4"));
  const std::vector<pid_t> all = processes();
  EXPECT_EQ(WTERMSIG(stop()), SIGTERM);
  EXPECT_TRUE(gone(all));
}

TEST_F(RemoteCrash, ProcessThatIsKilledIsNamed) {
  serve("--variant tiny --engine rtl");
  const std::vector<pid_t> all = processes();
  const pid_t desk = long_run();
  kill(all.at(1), SIGKILL);
  EXPECT_EQ(wait_for(desk), 1);
  EXPECT_THAT(read_text(path("err")), AllOf(HasSubstr("signal 9 (Killed)"), HasSubstr("the lease is over")));
  EXPECT_EQ(run("run " + path("digits_tiny.vdla") + " --random-input 1" + at_board()).status, 0);
  // In the middle of what a desk accesses itself.
  EXPECT_EQ(run("board regs STATUS" + at_board()).status, 0);
  EXPECT_EQ(cached(), 1u);
}

TEST_F(RemoteCrash, ServerThatEndsLeavesNothing) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    board_.clear();
    serve("--variant tiny --engine rtl");
    const std::vector<pid_t> all = processes();
    const pid_t desk = long_run();
    EXPECT_EQ(WTERMSIG(stop(signal)), signal);
    EXPECT_TRUE(gone(all)) << strsignal(signal);
    EXPECT_EQ(wait_for(desk), 1);
    EXPECT_THAT(read_text(path("err")), HasSubstr("board " + board_));
  }
}

/// No lease has a process then, and the server says what to do.
TEST_F(RemoteCrash, MakerThatIsKilledIsNamed) {
  serve("--variant tiny --engine functional");
  const std::vector<pid_t> all = processes();
  kill(all.at(0), SIGKILL);
  EXPECT_TRUE(gone({all.at(1)}));
  const std::string arguments = "run " + digits("tiny") + " --random-input 1" + at_board();
  EXPECT_EQ(run(arguments).status, 1);
  expect_error(arguments, {"start the board's server again"});
}

}  // namespace
}  // namespace vdla::tools
