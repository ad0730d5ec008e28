// SPDX-License-Identifier: Apache-2.0
// The PCI device behind QEMU's proxy, and the file system of its guest.
#include "sim/host/pci_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "sim/host/initramfs.h"
#include "tests/compiler/user_error.h"
#include "tests/sim/host/registers_only.h"

namespace vdla::sim {
namespace {

using testing::HasSubstr;

class PciProxy : public testing::Test {
 protected:
  PciProxy() {
    auto [mine, theirs] = make_stream();
    connection_.emplace(std::move(theirs), "the proxy");
    qemu_.emplace(std::move(mine));
    device_.emplace(boards::Pci{.vendor = 0x1234, .device = 0x1ada, .slot = 4, .gsi = 20}, attached_,
                    *connection_);
  }

  template <class Payload>
  void send(std::int32_t command, const Payload& payload, int descriptor = -1) {
    struct {
      std::int32_t command, padding;
      std::uint64_t bytes;
    } header{command, 0, sizeof payload};
    ASSERT_EQ(::send(qemu_->get(), &header, sizeof header, 0), static_cast<ssize_t>(sizeof header));
    iovec part{const_cast<Payload*>(&payload), sizeof payload};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* h = CMSG_FIRSTHDR(&message);
      *h = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
      std::memcpy(CMSG_DATA(h), &descriptor, sizeof descriptor);
    }
    ASSERT_EQ(sendmsg(qemu_->get(), &message, 0), static_cast<ssize_t>(sizeof payload));
  }
  std::uint64_t answer() {
    struct {
      std::int32_t command, padding;
      std::uint64_t bytes, value;
    } reply{};
    EXPECT_EQ(recv(qemu_->get(), &reply, sizeof reply, MSG_WAITALL), static_cast<ssize_t>(sizeof reply));
    EXPECT_EQ(reply.command, 1);
    EXPECT_EQ(reply.bytes, 8u);
    return reply.value;
  }

  struct Configuration {
    std::uint32_t address, value;
    std::int32_t bytes;
  };
  std::uint64_t read_configuration(std::uint32_t address, std::int32_t bytes) {
    send(3, Configuration{address, 0, bytes});
    device_->serve();
    return answer();
  }
  void write_configuration(std::uint32_t address, std::uint32_t value, std::int32_t bytes) {
    send(2, Configuration{address, value, bytes});
    device_->serve();
    EXPECT_EQ(answer(), 0u);
  }
  struct Bar {
    std::uint64_t address, value;
    std::uint32_t bytes;
    std::uint8_t memory;
  };

