// SPDX-License-Identifier: Apache-2.0
// A board made of an engine, of which a test replaces what it wants to be wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/sim/sim_transport.h"
#include "isa/spec/registers.h"
#include "kit/bring_up/selftest.h"
#include "kit/engine.h"

namespace vdla::kit {

using isa::Register;

struct StageResult {
  vdla_selftest_stage stage;
  vdla_selftest_verdict verdict;
  std::string text;
};

/// A machine with a transport of which a test replaces what it wants to be wrong.
class Board {
 public:
  explicit Board(const isa::Variant& variant, const EngineOptions& options = {})
      : engine_(make_engine("functional", variant, options)), sim_(*engine_) {
    right = *sim_.transport();
    mend();
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Nothing is wrong any more.
  void mend() {
    calls = {
        .context = this,
        .time_unit = "us",
        .read32 = [](void* c, std::uint32_t offset,
                     std::uint32_t* value) { return self(c).read32(offset, value); },
        .write32 = [](void* c, std::uint32_t offset,
                      std::uint32_t value) { return self(c).write32(offset, value); },
        .alloc = [](void* c, std::uint64_t bytes, std::uint64_t alignment,
                    std::uint64_t* address) { return self(c).alloc(bytes, alignment, address); },
        .free = [](void* c, std::uint64_t address) { self(c).right.free(self(c).right.context, address); },
        .copy_in = [](void* c, std::uint64_t address, const void* from,
                      std::uint64_t bytes) { return self(c).copy_in(address, from, bytes); },
        .copy_out = [](void* c, void* to, std::uint64_t address,
                       std::uint64_t bytes) { return self(c).copy_out(to, address, bytes); },
        .sync_for_device = [](void*, std::uint64_t, std::uint64_t) { return 0; },
        .sync_for_cpu = [](void*, std::uint64_t, std::uint64_t) { return 0; },
        .wait_interrupt = [](void* c, std::uint64_t timeout,
                             std::uint64_t* spent) { return self(c).wait(timeout, spent); },
        .last_error = [](void*) { return "the test's own error"; },
        .units_per_second = 1'000'000};
    read32 = [this](std::uint32_t offset, std::uint32_t* value) {
      return right.read32(right.context, offset, value);
    };
    write32 = [this](std::uint32_t offset, std::uint32_t value) {
      ran = ran || (offset == static_cast<std::uint32_t>(Register::CONTROL) && (value & 1) != 0);
      return right.write32(right.context, offset, value);
    };
    alloc = [this](std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
      return right.alloc(right.context, bytes, alignment, address);
    };
    copy_in = [this](std::uint64_t address, const void* from, std::uint64_t bytes) {
      return right.copy_in(right.context, address, from, bytes);
    };
    copy_out = [this](void* to, std::uint64_t address, std::uint64_t bytes) {
      return right.copy_out(right.context, to, address, bytes);
    };
    wait = [this](std::uint64_t timeout, std::uint64_t* spent) {
      return right.wait_interrupt(right.context, timeout, spent);
    };
  }

  std::vector<StageResult> test(const Selftest& test) {
    std::vector<StageResult> results;
    vdla_device device;
    worst = vdla_selftest_run(
        &device, &calls, &test.plan(),
        [](void* context, vdla_selftest_stage stage, vdla_selftest_verdict verdict, const char* text) {
          static_cast<std::vector<StageResult>*>(context)->push_back({stage, verdict, text});
        },
        &results);
    return results;
  }

  std::uint64_t allocated_bytes() const { return sim_.allocated_bytes(); }

  std::function<int(std::uint32_t, std::uint32_t*)> read32;
  std::function<int(std::uint32_t, std::uint32_t)> write32;
  std::function<int(std::uint64_t, std::uint64_t, std::uint64_t*)> alloc;
  std::function<int(std::uint64_t, const void*, std::uint64_t)> copy_in;
  std::function<int(void*, std::uint64_t, std::uint64_t)> copy_out;
  std::function<vdla_wait_result(std::uint64_t, std::uint64_t*)> wait;
  vdla_transport calls{}, right{};
  bool ran = false;  ///< the device was started
  vdla_selftest_verdict worst = VDLA_SELFTEST_PASSED;

  /// Reads of one register give what `change` makes of it.
  void reads(Register which, std::function<std::uint32_t(std::uint32_t)> change) {
    read32 = [this, which, change = std::move(change)](std::uint32_t offset, std::uint32_t* value) {
      const int failed = right.read32(right.context, offset, value);
      if (offset == static_cast<std::uint32_t>(which)) *value = change(*value);
      return failed;
    };
  }

 private:
  static Board& self(void* context) { return *static_cast<Board*>(context); }

  std::unique_ptr<sim::Engine> engine_;
  driver::SimTransport sim_;
};

}  // namespace vdla::kit
