// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "support/error.h"

namespace vdla::gpu {
namespace {

/// Stack of each fiber: private memory of a thread, 16 KiB at most, and what the compiler puts beside it.
constexpr std::size_t kStackBytes = 128 << 10;

}  // namespace

Fibers::Fibers(std::size_t wanted) : fibers_(std::max<std::size_t>(wanted, 1)) {
  const std::size_t count = fibers_.size();
  void* memory = mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  VDLA_CHECK_USER(memory != MAP_FAILED) << "no memory for the stacks of " << count << " threads, needs "
                                        << count * kStackBytes << " bytes of addresses";
  stacks_ = static_cast<std::byte*>(memory);
  // A stack that is too small ends the program in place of another thread's memory.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < count; ++i) {
    if (mprotect(stacks_ + i * kStackBytes, page, PROT_NONE) == 0) continue;
    const int error = errno;
    munmap(memory, count * kStackBytes);
    throw UserError(std::string("no guards for the stacks of ") + std::to_string(count) +
                    " threads: " + std::strerror(error) + "; raise vm.max_map_count, or end what else runs");
  }
}

Fibers::~Fibers() { munmap(stacks_, fibers_.size() * kStackBytes); }

void Fibers::start(std::size_t fiber, std::function<void()> body) {
  Fiber& f = fibers_.at(fiber);
  f.body = std::move(body);
  f.is_done = false;
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = stacks_ + fiber * kStackBytes;
  f.context.uc_stack.ss_size = kStackBytes;
  f.context.uc_link = nullptr;
  // The function gets numbers of the size of an int.
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&f.context, reinterpret_cast<void (*)()>(&Fibers::enter), 2,
              static_cast<unsigned>(static_cast<std::uint64_t>(address) >> 32),
              static_cast<unsigned>(address));
}

void Fibers::enter(unsigned high, unsigned low) {
  auto* self =
      reinterpret_cast<Fibers*>(static_cast<std::uintptr_t>((static_cast<std::uint64_t>(high) << 32) | low));
  Fiber& f = *self->current_;
  f.body();
  f.is_done = true;
  self->pause();
}

bool Fibers::resume(std::size_t fiber) {
  current_ = &fibers_.at(fiber);
  swapcontext(&outside_, &current_->context);
  return current_->is_done;
}

void Fibers::pause() { swapcontext(&current_->context, &outside_); }

}  // namespace vdla::gpu
