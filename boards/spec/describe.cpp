// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/describe.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace vdla::boards {
namespace {

std::string address(std::uint64_t value) { return fmt::format("0x{:08x}", value); }

/// "64 MiB", "4 KiB"
std::string size_text(std::uint64_t bytes) {
  constexpr unsigned kStep = 10;
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  unsigned unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes != 0 && bytes % (1U << kStep) == 0) {
    bytes >>= kStep;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string region_text(const Region& region) {
  return fmt::format("{} to {} ({})", address(region.base), address(region.end() - 1),
                     size_text(region.bytes));
}

std::string memory_text(const Board& board) {
  const Memory& memory = board.memory;
  if (memory.width_bits != 0)
    return fmt::format("{} through {}, {} bits, {}", region_text(memory.region), memory.port,
                       memory.width_bits, board.axi3() ? "AXI3" : "AXI4");
  return memory.port.empty() ? size_text(memory.region.bytes)
                             : fmt::format("{} in {}", size_text(memory.region.bytes), memory.port);
}

std::string cpu_text(const Cpu& cpu) {
  return fmt::format(
      "{}, {}{}", cpu.name, cpu.triple,
      cpu.bare_metal_triple.empty() ? "" : "; without operating system " + cpu.bare_metal_triple);
}

}  // namespace

unsigned device_tree_cells(const Board& board) { return board.family == Family::Zynq7000 ? 1 : 2; }

std::string device_tree_reg(const Board& board, const Region& region) {
  constexpr unsigned kCell = 32;
  const auto number = [&](std::uint64_t n) {
    return device_tree_cells(board) == 1 ? fmt::format("{:#x}", n)
                                         : fmt::format("{:#x} {:#x}", n >> kCell, n & UINT32_MAX);
  };
  return number(region.base) + " " + number(region.bytes);
}

std::string array_text(const isa::Geometry& g) {
  return fmt::format("{}x{}x{}", g.batch, g.block_in, g.block_out);
}

std::vector<Fact> describe(const Board& board) {
  std::vector<Fact> facts;
  const auto add = [&](const char* name, std::string text) { facts.push_back({name, std::move(text)}); };
  add("family", fmt::format("{} ({})", key(board.family), text(board.family)));
  if (board.fpga) add("part", board.fpga->number);
  if (board.xrt && !board.simulated()) add("platform", board.xrt->platform);
  if (board.xrt && board.simulated()) add("emulation", fmt::format("{} of XRT", board.xrt->emulation));
  add("variant", fmt::format("{} (array {})", board.variant_text, array_text(board.variant.geometry)));
  add("clock",
      fmt::format("{:g} MHz {}", board.clock_mhz, board.simulated() ? "assumed" : "asked for, not measured"));
  add("CPU", cpu_text(board.cpu));
  if (board.registers)
    add("registers",
        fmt::format("{} behind {}", region_text(board.registers->region), board.registers->port));
  add("memory", memory_text(board) + ", for the accelerator alone");
  if (board.interrupt)
    add("interrupt", fmt::format("{}[{}], number {} of the interrupt controller", board.interrupt->port,
                                 board.interrupt->bit, board.interrupt->gic_id));
  if (board.uart) add("UART", address(board.uart->base));
  if (board.ram) add("RAM", region_text(*board.ram));
  if (board.firmware) add("firmware", region_text(*board.firmware));
  if (board.pci)
    add("PCI", fmt::format("{:04x}:{:04x} in slot {}, interrupt {}", board.pci->vendor, board.pci->device,
                           board.pci->slot, board.pci->gsi));
  if (board.qemu)
    add("QEMU", fmt::format("{} -M {}; the interrupt is input {} of {}", board.qemu->system,
                            board.qemu->machine, board.qemu_interrupt_input(), board.qemu->interrupt_object));
  return facts;
}

}  // namespace vdla::boards
