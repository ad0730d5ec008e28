// SPDX-License-Identifier: Apache-2.0
#include "sim/host/linux_guest.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "sim/host/companion.h"
#include "sim/host/initramfs.h"
#include "sim/host/pci_device.h"
#include "sim/host/qtest_line.h"
#include "sim/host/shared_memory.h"
#include "support/error.h"
#include "support/input_file.h"
#include "support/path.h"

namespace vdla::sim {
namespace {

using GuestClock = std::chrono::steady_clock;

constexpr std::string_view kStatusLine = "vdla-guest-status ";
/// Time of the guest for each slice of the engine's time.
constexpr std::chrono::milliseconds kProgramSlice{1};
constexpr std::chrono::milliseconds kLookAround{100};
constexpr long kSecond = 1'000'000'000;
constexpr std::size_t kKernelTail = 2000;
constexpr const char* kKernelFile = "vmlinuz";
constexpr const char* kModules[] = {"uio.ko", "vdla_uio.ko"};
constexpr std::uint64_t kMebibyte = 1 << 20, kBesideFiles = 192 * kMebibyte, kCopies = 3;
constexpr std::size_t kMostOfCommand = 65536;  // most bytes, also in init.c
/// So much memory of a PC lies in one piece.
constexpr std::uint64_t kLowMemory = 2048 * kMebibyte;

/// no_timer_check: when it starts, the kernel waits as long as ten ticks of its timer take, and gives up
/// where it has seen too few. On a busy machine QEMU is late with them.
constexpr const char* kKernelParameters = "console=ttyS0 quiet panic=-1 tsc=unstable no_timer_check";

const boards::Board& checked_pci_board(const boards::Board& board) {
  VDLA_CHECK_USER(board.qemu && board.pci && board.ram)
      << "board '" << board.name
      << "' runs no Linux here: needs a PCI device on a machine of QEMU, qemu-pci for "
      << "example";
  return board;
}

void add_copy(Initramfs& files, const std::string& path, const std::filesystem::path& from, bool executable) {
  const auto bytes = read_input(from);
  files.add_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, executable);
}

/// The program and its files lie beside each other, and each needs a name.
void add_work(Initramfs& files, const LinuxGuest& guest) {
  std::map<std::string, std::filesystem::path> sources;
  const auto add = [&](const std::filesystem::path& from, bool executable) {
    const std::string name = from.filename();
    const auto [at, is_new] = sources.emplace(name, from);
    VDLA_CHECK_USER(is_new) << "'" << at->second.string() << "' and '" << from.string() << "' would both be '"
                            << name << "' in the guest; rename one";
    add_copy(files, "work/" + name, from, executable);
  };
  add(guest.program, true);
  for (const auto& file : guest.files) add(file, false);
}

/// Text that boards/linux/init.c reads: name and arguments of the program, a zero behind each.
std::string command_of(const LinuxGuest& guest) {
  std::string words = "./" + guest.program.filename().string() + '\0';
  for (const std::string& argument : guest.arguments) words += argument + '\0';
  VDLA_CHECK_USER(words.size() <= kMostOfCommand)
      << "the program's arguments have " << words.size() << " bytes, needs at most " << kMostOfCommand;
  return words;
}

std::string file_system(const boards::Board& board, const LinuxGuest& guest) {
  const std::filesystem::path kernel = guest.kernel / kKernelFile;
  VDLA_CHECK_USER(is_there(kernel)) << "the guest's kernel " << kernel.string()
                                    << " is missing; boards/linux/get_kernel.sh gets it";
  Initramfs files;
  for (const char* folder : {"dev", "proc", "sys", "work"}) files.add_folder(folder);
  files.add_device("dev/console", 5, 1);
  add_copy(files, "init", guest.init, true);
  for (const char* module : kModules) add_copy(files, module, guest.kernel / module, false);
  files.add_file("vdla_uio.parameters", fmt::format("memory_bytes={}", board.memory.region.bytes), false);
  add_work(files, guest);
  files.add_file("arguments", command_of(guest), false);
  return std::move(files).finish();
}

class LinuxRun {
 public:
  LinuxRun(const boards::Board& board, const LinuxGuest& guest, const EngineOverMemory& make_engine,
           const HostOptions& options)
      : board_(checked_pci_board(board)),
        options_(options),
        files_(file_system(board, guest)),
        memory_(memory_bytes()),
        engine_(make_engine({{board.ram->base, memory_.bytes()}})),
        attached_(*engine_) {
    start(guest);
  }

