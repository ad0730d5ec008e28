// SPDX-License-Identifier: Apache-2.0
// What the program prints, in a child that has a standard output of its own.
#include "tools/vdla/standard_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

namespace vdla::tools {
namespace {

/// Exit status of a child whose standard output is `file` and which ends with finish_standard_output().
int finish_of_child(const std::string& file, const std::function<void()>& print) {
  const pid_t pid = fork();
  EXPECT_GE(pid, 0);
  if (pid == 0) {
    dup2(open(file.c_str(), O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    watch_standard_output();
    print();
    _exit(finish_standard_output());
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const std::string kMore(3 * BUFSIZ, 'x');  // than a stream keeps

/// "a write failed": the stream drops what it could not write, the last flush succeeds, and errno is
/// another's.
TEST(StandardOutput, TheReasonOfAWriteThatFailedIsKeptWhoeverMadeIt) {
  const auto forget = [] {
    std::clearerr(stdout);
    errno = 0;
  };
  EXPECT_EQ(finish_of_child("/dev/full", [&] { std::fputs(kMore.c_str(), stdout), forget(); }), ENOSPC);
  EXPECT_EQ(finish_of_child("/dev/full", [&] { std::puts("x"), std::fflush(stdout), forget(); }), ENOSPC);
  EXPECT_EQ(finish_of_child("/dev/full", [&] { std::cout << kMore, forget(); }), ENOSPC);
  EXPECT_EQ(finish_of_child("/dev/full", [] { std::cout << "x"; }), ENOSPC);
  EXPECT_EQ(finish_of_child("/dev/null", [] { std::cout << kMore << std::flush << kMore; }), 0);
}

TEST(StandardOutput, StdioAndCoutKeepTheirOrder) {
  const std::string file = ::testing::TempDir() + "vdla_standard_output_test";
  std::fclose(std::fopen(file.c_str(), "w"));
  EXPECT_EQ(finish_of_child(file,
                            [] {
                              std::fputs("a", stdout);
                              std::cout << "b" << 'c';
                              std::putchar('d');
                            }),
            0);
  std::FILE* written = std::fopen(file.c_str(), "r");
  char text[16] = {};
  EXPECT_NE(std::fgets(text, sizeof(text), written), nullptr);
  std::fclose(written);
  unlink(file.c_str());
  EXPECT_STREQ(text, "abcd");
}

}  // namespace
}  // namespace vdla::tools
