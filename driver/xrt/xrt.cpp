// SPDX-License-Identifier: Apache-2.0
#include "driver/xrt/xrt.h"

#include <dlfcn.h>
#include <experimental/xrt_ip.h>
#include <experimental/xrt_xclbin.h>
#include <fmt/format.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "driver/xrt/before_ending.h"
#include "driver/xrt/card_lock.h"
#include "driver/xrt/emulation.h"
#include "isa/generated/vdla_isa.h"

namespace {

using namespace vdla::driver;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kKernel = "vdla_axi";  // kernel of boards/fpga/kernel.tcl
/// Transfers over PCI Express are of whole lines.
constexpr std::uint64_t kLine = 64;
constexpr std::uint32_t kMicroseconds = 1'000'000;  // parts of a second
/// An emulated device takes milliseconds where a card takes microseconds: so time-outs count.
constexpr std::uint64_t kEmulatedSlowness = 1000;
/// Between two looks at the device where XRT tells no interrupt: the pause doubles.
constexpr microseconds kFirstPause{10}, kLongestPause{500};
constexpr std::uint32_t kFirstWait = 1000;  // us; XRT waits by milliseconds
constexpr std::uint32_t kSpinReads = 20;

struct Refusal {
  vdla_driver_status status;
  std::string why;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// XRT finds its drivers below $XILINX_XRT/lib.
void require_xrt() {
  const std::string root = variable("XILINX_XRT");
  std::error_code none;
  if (!root.empty() && std::filesystem::exists(std::filesystem::path(root) / "lib/libxrt_core.so.2", none))
    return;
  const std::string seen =
      root.empty() ? "XILINX_XRT is not set, and XRT finds its drivers by it"
                   : fmt::format("XILINX_XRT is '{0}', and there is no '{0}/lib/libxrt_core.so.2'", root);
  throw Refusal{
      VDLA_DRIVER_NO_DEVICE,
      fmt::format("{}; source the setup.sh of AMD's XRT, or for Debian's libxrt1: mkdir xrt; ln -s {} "
                  "xrt/lib; export XILINX_XRT=$PWD/xrt",
                  seen, vdla_xrt_libraries())};
}

xrt::xclbin read_xclbin(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none))
    throw Refusal{VDLA_DRIVER_ARGUMENT, fmt::format("the xclbin {} is not there; boards/fpga/build.sh "
                                                    "makes one (boards/alveo-u50)",
                                                    file)};
  try {
    return xrt::xclbin(file);
  } catch (const std::exception& e) {
    throw Refusal{VDLA_DRIVER_ARGUMENT, fmt::format("{} is no xclbin (XRT: {}); boards/fpga/build.sh makes "
                                                    "one (boards/alveo-u50)",
                                                    file, e.what())};
  }
}

/// The bank that the kernel's memory port is linked to.
xrt::memory_group bank_of(const xrt::xclbin& xclbin, const std::string& file) {
  std::string others;
  for (const xrt::xclbin::ip& ip : xclbin.get_ips()) {
    const std::string name = ip.get_name();
    if (name.substr(0, name.find(':')) != kKernel) {
      others += (others.empty() ? "" : ", ") + name;
      continue;
    }
    for (const xrt::xclbin::arg& argument : ip.get_args())
      for (const xrt::xclbin::mem& memory : argument.get_mems())
        return static_cast<xrt::memory_group>(memory.get_index());
    throw Refusal{VDLA_DRIVER_ARGUMENT, fmt::format("{} links kernel {} to no bank of memory", file, name)};
  }
  throw Refusal{VDLA_DRIVER_ARGUMENT, fmt::format("{} has no kernel {}, it has {}", file, kKernel,
                                                  others.empty() ? "none" : others)};
}

xrt::device open_card(const std::string& device) {
  try {
    unsigned number = 0;
    const char* const end = device.data() + device.size();
    const auto [last, problem] = std::from_chars(device.data(), end, number);
    return problem == std::errc() && last == end ? xrt::device(number) : xrt::device(device);
  } catch (const std::exception& e) {
    throw Refusal{VDLA_DRIVER_NO_DEVICE,
                  fmt::format("XRT has no card {} (XRT: {}); xbutil examine lists the cards of this machine",
                              device, e.what())};
  }
}

xrt::uuid load(xrt::device& card, const std::string& device, const xrt::xclbin& xclbin,
               const std::string& file) {
  try {
    return card.load_xclbin(xclbin);
  } catch (const std::exception& e) {
    throw Refusal{
        VDLA_DRIVER_ARGUMENT,
        fmt::format("card {} does not take {} (XRT: {}): it is of another platform, or another process uses "
                    "the card with another xclbin; xbutil examine --device {} says which",
                    device, file, e.what(), device)};
  }
}