  HostOutcome run() {
    const auto end = GuestClock::now() + options_.time_limit;
    while (!ended_) {
      if (GuestClock::now() >= end) give_up();
      const bool was_active = attached_.active();
      look();
      if (!was_active) slice_end_ = GuestClock::now() + kProgramSlice;
      if (!attached_.active() || GuestClock::now() < slice_end_) continue;
      attached_.advance();
      drive_line();
      slice_end_ = GuestClock::now() + kProgramSlice;
    }
    return outcome();
  }

 private:
  /// The board's memory, or more where the guest's files need it: its kernel unpacks them into at most half
  /// of the memory that they leave.
  std::uint64_t memory_bytes() const {
    const std::uint64_t needed = (kCopies * files_.size() + kBesideFiles) / kMebibyte * kMebibyte;
    VDLA_CHECK_USER(needed <= kLowMemory)
        << "the guest's files have " << files_.size() << " bytes, needs at most "
        << (kLowMemory - kBesideFiles) / kCopies;
    return std::max(board_.ram->bytes, needed);
  }

  void start(const LinuxGuest& guest) {
    const std::filesystem::path kernel = guest.kernel / kKernelFile;
    auto [device, their_device] = make_stream();
    auto [line, their_line] = make_stream();
    auto [output, their_output] = make_stream();
    const SharedMemory initial(files_.size());
    std::ranges::copy(std::as_bytes(std::span(files_)), initial.bytes().begin());
    const std::array inherited{memory_.fd(), initial.fd(), their_device.get(), their_line.get(),
                               their_output.get()};
    const std::vector<std::string> command{
        board_.qemu->system,
        "-accel",
        "tcg",
        "-cpu",
        "max",  // the default lacks what machine code of kernels needs
        "-M",
        board_.qemu->machine + ",memory-backend=ram",
        "-m",
        fmt::format("{}M", memory_.bytes().size() >> 20),
        "-object",
        fmt::format("memory-backend-file,id=ram,size={},mem-path=/proc/self/fd/{},share=on",
                    memory_.bytes().size(), memory_.fd()),
        "-nodefaults",
        "-no-reboot",
        "-display",
        "none",
        "-chardev",
        "stdio,id=console,signal=off",
        "-serial",
        "chardev:console",
        "-chardev",
        fmt::format("socket,id=program,fd={}", their_output.get()),
        "-serial",
        "chardev:program",
        "-kernel",
        kernel.string(),
        "-initrd",
        fmt::format("/proc/self/fd/{}", initial.fd()),
        "-append",
        kKernelParameters,
        "-device",
        fmt::format("x-pci-proxy-dev,id=vdla,addr={:x}.0,fd={}", board_.pci->slot, their_device.get()),
        "-chardev",
        fmt::format("socket,id=qtest,fd={}", their_line.get()),
        "-object",
        "qtest,id=line,chardev=qtest,log=none"};
    qemu_.emplace(command, inherited, qemu_package(board_.qemu->system));
    requests_.emplace(std::move(device), "QEMU's PCI proxy");
    device_.emplace(*board_.pci, attached_, *requests_);
    line_.emplace(Connection(std::move(line), "QEMU's qtest"), board_.qemu->interrupt_object,
                  board_.pci->gsi);
    output_.emplace(std::move(output), "the guest's serial line");
  }

