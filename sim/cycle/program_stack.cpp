// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/program_stack.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VDLA_ADDRESS_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define VDLA_ADDRESS_SANITIZER
#endif

#ifdef VDLA_ADDRESS_SANITIZER

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>

/// Defaults of every program that has this engine in it; ASAN_OPTIONS go first.
/// SystemC 2.3.4 tells the sanitizer of each switch that the stack it leaves is left for good. Frames that
/// are kept aside to find uses after a return are freed then, and the coroutine that goes on later writes
/// into memory that is gone: this one check must be off. All others work on its stacks.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }

/// Memory that SystemC keeps until the process ends: its pool of timed events, and lists of a context that is
/// deleted.
extern "C" const char* __lsan_default_suppressions() { return "leak:sc_core::sc_event\n"; }

namespace vdla::sim {
namespace {

struct Stack {
  void* bottom = nullptr;
  std::size_t bytes = 0;

  Stack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
};

}  // namespace

ProgramStack::~ProgramStack() {
  thread_local const Stack stack;
  __sanitizer_start_switch_fiber(nullptr, stack.bottom, stack.bytes);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

}  // namespace vdla::sim

#else

namespace vdla::sim {

ProgramStack::~ProgramStack() = default;

}  // namespace vdla::sim

#endif
