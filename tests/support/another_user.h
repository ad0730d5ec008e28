// SPDX-License-Identifier: Apache-2.0
// A function as a user runs it who is not root, in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>

#include "support/error.h"

namespace vdla {

/// Returns the UserError of a user who is not root, or "".
inline std::string said_by_another(const std::function<void()>& f) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    constexpr uid_t kOther = 65534;
    std::string said;
    if (geteuid() == 0 && setuid(kOther) != 0) said = "cannot be another user";
    try {
      if (said.empty()) f();
    } catch (const UserError& e) {
      said = e.what();
    } catch (const std::exception& e) {
      said = std::string("thrown: ") + e.what();
    }
    if (write(ends[1], said.data(), said.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string said(1024, '\0');
  const ssize_t bytes = read(ends[0], said.data(), said.size());
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return said;
}

}  // namespace vdla