xrt::ip take_kernel(const xrt::device& card, const xrt::uuid& loaded, const std::string& device) {
  try {
    return {card, loaded, kKernel};
  } catch (const std::system_error& e) {
    const bool busy = e.code().value() == EBUSY || e.code().value() == EAGAIN;
    throw Refusal{busy ? VDLA_DRIVER_OWNED : VDLA_DRIVER_TRANSPORT,
                  fmt::format("kernel {} of card {} cannot be had{} (XRT: {})", kKernel, device,
                              busy ? ": another process has it" : "", e.what())};
  }
}

CardPlace place_of(const xrt::device& card) {
  return xrt_is_emulated() ? place_of_emulated_card()
                           : place_of_card(card.get_info<xrt::info::device::bdf>());
}

void repair_emulation() {
  if (const std::string missing = mend_emulation(); !missing.empty())
    throw Refusal{
        VDLA_DRIVER_NO_DEVICE,
        fmt::format("XCL_EMULATION_MODE is '{}', and only hw_emu of XRT 2.13 is known here: {}; set "
                    "it to hw_emu and take that XRT, or unset it for a card",
                    variable("XCL_EMULATION_MODE"), missing)};
}

/// Interrupt of the kernel, where the link has wired it and XRT knows it.
std::optional<xrt::ip::interrupt> interrupt_of(xrt::ip& kernel) {
  try {
    return kernel.create_interrupt_notify();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

vdla_driver_status report(const Refusal& refusal, char* message, std::size_t size) {
  if (size > 0) std::snprintf(message, size, "%s", refusal.why.c_str());
  return refusal.status;
}

/// Blocks in the bank that the kernel reaches, and this process's copies of them.
class CardMemory {
 public:
  void take(const xrt::device& card, xrt::memory_group bank, std::uint64_t bytes, std::uint64_t alignment,
            std::uint64_t* address) {
    Block block;
    for (std::uint64_t room : {std::uint64_t{0}, alignment}) {
      block.size = (std::max<std::uint64_t>(bytes, 1) + room + kLine - 1) / kLine * kLine;
      block.memory = xrt::bo(card, block.size, xrt::bo::flags::normal, bank);
      *address = (block.memory.address() + alignment - 1) & ~(alignment - 1);
      block.skipped = *address - block.memory.address();
      if (block.skipped <= room) break;
    }
    block.bytes = block.memory.map<char*>();
    blocks_.insert_or_assign(*address, std::move(block));
  }

  void give_back(std::uint64_t address) { blocks_.erase(address); }

  /// This process's copy of these bytes.
  char* at(std::uint64_t address, std::uint64_t bytes) {
    const Range r = range(address, bytes);
    return r.block->bytes + r.offset;
  }

  void sync(xclBOSyncDirection direction, std::uint64_t address, std::uint64_t bytes) {
    const Range r = range(address, bytes);
    const std::uint64_t first = r.offset / kLine * kLine;
    const std::uint64_t end = std::min((r.offset + bytes + kLine - 1) / kLine * kLine, r.block->size);
    const std::uint64_t longest = xrt_is_emulated() ? kLongestTransfer : end - first;
    for (std::uint64_t at = first; at < end; at += longest)
      r.block->memory.sync(direction, std::min(longest, end - at), at);
  }

 private:
  struct Block {
    xrt::bo memory;
    char* bytes = nullptr;  // this process's copy, which syncs move
    std::uint64_t size = 0;
    std::uint64_t skipped = 0;  // bytes in front of the block, for its alignment
  };
  /// Bytes of a block, counted in its memory.
  struct Range {
    Block* block;
    std::uint64_t offset;
  };

  Range range(std::uint64_t address, std::uint64_t bytes) {
    auto at = blocks_.upper_bound(address);
    if (at != blocks_.begin()) {
      Block& block = (--at)->second;
      const std::uint64_t offset = address - at->first + block.skipped;
      if (offset <= block.size && bytes <= block.size - offset) return {&block, offset};
    }
    throw std::out_of_range(fmt::format("no block has {} bytes at {:#x}", bytes, address));
  }

  std::map<std::uint64_t, Block> blocks_;  // blocks by device address
};

}  // namespace

/// A card's kernel, and blocks of memory in the bank that it reaches.
struct vdla_xrt {
 public:
  explicit vdla_xrt(const vdla_xrt_options& options) : resets_(options.no_reset == 0) {
    const xrt::xclbin xclbin = read_xclbin(options.xclbin);
    bank_ = bank_of(xclbin, options.xclbin);
    require_xrt();
    card_ = open_card(options.device);
    take_card();
    if (xrt_is_emulated()) repair_emulation();
    kernel_ = take_kernel(card_, load(card_, options.device, xclbin, options.xclbin), options.device);
    if (!xrt_is_emulated()) interrupt_ = interrupt_of(kernel_);
    if (resets_ && options.no_reset_by_signals == 0) before_ending_.emplace([this] { reset(); });
    if (!interrupt_) return;
    functions_.arm_interrupt = arm_interrupt;
    functions_.spin_reads = kSpinReads;
    functions_.first_wait = kFirstWait;
  }
  vdla_xrt(const vdla_xrt&) = delete;
  vdla_xrt& operator=(const vdla_xrt&) = delete;

  const vdla_transport* functions() const { return &functions_; }
  /// Before this object goes, or is left to the end of the process.
  void leave() {
    if (resets_) reset();  // first: a signal that comes now finds it done
    before_ending_.reset();
  }
  /// Leaves the object to the end of the process.
  void give_back() {
    leave();
    lock_.give_back();
  }

 private:
  /// Before the card is configured for this process: another one may be at work on it.
  void take_card() {
    std::string why;
    const vdla_driver_status status = lock_.take(place_of(card_), why);
    if (status != VDLA_DRIVER_OK) throw Refusal{status, why};
  }

  /// Resets the device. May be called from another thread during a call of XRT, so it leaves error_ alone.
  void reset() noexcept {
    try {
      kernel_.write_register(VDLA_REG_CONTROL, VDLA_CONTROL_SOFT_RESET);
    } catch (const std::exception&) {  // no caller is left to tell
    }
  }

  static vdla_xrt& self(void* context) { return *static_cast<vdla_xrt*>(context); }

  /// Runs the body; what it throws becomes last_error().
  template <class Body>
  int attempt(const char* what, Body body) noexcept {
    try {
      body();
      return 0;
    } catch (const std::exception& e) {
      std::snprintf(error_, sizeof error_, "XRT cannot %s: %s", what, e.what());
    } catch (...) {
      std::snprintf(error_, sizeof error_, "XRT cannot %s", what);
    }
    return 1;
  }

  /// Returns microseconds since `start` as time-outs count them: slower under emulation.
  static std::uint64_t since(Clock::time_point start) {
    const auto passed = std::chrono::duration_cast<microseconds>(Clock::now() - start).count();
    return static_cast<std::uint64_t>(passed) / (xrt_is_emulated() ? kEmulatedSlowness : 1);
  }

  vdla_wait_result poll(std::uint64_t timeout, std::uint64_t* spent) {
    const auto start = Clock::now();
    for (microseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
      const bool ended = kernel_.read_register(VDLA_REG_IRQ_STATUS) != 0;
      *spent = since(start);
      if (ended) return VDLA_WAIT_INTERRUPT;
      if (*spent >= timeout) return VDLA_WAIT_TIMEOUT;
      std::this_thread::sleep_for(pause);
    }
  }

  vdla_wait_result block(std::uint64_t timeout, std::uint64_t* spent) {
    constexpr std::uint64_t kLongest = 60'000;
    const auto start = Clock::now();
    const std::uint64_t wanted = std::clamp<std::uint64_t>(timeout / 1000, 1, kLongest);
    const std::cv_status how = interrupt_->wait(milliseconds(wanted));
    *spent = since(start);
    return how == std::cv_status::no_timeout ? VDLA_WAIT_INTERRUPT : VDLA_WAIT_TIMEOUT;
  }

  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    return self(context).attempt("read a register",
                                 [&] { *value = self(context).kernel_.read_register(offset); });
  }
  static int write32(void* context, std::uint32_t offset, std::uint32_t value) {
    const auto held = BeforeEnding::hold();  // nothing is started after the reset before the end
    return self(context).attempt("write a register",
                                 [&] { self(context).kernel_.write_register(offset, value); });
  }
  static int alloc(void* context, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    return self(context).attempt("allocate memory of the card", [&] {
      self(context).memory_.take(self(context).card_, self(context).bank_, bytes, alignment, address);
    });
  }
  static void free(void* context, std::uint64_t address) {
    self(context).attempt("free memory of the card", [&] { self(context).memory_.give_back(address); });
  }
  static int copy_in(void* context, std::uint64_t address, const void* from, std::uint64_t bytes) {
    return self(context).attempt("copy to the card",
                                 [&] { std::memcpy(self(context).memory_.at(address, bytes), from, bytes); });
  }
  static int copy_out(void* context, void* to, std::uint64_t address, std::uint64_t bytes) {
    return self(context).attempt("copy from the card",
                                 [&] { std::memcpy(to, self(context).memory_.at(address, bytes), bytes); });
  }
  static int sync_for_device(void* context, std::uint64_t address, std::uint64_t bytes) {
    return self(context).attempt("bring memory to the card", [&] {
      self(context).memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE, address, bytes);
    });
  }
  static int sync_for_cpu(void* context, std::uint64_t address, std::uint64_t bytes) {
    return self(context).attempt("bring memory from the card", [&] {
      self(context).memory_.sync(XCL_BO_SYNC_BO_FROM_DEVICE, address, bytes);
    });
  }
  static void* map(void* context, std::uint64_t address, std::uint64_t bytes) {
    void* at = nullptr;
    self(context).attempt("map memory", [&] { at = self(context).memory_.at(address, bytes); });
    return at;
  }
  static int arm_interrupt(void* context) {
    return self(context).attempt("enable the interrupt", [&] {
      self(context).interrupt_->wait(milliseconds(0));
      self(context).interrupt_->enable();
    });
  }
  static vdla_wait_result wait_interrupt(void* context, std::uint64_t timeout, std::uint64_t* spent) {
    vdla_xrt& xrt = self(context);
    vdla_wait_result result = VDLA_WAIT_FAILED;
    xrt.attempt("wait for the device",
                [&] { result = xrt.interrupt_ ? xrt.block(timeout, spent) : xrt.poll(timeout, spent); });
    return result;
  }
  static int configured(void*, const char** said) {
    *said = "XRT has loaded the xclbin";  // else there would be no transport
    return 0;
  }
  static const char* last_error(void* context) { return self(context).error_; }

  vdla_transport functions_{.context = this,
                            .time_unit = "us",
                            .read32 = read32,
                            .write32 = write32,
                            .alloc = alloc,
                            .free = free,
                            .copy_in = copy_in,
                            .copy_out = copy_out,
                            .sync_for_device = sync_for_device,
                            .sync_for_cpu = sync_for_cpu,
                            .wait_interrupt = wait_interrupt,
                            .last_error = last_error,
                            .map = map,
                            .units_per_second = kMicroseconds,
                            .cache_line = static_cast<std::uint32_t>(kLine),
                            .configured = configured};
  const bool resets_;
  xrt::memory_group bank_ = 0;
  CardLock lock_;  // given back after all that is the card's
  xrt::device card_;
  xrt::ip kernel_;
  std::optional<xrt::ip::interrupt> interrupt_;
  CardMemory memory_;
  char error_[VDLA_MESSAGE_BYTES] = "";
  std::optional<BeforeEnding> before_ending_;  // goes before what it resets
};

