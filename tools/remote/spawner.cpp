// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/spawner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "support/error.h"

namespace vdla::remote {
namespace {

using ChildClock = std::chrono::steady_clock;

/// Time that a child may take to end when the server is gone, or when its socket is closed.
constexpr std::int64_t kLastMilliseconds = 2000;
constexpr int kPollMicroseconds = 2000;

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// Whether the child has ended within the time; how, in `status`.
bool ends_within(pid_t pid, std::int64_t milliseconds, int& status) {
  const auto until = ChildClock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    if (ChildClock::now() >= until) return false;
    usleep(kPollMicroseconds);
  }
}

/// One datagram, with a descriptor where `link` is one.
template <class Message>
bool send_message(int to, Message message, int link = -1) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (link >= 0) {
    header.msg_control = space.data();
    header.msg_controllen = space.size();
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &link, sizeof link);
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(to, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

template <class Message>
bool receive_message(int from, Message& message, int* link = nullptr) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = space.data();
  header.msg_controllen = space.size();
  ssize_t got = 0;
  do {
    got = recvmsg(from, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof message)) return false;
  const cmsghdr* control = CMSG_FIRSTHDR(&header);
  if (link != nullptr && control != nullptr && control->cmsg_type == SCM_RIGHTS)
    std::memcpy(link, CMSG_DATA(control), sizeof *link);
  return true;
}

}  // namespace

struct Spawner::Order {
  enum Kind : std::uint8_t { Start, AskToEnd, End } kind = Start;
  std::int64_t wait = 0;   ///< milliseconds until the child is asked to end
  std::int64_t asked = 0;  ///< and from then until it is killed
};
struct Spawner::Answer {
  int error = 0;   ///< errno of a fork() that failed
  int status = 0;  ///< as waitpid() has it
};

/// The process that makes the others. It has one thread and does nothing else.
class Spawner::Maker {
 public:
  Maker(const Body& body, int control) : body_(body), control_(control) {}

  [[noreturn]] void serve() {
    const sigset_t signals = ending_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the server answers them, and its end is this one's
    Order wanted;
    for (int link = -1; receive_message(control_, wanted, &link);)
      if (!send_message(control_, obey(wanted, link))) break;
    int status = 0;
    if (child_ > 0) end({Order::End, 0, kLastMilliseconds}, status);
    _exit(0);
  }

 private:
  Answer obey(const Order& wanted, int link) {
    Answer answer;
    switch (wanted.kind) {
      case Order::Start:
        child_ = fork();
        if (child_ == 0) be_child(link);
        if (child_ < 0) answer.error = errno;
        close(link);
        break;
      case Order::AskToEnd:
        if (child_ > 0) kill(child_, SIGTERM);
        break;
      case Order::End:
        if (child_ > 0) end(wanted, answer.status);
        child_ = 0;
        break;
    }
    return answer;
  }

  void end(const Order& wanted, int& status) const {
    if (ends_within(child_, wanted.wait, status)) return;
    kill(child_, SIGTERM);
    if (ends_within(child_, wanted.asked, status)) return;
    kill(child_, SIGKILL);
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  [[noreturn]] void be_child(int link) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != maker_) _exit(1);  // it ended before the line above
    close(control_);
    body_(link);
    _exit(0);
  }

  const Body& body_;
  const int control_;
  const pid_t maker_ = getpid();
  pid_t child_ = 0;
};

Spawner::Spawner(Body body) {
  std::array<int, 2> ends{};
  VDLA_CHECK_USER(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0)
      << "no socket: " << std::strerror(errno);
  std::fflush(nullptr);  // so that nothing is written twice
  Uninterrupted held;
  maker_ = fork();
  VDLA_CHECK_USER(maker_ >= 0) << "no process: " << std::strerror(errno);
  if (maker_ == 0) {
    close(ends[0]);
    held.become_child();
    Maker(body, ends[1]).serve();
  }
  close(ends[1]);
  control_ = ends[0];
  on_interrupt_.emplace(held, [this](const Uninterrupted&) {
    end_all();
    return std::string();
  });
}

void Spawner::end_all() {
  shutdown(control_, SHUT_RDWR);
  while (waitpid(maker_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Spawner::~Spawner() {
  on_interrupt_.reset();
  end_all();
  close(control_);
}

Spawner::Answer Spawner::order(const Order& wanted, int link) {
  const std::lock_guard lock(mutex_);
  Answer answer;
  VDLA_CHECK_USER(send_message(control_, wanted, link) && receive_message(control_, answer))
      << "the process that makes a process for each lease is gone; start the board's server again";
  return answer;
}

int Spawner::start() {
  std::array<int, 2> ends{};
  VDLA_CHECK_USER(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0)
      << "the board's server has no socket for a lease's process: " << std::strerror(errno);
  int error = 0;
  try {
    error = order({Order::Start}, ends[1]).error;
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  if (error == 0) return ends[0];
  close(ends[0]);
  throw UserError(fmt::format("the board's server has no process for a lease: {}", std::strerror(error)));
}

void Spawner::ask_to_end() { order({Order::AskToEnd}); }

void Spawner::end(std::chrono::milliseconds time) { order({Order::End, 0, time.count()}); }

std::string Spawner::last_words() {
  const int status = order({Order::End, kLastMilliseconds, 0}).status;
  if (WIFEXITED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

bool Spawner::wait_for(int link) {
  const sigset_t signals = ending_signals();
  static const int asked = signalfd(-1, &signals, SFD_CLOEXEC);
  std::array<pollfd, 2> waits{{{link, POLLIN, 0}, {asked, POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  return waits[1].revents == 0;
}

bool Spawner::end_is_asked() {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&pending, signal) == 1) return true;
  return false;
}

}  // namespace vdla::remote
