// SPDX-License-Identifier: Apache-2.0
#include "sim/host/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr long kMicroseconds = 1'000'000;  // parts of a second

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::pair<Descriptor, Descriptor> make_stream() {
  std::array<int, 2> ends{};
  VDLA_CHECK_USER(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0)
      << "cannot make a socket: " << std::strerror(errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void Connection::fail_closed() {
  closed_ = true;
  throw UserError(peer_ + " has closed its connection");
}

void Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(end_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail_closed();
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool Connection::receive(std::string& to, std::chrono::microseconds patience) {
  pollfd waiting{end_.get(), POLLIN, 0};
  const timespec limit{patience.count() / kMicroseconds, patience.count() % kMicroseconds * 1000};
  const int ready = ppoll(&waiting, 1, &limit, nullptr);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return false;
  std::array<char, 4096> part{};
  const ssize_t bytes = recv(end_.get(), part.data(), part.size(), 0);
  if (bytes < 0 && errno == EINTR) return false;
  if (bytes <= 0) fail_closed();
  to.append(part.data(), static_cast<std::size_t>(bytes));
  return true;
}

}  // namespace vdla::sim