vdla_driver_status vdla_xrt_open(const vdla_xrt_options* options, vdla_xrt** xrt, char* message,
                                 std::size_t size) {
  *xrt = nullptr;
  vdla_driver_status status = VDLA_DRIVER_OK;
  const PrintsToStandardError meanwhile;
  try {
    *xrt = new vdla_xrt(*options);
  } catch (const Refusal& refusal) {
    status = report(refusal, message, size);
  } catch (const std::exception& e) {
    status =
        report({VDLA_DRIVER_TRANSPORT, fmt::format("XRT fails with card {}: {}", options->device, e.what())},
               message, size);
  }
  end_before_emulation();
  return status;
}

void vdla_xrt_close(vdla_xrt* xrt) {
  if (xrt == nullptr) return;
  if (xrt_is_emulated()) {  // the end of the process frees what the emulation crashes of
    xrt->give_back();
    end_before_emulation();
    return;
  }
  xrt->leave();
  delete xrt;
}

const vdla_transport* vdla_xrt_transport(const vdla_xrt* xrt) { return xrt->functions(); }

const char* vdla_xrt_libraries(void) {
  static const std::string folder = [] {
    Dl_info info{};
    const auto function = reinterpret_cast<const void*>(&xrtDeviceOpen);
    const bool found = dladdr(function, &info) != 0 && info.dli_fname != nullptr;
    std::error_code none;
    return found ? std::filesystem::canonical(info.dli_fname, none).parent_path().string() : std::string();
  }();
  return folder.c_str();
}
