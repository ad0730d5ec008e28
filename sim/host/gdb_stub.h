// SPDX-License-Identifier: Apache-2.0
// QEMU's gdb stub: a processor that stops before it touches given addresses, with its registers and memory at
// hand (GDB's Remote Serial Protocol, as far as that needs it).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/host/connection.h"

namespace vdla::sim {

/// All calls but stopped() and interrupt() need a processor that stands still. UserError, with what was asked
/// and what came back, for an answer that is none.
class GdbStub {
 public:
  explicit GdbStub(Connection connection);

  /// Why the processor stands still.
  struct Halt {
    enum class Why : std::uint8_t { Access, Interrupted, Stepped, Exited };
    Why why = Why::Interrupted;
    unsigned status = 0;  ///< exit status of the program, for Exited
  };

  /// Stops before every access to these addresses from now on.
  void watch(std::uint64_t address, std::uint64_t bytes);
  /// Registers in the stub's order from 0 on, of the core that has stopped.
  std::vector<std::uint64_t> read_registers(unsigned count, unsigned register_bytes);
  /// At the next call, together with it: answers are waited for there.
  void write_register(unsigned number, std::uint64_t value, unsigned register_bytes);
  /// As the processor sees it, through its address translation.
  std::uint32_t read_word(std::uint64_t address);
  void go();
  /// One instruction, without interrupts.
  void step();

  /// Stops a processor that runs; stopped() says so. One that stands still already stays as it is.
  void interrupt();
  /// Waits for it to stop, at most that long.
  std::optional<Halt> stopped(std::chrono::microseconds patience);

  int fd() const { return connection_.fd(); }

 private:
  void put(const std::string& packet);
  std::optional<std::string> take(std::chrono::microseconds patience);
  std::string ask(const std::string& packet);
  std::string expect(const std::string& packet, std::size_t bytes);
  bool settle(std::chrono::microseconds patience);
  void select(const std::string& halt);

  Connection connection_;
  std::string received_;
  std::string queued_;                   ///< packets that wait for the next one
  std::vector<std::string> unanswered_;  ///< packets whose OK has not come
  std::string thread_;                   ///< thread whose registers are read
};

}  // namespace vdla::sim