  /// Requests first: the guest's processor waits for them. While a program runs on the engine, no longer than
  /// the guest's slice.
  void look() {
    std::array<pollfd, 3> ready{
        {{requests_->fd(), POLLIN, 0}, {output_->fd(), POLLIN, 0}, {qemu_->output(), POLLIN, 0}}};
    std::chrono::nanoseconds patience = kLookAround;
    if (attached_.active()) patience = std::max<std::chrono::nanoseconds>(slice_end_ - GuestClock::now(), {});
    const timespec limit{patience.count() / kSecond, patience.count() % kSecond};
    ppoll(ready.data(), ready.size(), &limit, nullptr);
    if ((ready[0].revents & POLLIN) != 0) {
      if (serve()) drive_line();
      return;
    }
    if ((ready[1].revents & POLLIN) != 0) print();
    console_ += qemu_->take_output();
    ended_ = ended_ || qemu_->wait(std::chrono::milliseconds(0)).has_value();
  }

  /// False when QEMU has ended, which looks the same as one that has closed its connection.
  bool serve() {
    try {
      device_->serve();
    } catch (const UserError&) {
      if (!qemu_->wait(kEnd)) throw;
      ended_ = true;
    }
    return !ended_;
  }

  void drive_line() {
    const bool high = device_->interrupt_line();
    if (options_.wire_interrupt) line_->set(high);
  }

  /// False when nothing more has come.
  bool print() {
    std::string text;
    try {
      output_->receive(text, std::chrono::milliseconds(0));
    } catch (const UserError&) {
      ended_ = qemu_->wait(kEnd).has_value();  // it closes its lines when it ends
    }
    if (!text.empty() && options_.print) options_.print(text);
    return !text.empty();
  }

  std::string kernel_said() const {
    return console_.substr(console_.size() > kKernelTail ? console_.size() - kKernelTail : 0);
  }

  [[noreturn]] void give_up() {
    console_ += qemu_->take_output();
    throw UserError(
        fmt::format("the guest did not end within {:g} s: the device has seen {} reads and {} writes of "
                    "registers and {} whole "
                    "runs; --time-limit gives it more; its kernel said last: {}",
                    static_cast<double>(options_.time_limit.count()) / 1000, attached_.counts().reads,
                    attached_.counts().writes, attached_.counts().runs, kernel_said()));
  }

  HostOutcome outcome() {
    while (print()) {
    }
    console_ += qemu_->take_output();
    const std::size_t at = console_.rfind(kStatusLine);
    VDLA_CHECK_USER(at != std::string::npos)
        << board_.qemu->system << " ended with status " << *qemu_->wait(std::chrono::milliseconds(0))
        << " before the guest had run its program: " << qemu_->take_errors() << kernel_said();
    return {std::stoi(console_.substr(at + kStatusLine.size())), attached_.counts(), attached_.stuck(),
            console_.substr(0, at)};
  }

  static constexpr std::chrono::milliseconds kEnd{5'000};

  const boards::Board& board_;
  const HostOptions& options_;
  std::string files_;
  SharedMemory memory_;
  std::unique_ptr<Engine> engine_;
  AttachedEngine attached_;
  std::optional<Companion> qemu_;
  std::optional<Connection> requests_, output_;
  std::optional<PciDevice> device_;
  std::optional<QtestLine> line_;
  std::string console_;  ///< output of the guest's kernel and init
  bool ended_ = false;
  GuestClock::time_point slice_end_;  ///< while a program runs on the engine
};

}  // namespace

std::vector<std::filesystem::path> guest_kernel_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files{folder / kKernelFile};
  for (const char* module : kModules) files.push_back(folder / module);
  return files;
}

bool has_guest_kernel(const std::filesystem::path& folder) {
  return std::ranges::all_of(guest_kernel_files(folder), is_there);
}

HostOutcome run_linux_guest(const boards::Board& board, const LinuxGuest& guest,
                            const EngineOverMemory& make_engine, const HostOptions& options) {
  return LinuxRun(board, guest, make_engine, options).run();
}

}  // namespace vdla::sim
