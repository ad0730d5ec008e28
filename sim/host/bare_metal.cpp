// SPDX-License-Identifier: Apache-2.0
#include "sim/host/bare_metal.h"

#include <elf.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "sim/host/arm_access.h"
#include "sim/host/companion.h"
#include "sim/host/gdb_stub.h"
#include "sim/host/qtest_line.h"
#include "sim/host/shared_memory.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "support/input_file.h"

namespace vdla::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Time of the processor for each slice of the engine's time.
constexpr std::chrono::microseconds kProcessorSlice{200};
/// A processor stops at once when it is asked to.
constexpr milliseconds kStopPatience{10'000};
/// Between looks at what it prints and at the time.
constexpr milliseconds kIdle{200};
constexpr milliseconds kExit{5'000};

const boards::Board& checked_board(const boards::Board& board) {
  VDLA_CHECK_USER(board.qemu && board.has_arm() && board.registers && board.interrupt && board.ram)
      << "board '" << board.name
      << "' runs no firmware here: needs a board with a machine of QEMU and an Arm "
      << "processor, qemu-zynq for example";
  return board;
}

/// QEMU takes any file as a kernel, and the processor then runs what no program is.
void check_firmware(const boards::Board& board, const std::filesystem::path& firmware) {
  const std::vector<std::byte> bytes = read_input(firmware);
  Elf32_Ehdr head{};  // as far as it is read here, that of 64 bits is the same
  std::memcpy(&head, bytes.data(), std::min(bytes.size(), sizeof head));
  const FileKind kind = file_kind(bytes);
  const bool is_elf = kind == FileKind::Elf;
  const unsigned needed = board.family == boards::Family::ZynqMp ? EM_AARCH64 : EM_ARM;
  const std::string seen =
      is_elf ? fmt::format("an ELF file of machine {}", head.e_machine) : std::string(text_of(kind));
  VDLA_CHECK_USER(is_elf && head.e_machine == needed)
      << "'" << firmware.string() << "' is " << seen << ", and board " << board.name
      << " needs one of machine " << needed << ", a program of " << board.cpu.name
      << "; boards/firmware/build_firmware.sh makes one";
}

std::vector<std::string> command_line(const boards::Board& board, const std::filesystem::path& firmware,
                                      int memory, int gdb, int qtest) {
  return {board.qemu->system,
          "-M",
          board.qemu->machine + ",memory-backend=ram",
          "-m",
          fmt::format("{}M", board.ram->bytes >> 20),
          "-object",
          fmt::format("memory-backend-file,id=ram,size={},mem-path=/proc/self/fd/{},share=on",
                      board.ram->bytes, memory),
          "-nodefaults",
          "-display",
          "none",
          "-audiodev",
          "none,id=none",
          "-chardev",
          "stdio,id=console,mux=on,signal=off",
          "-serial",
          "chardev:console",
          "-semihosting-config",
          "enable=on,target=native,chardev=console",
          "-chardev",
          fmt::format("socket,id=gdb,fd={}", gdb),
          "-gdb",
          "chardev:gdb",
          "-chardev",
          fmt::format("socket,id=qtest,fd={}", qtest),
          "-object",
          "qtest,id=line,chardev=qtest,log=none",
          "-S",
          "-kernel",
          firmware.string()};
}

class BareMetal {
 public:
  BareMetal(const boards::Board& board, const std::filesystem::path& firmware,
            const EngineOverMemory& make_engine, const HostOptions& options)
      : board_(checked_board(board)),
        arm_(board.family == boards::Family::ZynqMp ? kA64 : kA32),
        options_(options),
        memory_(board.ram->bytes),
        engine_(make_engine({{board.ram->base, memory_.bytes()}})),
        device_(*engine_) {
    start(firmware);
  }

  HostOutcome run() {
    try {
      return run_to_end();
    } catch (const UserError& e) {
      // A QEMU that has ended says why itself.
      const auto status = qemu_->wait(milliseconds(100));
      if (!status) throw;
      throw UserError(fmt::format("{} ended with status {} ({}): {}", board_.qemu->system, *status, e.what(),
                                  qemu_->take_errors()));
    }
  }

 private:
  void start(const std::filesystem::path& firmware) {
    check_firmware(board_, firmware);
    auto [gdb, their_gdb] = make_stream();
    auto [line, their_line] = make_stream();
    const std::array inherited{memory_.fd(), their_gdb.get(), their_line.get()};
    qemu_.emplace(command_line(board_, firmware, memory_.fd(), their_gdb.get(), their_line.get()), inherited,
                  qemu_package(board_.qemu->system));
    gdb_ends_.emplace(std::move(gdb));
    line_.emplace(Connection(std::move(line), "QEMU's qtest"), board_.qemu->interrupt_object,
                  board_.qemu_interrupt_input());
  }

  HostOutcome run_to_end() {
    gdb_.emplace(Connection(std::move(*gdb_ends_), "QEMU's gdb stub"));
    gdb_->watch(board_.registers->region.base, board_.registers->region.bytes);
    const auto end = Clock::now() + options_.time_limit;
    gdb_->go();
    for (;;) {
      print();
      auto halt = device_.active() ? take_turn() : await();
      const bool late = Clock::now() >= end;
      if (late && !halt) halt = interrupted();
      if (!halt) continue;
      if (halt->why == GdbStub::Halt::Why::Exited) return outcome(halt->status);
      if (late) give_up();
      const bool was_active = device_.active();
      serve(halt->why);
      if (was_active && device_.active()) device_.advance();
      drive_line();
      resume();
    }
  }

  /// Does the access in front of which the processor stands, whatever stopped it. An interrupt may meet the
  /// watchpoint's own stop: QEMU forgets to report that one then, and lets the next access through to where
  /// no device is. One step over another instruction brings the report.
  void serve(GdbStub::Halt::Why why) {
    const bool interrupted = why == GdbStub::Halt::Why::Interrupted;
    bool served = access();
    VDLA_CHECK_USER(served || why != GdbStub::Halt::Why::Access || stepping_) << not_understood();
    if (interrupted && served)
      while (access()) {
      }
    stepping_ = interrupted && (served || stepping_);
  }

  void resume() {
    if (stepping_)
      gdb_->step();
    else
      gdb_->go();
  }

  /// Both have time, and neither runs away from the other: the processor has its slice until it stops, and
  /// stands still while the engine works.
  GdbStub::Halt take_turn() {
    const auto halt = gdb_->stopped(kProcessorSlice);
    return halt ? *halt : interrupted();
  }

  std::optional<GdbStub::Halt> await() {
    std::array<pollfd, 2> waiting{{{gdb_->fd(), POLLIN, 0}, {qemu_->output(), POLLIN, 0}}};
    poll(waiting.data(), waiting.size(), static_cast<int>(kIdle.count()));
    return gdb_->stopped(milliseconds(0));
  }

  GdbStub::Halt interrupted() {
    gdb_->interrupt();
    const auto halt = gdb_->stopped(kStopPatience);
    VDLA_CHECK_USER(halt) << board_.qemu->system << " does not stop its processor within "
                          << kStopPatience.count() / 1000 << " s";
    return *halt;
  }

  void print() {
    const std::string text = qemu_->take_output();
    if (!text.empty() && options_.print) options_.print(text);
  }

  void drive_line() {
    const bool high = device_.interrupt();
    if (options_.wire_interrupt) line_->set(high);
  }

  /// Does what the instruction in front of which the processor stands wants of the device, and puts the
  /// processor behind it. False for an instruction that is no access to the device.
  bool access() {
    const auto registers = gdb_->read_registers(arm_.registers, arm_.register_bytes);
    const std::uint64_t pc = registers[arm_.program_counter];
    std::uint32_t instruction = word_in_memory(pc);
    auto access = device_access(instruction, registers);
    if (!access) access = device_access(instruction = gdb_->read_word(pc), registers);
    if (!access) return false;
    const std::uint64_t offset = access->address - board_.registers->region.base;
    VDLA_CHECK_USER(access->bytes == 4 && offset % 4 == 0) << fmt::format(
        "the instruction {:08x} at 0x{:x} accesses {} bytes at 0x{:x}, the accelerator's registers need "
        "whole "
        "words of 4",
        instruction, pc, access->bytes, access->address);
    if (access->load) {
      const std::uint32_t value = device_.read(static_cast<std::uint32_t>(offset));
      if (access->target) set_register(*access->target, loaded_value(*access, value));
    } else {
      const std::uint64_t value = access->target ? registers[*access->target] : 0;
      device_.write(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(value));
    }
    if (access->write_back) set_register(access->write_back->number, access->write_back->value);
    set_register(arm_.program_counter, pc + 4);
    return true;
  }

  std::string not_understood() {
    const std::uint64_t pc = gdb_->read_registers(arm_.registers, arm_.register_bytes)[arm_.program_counter];
    return fmt::format(
        "the instruction {:08x} at 0x{:x} accesses the accelerator's registers, needs one of {}: {}{}",
        gdb_->read_word(pc), pc, arm_.name, arm_.forms,
        arm_.register_bytes == 4 ? " (Thumb code is not understood: compile with -marm)" : "");
  }

  /// Most programs run where they lie, at the addresses of the bus, and need not be asked for.
  std::uint32_t word_in_memory(std::uint64_t pc) const {
    const std::uint64_t at = pc - board_.ram->base;
    std::uint32_t word = 0;
    if (at <= board_.ram->bytes - sizeof word) std::memcpy(&word, memory_.bytes().data() + at, sizeof word);
    return word;
  }

  /// Access of an instruction to the device, if it makes one.
  std::optional<ArmAccess> device_access(std::uint32_t instruction,
                                         std::span<const std::uint64_t> registers) const {
    auto access = arm_.decode(instruction, registers);
    const boards::Region& device = board_.registers->region;
    if (access && access->address - device.base >= device.bytes) access.reset();
    return access;
  }

  void set_register(unsigned number, std::uint64_t value) {
    gdb_->write_register(number, value, arm_.register_bytes);
  }

  [[noreturn]] void give_up() {
    print();
    const auto registers = gdb_->read_registers(arm_.registers, arm_.register_bytes);
    throw UserError(
        fmt::format("the firmware did not end within {:g} s: its processor is at 0x{:x}, the device has seen "
                    "{} reads and {} "
                    "writes of registers and {} whole runs{}; --time-limit gives it more",
                    static_cast<double>(options_.time_limit.count()) / 1000, registers[arm_.program_counter],
                    device_.counts().reads, device_.counts().writes, device_.counts().runs,
                    device_.stuck().empty() ? "" : ", and is stuck: " + device_.stuck()));
  }

  HostOutcome outcome(unsigned status) {
    qemu_->wait(kExit);
    print();
    return {static_cast<int>(status), device_.counts(), device_.stuck(), ""};
  }

  const boards::Board& board_;
  const ArmState& arm_;
  const HostOptions& options_;
  SharedMemory memory_;
  std::unique_ptr<Engine> engine_;
  AttachedEngine device_;
  std::optional<Companion> qemu_;
  std::optional<Descriptor> gdb_ends_;
  std::optional<GdbStub> gdb_;
  std::optional<QtestLine> line_;
  bool stepping_ = false;  ///< over the instruction behind an access that an interrupt met
};

}  // namespace

HostOutcome run_bare_metal(const boards::Board& board, const std::filesystem::path& firmware,
                           const EngineOverMemory& make_engine, const HostOptions& options) {
  return BareMetal(board, firmware, make_engine, options).run();
}

}  // namespace vdla::sim
