// SPDX-License-Identifier: Apache-2.0
#include "sim/host/companion.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "support/child_process.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr int kNotRun = 127;  // as of a shell
constexpr std::chrono::milliseconds kLook{2};

std::pair<Descriptor, Descriptor> make_pipe() {
  std::array<int, 2> ends{};
  VDLA_CHECK_USER(pipe2(ends.data(), O_CLOEXEC) == 0) << "cannot make a pipe: " << std::strerror(errno);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

Companion::Companion(const std::vector<std::string>& command, std::span<const int> inherited,
                     const std::string& package) {
  const std::string program = find_program(command[0]);
  VDLA_CHECK_USER(!program.empty()) << command[0] << " is not installed; it comes with package " << package;
  std::vector<std::string> arguments = command;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  auto output = make_pipe(), errors = make_pipe();
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t parent = getpid();
  {
    Uninterrupted held;
    pid_ = fork();
    VDLA_CHECK_USER(pid_ >= 0) << "cannot start " << command[0] << ": " << std::strerror(errno);
    if (pid_ == 0) {
      begin_child(held, parent);
      setpgid(0, 0);  // signals that it sends to its group (XRT's emulation does) reach no other process
      for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
      dup2(nothing.get(), STDIN_FILENO);
      dup2(output.second.get(), STDOUT_FILENO);
      dup2(errors.second.get(), STDERR_FILENO);
      for (const int fd : inherited) fcntl(fd, F_SETFD, 0);
      execv(program.c_str(), argv.data());
      _exit(kNotRun);
    }
    running_.emplace(held, [pid = pid_](const Uninterrupted&) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      return std::string();
    });
  }
  output_ = std::move(output.first);
  errors_ = std::move(errors.first);
}

std::string Companion::drain(Descriptor& from) {
  std::string text;
  std::array<char, 4096> part{};
  while (from.get() >= 0) {
    const ssize_t bytes = read(from.get(), part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) break;
    if (bytes <= 0) {
      from.close();
      break;
    }
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return text;
}

std::optional<int> Companion::wait(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!status_) {
    {
      const Uninterrupted held;
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        running_->cancel(held);
        break;
      }
    }
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    usleep(std::chrono::duration_cast<std::chrono::microseconds>(kLook).count());
  }
  return status_;
}

Companion::~Companion() {
  if (status_) return;
  const Uninterrupted held;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  running_->cancel(held);
}

}  // namespace vdla::sim
