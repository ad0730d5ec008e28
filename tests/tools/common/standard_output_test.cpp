// SPDX-License-Identifier: Apache-2.0
// What the program prints, in a child that has a standard output of its own.
#include "tools/common/standard_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

#include "tools/data/files.h"

namespace vdla::tools {
namespace {

/// Exit status of a child whose standard output is `file` and which ends with finish_standard_output().
int finish_of_child(const std::string& file, const std::function<void()>& print) {
  const pid_t pid = fork();
  EXPECT_GE(pid, 0);
  if (pid == 0) {
    dup2(open(file.c_str(), O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    watch_standard_streams();
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

/// Returns the text that a child prints to a standard output that is a file.
std::string printed(const std::function<void()>& print) {
  const std::string file = ::testing::TempDir() + "vdla_standard_output_" + std::to_string(getpid());
  std::fclose(std::fopen(file.c_str(), "w"));
  EXPECT_EQ(finish_of_child(file, print), 0);
  const std::string text = read_text(file);
  unlink(file.c_str());
  return text;
}

TEST(StandardOutput, StdioAndCoutKeepTheirOrder) {
  EXPECT_EQ(printed([] {
              std::fputs("a", stdout);
              std::cout << "b" << 'c';
              std::putchar('d');
            }),
            "abcd");
}

/// A layer's name set the title of the terminal's window, and another one moved the cursor.
TEST(StandardOutput, WhatMovesACursorIsVisible) {
  EXPECT_EQ(printed([] {
              std::fputs("conv\x1b]0;title\x07\r\tx\n", stdout);
              std::cout << "\xc2\x9b" << "2J";
              // Parts of one character.
              for (const char c : {'\xe2', '\x82', '\xac'}) std::putchar(c), std::fflush(stdout);
              std::fputs("\xe2\x82", stdout);
            }),
            "conv\\u001b]0;title\\u0007\\u000d\tx\n\\u009b2J\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd");
  const auto to_standard_error = [](const std::function<void()>& print) {
    return printed([&] {
      dup2(STDOUT_FILENO, STDERR_FILENO);
      print();
    });
  };
  EXPECT_EQ(to_standard_error([] {
              std::fputs("a\x1b[2J", stderr);
              std::cerr << "\x1b";
            }),
            "a\\u001b[2J\\u001b");
  EXPECT_EQ(to_standard_error([] { print_over("4 of 8: a\x1b[2J\n"); }), "\r\033[K4 of 8: a\\u001b[2J\\u000a")
      << "the line of progress alone moves the cursor";
}

}  // namespace
}  // namespace vdla::tools