  RegistersOnly engine_;
  AttachedEngine attached_{engine_};
  std::optional<Connection> connection_;
  std::optional<Descriptor> qemu_;
  std::optional<PciDevice> device_;
};

TEST_F(PciProxy, HasOneBarOf4KiBAndItsIdentity) {
  EXPECT_EQ(read_configuration(0, 4), 0x1ada1234u);
  EXPECT_EQ(read_configuration(2, 2), 0x1adau);
  write_configuration(0, ~0u, 4);
  EXPECT_EQ(read_configuration(0, 4), 0x1ada1234u);
  write_configuration(0x10, ~0u, 4);
  EXPECT_EQ(read_configuration(0x10, 4), 0xffff'f000u);
  write_configuration(0x14, ~0u, 4);
  EXPECT_EQ(read_configuration(0x14, 4), 0u);
  EXPECT_EQ(read_configuration(254, 4), 0u);
}

TEST_F(PciProxy, AResetTakesBackWhatTheGuestSetUp) {
  write_configuration(0x10, 0xfebd'0000, 4);
  write_configuration(4, 0x0406, 2);
  send(7, std::uint64_t{0});
  device_->serve();
  EXPECT_EQ(answer(), 0u);
  EXPECT_EQ(read_configuration(0x10, 4), 0u);
  EXPECT_EQ(read_configuration(4, 2), 0u);
  EXPECT_EQ(read_configuration(0, 4), 0x1ada1234u);
}

TEST_F(PciProxy, RegistersAreBehindTheBar) {
  send(4, Bar{0xfebd'0010, 0x55, 4, 1});
  device_->serve();
  EXPECT_EQ(answer(), 0u);
  EXPECT_EQ(engine_.values[4], 0x55u);
  send(5, Bar{0xfebd'0010, 0, 4, 1});
  device_->serve();
  EXPECT_EQ(answer(), 0x55u);
  EXPECT_EQ(attached_.counts().reads, 1u);
  EXPECT_EQ(attached_.counts().writes, 1u);
}

TEST_F(PciProxy, TheDriverCanDisableTheInterrupt) {
  EXPECT_FALSE(device_->interrupt_line());
  engine_.line = true;
  EXPECT_TRUE(device_->interrupt_line());
  EXPECT_EQ(read_configuration(6, 2), 8u);
  write_configuration(4, 0x0406, 2);
  EXPECT_FALSE(device_->interrupt_line());
  EXPECT_EQ(read_configuration(6, 2), 8u);  // it is still pending
  write_configuration(4, 0x0006, 2);
  EXPECT_TRUE(device_->interrupt_line());
  engine_.line = false;
  EXPECT_FALSE(device_->interrupt_line());
  EXPECT_EQ(attached_.counts().interrupts, 1u);
}

TEST_F(PciProxy, DropsTheDescriptorsOfQemusMemory) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  send(0, std::array<std::uint64_t, 24>{}, ends[1]);
  device_->serve();
  close(ends[1]);
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 0);  // nobody holds the other end any more
  close(ends[0]);
}

TEST_F(PciProxy, NamesRequestsThatAreNone) {
  const auto error_of_serving = [&] { return user_error([&] { device_->serve(); }); };
  send(42, std::uint64_t{0});
  EXPECT_THAT(error_of_serving(), HasSubstr("command 42 of a PCI device, needs one of QEMU 7.2"));
  send(5, std::uint32_t{0});
  EXPECT_THAT(error_of_serving(), HasSubstr("QEMU sent 4 bytes with command 5 of a PCI device, needs 24"));
  send(5, Bar{0xfebd'0011, 0, 1, 1});
  EXPECT_THAT(error_of_serving(),
              HasSubstr("1 bytes at 17 of the accelerator's registers, these need whole"));
  send(4, Bar{0xfebd'0010, 0, 8, 1});
  EXPECT_THAT(error_of_serving(), HasSubstr("8 bytes at 16 of the accelerator's registers"));
  EXPECT_EQ(attached_.counts().reads + attached_.counts().writes, 0u);
  send(5, std::array<char, 300>{});
  EXPECT_THAT(error_of_serving(), HasSubstr("300 bytes with command 5 of a PCI device, needs at most 256"));
}

TEST(Initramfs, IsWhatTheKernelUnpacks) {
  Initramfs files;
  files.add_folder("dev");
  files.add_device("dev/console", 5, 1);
  files.add_file("init", "abcde", true);
  const std::string bytes = std::move(files).finish();
  EXPECT_EQ(bytes.size() % 4, 0u);
  const std::string zeros(8, '0');
  EXPECT_THAT(bytes, testing::StartsWith("07070100000001000041ed" + zeros + zeros + "00000002"));
  EXPECT_THAT(bytes, HasSubstr("00000002"
                               "00002180" +
                               zeros + zeros + "00000001" + zeros + zeros + zeros + zeros +
                               "00000005"
                               "00000001"
                               "0000000c" +
                               zeros + "dev/console"));
  const std::string file =
      "00000003"
      "000081ed" +
      zeros + zeros + "00000001" + zeros + "00000005" + zeros + zeros + zeros + zeros + "00000005" + zeros +
      "init";
  const std::size_t at = bytes.find(file);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(bytes.substr(at + file.size(), 12), std::string("\0\0abcde\0\0\0"
                                                            "07",
                                                            12));
  EXPECT_THAT(bytes, HasSubstr("TRAILER!!!"));
}

}  // namespace
}  // namespace vdla::sim
