// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/fake_device.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"

namespace vdla::driver {

using isa::Register;

struct FakeDevice::Calls {
  static FakeDevice& self(void* context) { return *static_cast<FakeDevice*>(context); }

  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    if (static_cast<int>(offset) == self(context).fail_read_at) return 1;
    *value = self(context).dead_ ? UINT32_MAX : self(context).registers[offset];
    return 0;
  }

  static int write32(void* context, std::uint32_t offset, std::uint32_t value) {
    FakeDevice& d = self(context);
    if (static_cast<int>(offset) == d.fail_write_at) return 1;
    d.writes.emplace_back(offset, value);
    if (offset == static_cast<std::uint32_t>(Register::CONTROL)) {
      if ((value & isa::kControlStart) != 0) d.at(Register::STATUS) = isa::kStatusBusy;
      if (d.on_control) d.on_control(value);
    } else if (offset == static_cast<std::uint32_t>(Register::IRQ_STATUS)) {
      d.registers[offset] &= ~value;
    } else {
      d.registers[offset] = value;
    }
    return 0;
  }

  static vdla_wait_result wait_interrupt(void* context, std::uint64_t timeout, std::uint64_t* spent) {
    ++self(context).waits;
    *spent = 0;
    return self(context).on_wait(timeout, spent);
  }

  static int arm_interrupt(void* context) { return self(context).on_arm(); }
  static int hard_reset(void* context) { return self(context).on_hard_reset(); }

  static int alloc(void*, std::uint64_t, std::uint64_t, std::uint64_t*) { return 1; }
  static void free(void*, std::uint64_t) {}
  static int copy_in(void*, std::uint64_t, const void*, std::uint64_t) { return 1; }
  static int copy_out(void*, void*, std::uint64_t, std::uint64_t) { return 1; }
  static int sync(void*, std::uint64_t, std::uint64_t) { return 0; }
  static const char* last_error(void*) { return "bus fell off"; }
};

FakeDevice::FakeDevice()
    : on_wait([](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_TIMEOUT; }),
      transport_{.context = this,
                 .time_unit = "us",
                 .read32 = Calls::read32,
                 .write32 = Calls::write32,
                 .alloc = Calls::alloc,
                 .free = Calls::free,
                 .copy_in = Calls::copy_in,
                 .copy_out = Calls::copy_out,
                 .sync_for_device = Calls::sync,
                 .sync_for_cpu = Calls::sync,
                 .wait_interrupt = Calls::wait_interrupt,
                 .last_error = Calls::last_error} {
  at(Register::MAGIC) = isa::kMagic;
  at(Register::ISA_VERSION) = isa::kIsaVersion;
  at(Register::GEOMETRY_HASH_LO) = static_cast<std::uint32_t>(kHash);
  at(Register::GEOMETRY_HASH_HI) = static_cast<std::uint32_t>(kHash >> 32);
  at(Register::STATUS) = isa::kStatusIdle;
}

void FakeDevice::use_interrupt() {
  transport_.units_per_second = 1'000'000;
  transport_.first_wait = 64;
  transport_.arm_interrupt = Calls::arm_interrupt;
}

void FakeDevice::use_hard_reset() { transport_.hard_reset = Calls::hard_reset; }

void FakeDevice::finish(std::uint32_t sequence) {
  at(Register::SEQUENCE) = sequence;
  at(Register::IRQ_STATUS) |= isa::kIrqDone;
  at(Register::STATUS) = isa::kStatusIdle | isa::kStatusDone;
}

void FakeDevice::fail(isa::ErrorCode code, isa::Unit unit, std::uint32_t insn, std::uint64_t address) {
  at(Register::ERROR_CODE) = static_cast<std::uint32_t>(code);
  at(Register::ERROR_UNIT) = static_cast<std::uint32_t>(unit);
  at(Register::ERROR_INSN) = insn;
  at(Register::ERROR_ADDR_LO) = static_cast<std::uint32_t>(address);
  at(Register::ERROR_ADDR_HI) = static_cast<std::uint32_t>(address >> 32);
  at(Register::IRQ_STATUS) |= isa::kIrqError;
  at(Register::STATUS) = isa::kStatusIdle | isa::kStatusError;
}

}  // namespace vdla::driver
