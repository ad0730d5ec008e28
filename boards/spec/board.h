// SPDX-License-Identifier: Apache-2.0
// A board as data: what boards/<board>/board.json says of where the accelerator's registers, its memory and
// its interrupt lie. Everything made for a board (scripts, overlay, link script, header) follows from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::boards {

/// How the accelerator is reached. X(enumerator, "name in board.json", "text").
#define VDLA_BOARD_FAMILIES(X)                                                             \
  X(Zynq7000, "zynq7000", "Zynq-7000: Cortex-A9, AXI3 ports to the memory controller")     \
  X(ZynqMp, "zynqmp", "Zynq UltraScale+: Cortex-A53, AXI4 ports to the memory controller") \
  X(Pci, "pci", "PCI device of an x86 host")                                               \
  X(Xrt, "xrt", "PCI card with a Vitis platform, used through XRT")

enum class Family : std::uint8_t {
#define VDLA_BOARD_FAMILY(name, key, text) name,
  VDLA_BOARD_FAMILIES(VDLA_BOARD_FAMILY)
#undef VDLA_BOARD_FAMILY
};
std::string_view key(Family family);   ///< "zynq7000"
std::string_view text(Family family);  ///< for people

/// Bytes of the address space as the accelerator and the CPU see it.
struct Region {
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t end() const { return base + bytes; }
  bool contains(const Region& other) const { return other.base >= base && other.end() <= end(); }
  bool overlaps(const Region& other) const { return base < other.end() && other.base < end(); }
};

/// The FPGA; a simulated board has none.
struct Fpga {
  std::string part;    ///< name in boards/parts.json: "xc7z020"
  std::string number;  ///< as Vivado wants it: "xc7z020clg400-1"
  std::string
      board_part;  ///< Vivado's board file, which sets up DDR and pins: "tul.com.tw:pynq-z2:part0:1.0"
};

/// Whom kernels of the host and firmware are compiled for.
struct Cpu {
  std::string name;               ///< as LLVM names it: "cortex-a9"
  std::string triple;             ///< under Linux: "armv7-unknown-linux-gnueabihf"
  std::string bare_metal_triple;  ///< without an operating system; empty: no firmware for this board
  std::string features;           ///< as LLVM takes them: "+neon"
};

/// A port of the processing system and what lies behind it.
struct Registers {
  Region region;
  std::string port;  ///< port of the processing system, which is the master: "M_AXI_GP0"
};

/// Memory that the accelerator alone reaches and uses.
struct Memory {
  Region region;
  /// Port of the processing system, which is the slave: "S_AXI_HP0"; of XRT a bank: "HBM[0]".
  std::string port;
  unsigned width_bits = 0;    ///< data width that the port is set to; 0 where there is no such port
  unsigned address_bits = 0;  ///< bits that the port has; 0 where there is no such port
};

/// A generic interrupt controller's number of the first interrupt that is not private to a CPU. Device trees
/// and QEMU count from there.
inline constexpr unsigned kFirstSharedInterrupt = 32;

struct Interrupt {
  std::string port;     ///< port of the processing system: "IRQ_F2P"
  unsigned bit = 0;     ///< bit of that port
  unsigned gic_id = 0;  ///< follows from both: as the interrupt controller numbers it, shared ones from 32 on
};

struct Uart {
  std::uint64_t base = 0;  ///< a Cadence UART
};

/// A machine of QEMU that stands for the board.
struct Qemu {
  std::string system, machine;   ///< "qemu-system-arm", "xilinx-zynq-a9"
  std::string interrupt_object;  ///< QOM path whose input is the accelerator's interrupt
  /// Whether the machine has the register in which the family's processing system says that the fabric is
  /// configured (boards/spec/ports.h); else there is nothing to ask.
  bool has_fabric_status = true;
};

struct Pci {
  unsigned vendor = 0, device = 0;
  unsigned slot = 0;  ///< on the host's bus
  unsigned gsi = 0;   ///< input of the host's interrupt controller that the slot's INTA leads to
};

/// A board that XRT drives: a card, or its emulation. Exactly one of the two names is set.
struct Xrt {
  std::string platform;   ///< "xilinx_u50_gen3x16_xdma_5_202210_1"
  std::string emulation;  ///< mode of XRT in which there is no card: "hw_emu"
};

/// Source of facts.
struct Source {
  std::vector<std::string> fields;  ///< JSON pointers: "/memory/port"
  std::string document;
};

/// Facts of a board; its family decides which are there (boards/README.md has the table), and load_board()
/// sees to it.
struct Board {
  std::string name, title;
  Family family = Family::Zynq7000;
  isa::Variant variant;
  std::string variant_text;  ///< as board.json names it
  double clock_mhz = 0;      ///< asked of the tools, not measured
  Cpu cpu;
  std::optional<Fpga> fpga;
  std::optional<Registers> registers;
  Memory memory;
  std::optional<Interrupt> interrupt;
  std::optional<Uart> uart;
  std::optional<Region> ram;       ///< the CPU's memory, as far as it lies at one address
  std::optional<Region> firmware;  ///< the part of it in which a program without operating system lies
  std::optional<Qemu> qemu;        ///< a simulated board
  std::optional<Pci> pci;
  std::optional<Xrt> xrt;
  std::vector<Source> sources;
  std::filesystem::path folder;  ///< folder of its board.json

  bool simulated() const { return qemu || (xrt && !xrt->emulation.empty()); }
  /// A processing system of the maker beside the fabric, with registers, memory and interrupt by its ports.
  bool has_arm() const;
  /// Whether the processing system's memory ports have bursts of AXI3, of at most 16 beats.
  bool axi3() const { return family == Family::Zynq7000; }
  /// Input of Qemu::interrupt_object that the accelerator drives.
  unsigned qemu_interrupt_input() const;
};

/// File of a variant of the kit in `root`.
std::filesystem::path variant_file(const std::string& name, const std::filesystem::path& root);

/// Names of variants that need no file of the user's: those that are compiled in, then the others of
/// `root`/isa/variants; each list is sorted.
std::vector<std::string> kit_variant_names(const std::filesystem::path& root);

/// The variant of that name; nothing where there is none.
std::optional<isa::Variant> kit_variant(const std::string& name, const std::filesystem::path& root);

/// The kit's boards, sorted: folders of `root`/boards with a board.json. `root` is the source tree or
/// share/vdla of an installed kit (kit/data.h).
std::vector<std::string> board_names(const std::filesystem::path& root);

/// A board by name, or by the path of a board.json or of its folder. Throws UserError: an unknown name lists
/// the known ones; a bad file names line, column, field, the value seen and the value needed; a name that no
/// board has, too.
Board load_board(const std::string& name_or_path, const std::filesystem::path& root);

}  // namespace vdla::boards
