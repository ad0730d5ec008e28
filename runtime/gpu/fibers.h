// SPDX-License-Identifier: Apache-2.0
// Functions that take turns in one thread of the system. Private to this folder.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace vdla::gpu {

class Fibers {
 public:
  /// UserError where there is no memory for `wanted` stacks.
  explicit Fibers(std::size_t wanted);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  ~Fibers();

  /// Makes the next turn of a fiber the first one of `body`; what it was doing is forgotten.
  void start(std::size_t fiber, std::function<void()> body);
  /// Goes on with a fiber until it pauses or its body ends; whether that has ended.
  bool resume(std::size_t fiber);
  /// Ends the turn of the fiber that calls it.
  void pause();

 private:
  struct Fiber {
    ucontext_t context;
    std::function<void()> body;
    bool is_done = true;
  };
  static void enter(unsigned high, unsigned low);

  std::vector<Fiber> fibers_;
  std::byte* stacks_;
  ucontext_t outside_;
  Fiber* current_ = nullptr;
};

}  // namespace vdla::gpu
