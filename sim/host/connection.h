// SPDX-License-Identifier: Apache-2.0
// A stream of bytes between this process and one that it starts, which inherits the other end: nothing of it
// lies in a folder.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace vdla::sim {

/// A file descriptor that is closed with it; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  void close() { Descriptor dropped(std::move(*this)); }

 private:
  int fd_;
};

/// Two ends of a Unix stream socket, closed on exec.
std::pair<Descriptor, Descriptor> make_stream();

class Connection {
 public:
  /// `peer` is the name in messages about a missing answer: "QEMU's gdb stub".
  Connection(Descriptor end, std::string peer) : end_(std::move(end)), peer_(std::move(peer)) {}

  int fd() const { return end_.get(); }
  const std::string& peer() const { return peer_; }
  /// Whether the other end is known to be closed.
  bool closed() const { return closed_; }

  /// UserError when the other end is closed.
  void send(std::string_view bytes);
  /// Appends what has arrived to `to`, waiting for something at most that long; false where nothing came.
  /// UserError when the other end is closed.
  bool receive(std::string& to, std::chrono::microseconds patience);

 private:
  [[noreturn]] void fail_closed();

  Descriptor end_;
  std::string peer_;
  bool closed_ = false;
};

}  // namespace vdla::sim
