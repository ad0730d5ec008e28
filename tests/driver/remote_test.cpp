// SPDX-License-Identifier: Apache-2.0
// A transport whose calls travel: what the driver does through it, and what a stranger may not ask for.
#include "driver/remote/remote_transport.h"

#include <gmock/gmock.h>

#include "driver/core/device.h"
#include "driver/sim/sim_transport.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"

namespace vdla::driver {
namespace {

using ::testing::HasSubstr;

struct Rig {
  std::unique_ptr<sim::Engine> engine = kit::make_engine("functional", isa::load_variant("tiny"));
  SimTransport sim{*engine};
  Accesses accesses{sim.transport()};
  RemoteTransport remote{facts_of(*sim.transport()),
                         [this](const AccessRequest& request) { return accesses.perform(request); }};
};

TEST(RemoteTransport, ReachesRegistersAndMemory) {
  Rig rig;
  const vdla_transport* t = rig.remote.transport();
  vdla_device device{};
  ASSERT_EQ(vdla_probe(&device, t), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(vdla_reset(&device), VDLA_DRIVER_OK) << device.message;
  std::uint64_t address = 0;
  std::vector<std::byte> sent(3 * kMaxCopyBytes + 5), got(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 / 3);
  ASSERT_EQ(t->alloc(t->context, sent.size(), 4096, &address), 0);
  ASSERT_EQ(t->copy_in(t->context, address, sent.data(), sent.size()), 0);
  ASSERT_EQ(t->copy_out(t->context, got.data(), address, got.size()), 0);
  EXPECT_EQ(sent, got);
  t->free(t->context, address);
  EXPECT_NE(t->copy_out(t->context, got.data(), address, 1), 0);
  EXPECT_THAT(t->last_error(t->context), HasSubstr("in no block that this desk has allocated"));
}

TEST(RemoteTransport, AsksWhetherTheFabricIsConfigured) {
  Rig rig;
  EXPECT_EQ(rig.remote.transport()->configured, nullptr) << "nobody can be asked";
  EXPECT_THAT(rig.accesses.perform({.kind = AccessKind::Configured}).error, HasSubstr("nobody can be asked"));
  struct Fpga {
    bool operating = false;
  } fpga;
  vdla_transport there = *rig.sim.transport();
  there.context = &fpga;
  there.configured = [](void* context, const char** said) {
    *said = "fpga0 'operating'";
    return static_cast<Fpga*>(context)->operating ? 0 : 1;
  };
  there.last_error = [](void*) { return "the FPGA is not configured"; };
  Accesses accesses(&there);
  const RemoteTransport remote(facts_of(there),
                               [&](const AccessRequest& request) { return accesses.perform(request); });
  const vdla_transport* t = remote.transport();
  const char* said = "";
  EXPECT_NE(t->configured(t->context, &said), 0);
  EXPECT_STREQ(t->last_error(t->context), "the FPGA is not configured");
  fpga.operating = true;
  EXPECT_EQ(t->configured(t->context, &said), 0);
  EXPECT_STREQ(said, "fpga0 'operating'");
}

TEST(RemoteTransport, StrangersGetWhatIsTheirs) {
  Rig rig;
  const AccessReply block =
      rig.accesses.perform({.kind = AccessKind::Alloc, .value = 4096, .alignment = 4096});
  ASSERT_EQ(block.error, "");
  const std::uint64_t at = block.value;
  const AccessRequest refused[] = {
      {.kind = AccessKind::Read32, .address = 2},
      {.kind = AccessKind::Read32, .address = 1 << 20},
      {.kind = AccessKind::Write32, .address = UINT64_MAX - 3},
      {.kind = AccessKind::CopyOut, .address = at - 1, .value = 1},
      {.kind = AccessKind::CopyOut, .address = at, .value = 4097},
      {.kind = AccessKind::CopyOut, .address = at + 1, .value = UINT64_MAX},
      {.kind = AccessKind::CopyIn, .address = at + 4095, .data = std::vector<std::byte>(2)},
      {.kind = AccessKind::SyncForCpu, .address = at + 4096, .value = 1},
      {.kind = AccessKind::Free, .address = at + 1},
      {.kind = AccessKind::Alloc, .value = 0, .alignment = 4096},
      {.kind = AccessKind::Alloc, .value = UINT64_MAX, .alignment = 4096},
      {.kind = AccessKind::Alloc, .value = 16, .alignment = 3},
      {.kind = AccessKind::Alloc, .value = 16, .alignment = 0},
      {.kind = AccessKind::HardReset},
      {.kind = static_cast<AccessKind>(kAccessKinds)},
  };
  for (const AccessRequest& request : refused)
    EXPECT_NE(rig.accesses.perform(request).error, "")
        << static_cast<int>(request.kind) << " " << request.address;
  EXPECT_EQ(rig.accesses.perform({.kind = AccessKind::CopyIn, .address = at}).error, "");
  EXPECT_EQ(rig.accesses.perform({.kind = AccessKind::CopyOut, .address = at, .value = 4096}).data.size(),
            4096u);
}

TEST(RemoteTransport, MemoryIsGivenBackAtTheEnd) {
  Rig rig;
  {
    Accesses strangers(rig.sim.transport());
    ASSERT_EQ(strangers.perform({.kind = AccessKind::Alloc, .value = 8192, .alignment = 4096}).error, "");
    EXPECT_EQ(rig.sim.allocated_bytes(), 8192u);
  }
  EXPECT_EQ(rig.sim.allocated_bytes(), 0u);
}

}  // namespace
}  // namespace vdla::driver
