// SPDX-License-Identifier: Apache-2.0
#include "boards/generate/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "boards/spec/describe.h"
#include "boards/spec/ports.h"
#include "boards/spec/variant_name.h"
#include "isa/spec/geometry.h"
#include "isa/variants/variants.h"
#include "support/element_with.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/input_file.h"
#include "support/path.h"
#include "support/shell_word.h"

namespace vdla::boards {
namespace {

namespace fs = std::filesystem;

/// A file of boards/generate/templates for boards of some families.
struct Template {
  std::string_view path, name;
  bool (*wanted)(const Board&);
  bool executable = false;
};

bool for_all(const Board&) { return true; }
bool for_arm(const Board& b) { return b.has_arm(); }
bool for_firmware(const Board& b) { return b.firmware.has_value(); }
bool for_fpga(const Board& b) { return b.fpga.has_value(); }
bool for_arm_fpga(const Board& b) { return b.has_arm() && b.fpga; }
bool for_pci(const Board& b) { return b.pci.has_value(); }
bool for_xrt(const Board& b) { return b.xrt && b.fpga; }

/// Files that the board's tools leave in build/ for a release.
std::vector<std::string> built_files(const Board& b) {
  if (for_xrt(b)) return {"vdla.xclbin"};
  return {"vdla.bit", "vdla.xsa", "timing.txt"};
}

constexpr Template kTemplates[] = {
    {"page.md", "README.md", for_all},
    {"arm/board.h", "board.h", for_arm},
    {"pci/board.h", "board.h", for_pci},
    {"arm/firmware.ld", "firmware.ld", for_firmware},
    {"arm/overlay.dtso", "overlay.dtso", for_arm},
    {"fpga/clock.xdc", "clock.xdc", for_fpga},
    {"fpga/package.tcl", "package.tcl", for_fpga},
    {"fpga/design.tcl", "design.tcl", for_arm_fpga},
    {"fpga/build.tcl", "build.tcl", for_arm_fpga},
    {"xrt/kernel.tcl", "kernel.tcl", for_xrt},
    {"xrt/link.cfg", "link.cfg", for_xrt},
    {"xrt/build.sh", "build.sh", for_xrt, true},
    {"fpga/release.sh", "release.sh", for_fpga, true},
};

/// Vivado's IP of a processing system, and what it calls clock and reset of the fabric.
struct ProcessingSystem {
  Family family;
  std::string_view ip, rule, automation, clock_pin, reset_pin, clock_property, settings, gic_label;
};
constexpr ProcessingSystem kProcessingSystems[] = {
    {Family::Zynq7000, "xilinx.com:ip:processing_system7", "xilinx.com:bd_rule:processing_system7",
     R"(make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable")", "FCLK_CLK0",
     "FCLK_RESET0_N", "PCW_FPGA0_PERIPHERAL_FREQMHZ", "PCW_EN_CLK0_PORT PCW_EN_RST0_PORT PCW_IRQ_F2P_INTR",
     "intc"},
    {Family::ZynqMp, "xilinx.com:ip:zynq_ultra_ps_e", "xilinx.com:bd_rule:zynq_ultra_ps_e",
     R"(apply_board_preset "1")", "pl_clk0", "pl_resetn0", "PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ",
     "PSU__FPGA_PL0_ENABLE", "gic"},
};

std::string hex(std::uint64_t value) { return fmt::format("0x{:08x}", value); }

std::string read(const fs::path& path) {
  const std::vector<std::byte> bytes = read_input(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string without_last_newline(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Parameters of vdla_axi.
std::string parameters(const Board& board, const Surroundings& around) {
  std::string lines;
  for (const auto& [name, value] : around.parameters) lines += fmt::format("  {} {}\n", name, value);
  constexpr unsigned kAllBits = 64;
  constexpr double kKilohertz = 1e3;
  const unsigned bits = board.memory.address_bits;
  return lines + fmt::format("  Axi3 {}\n  GeometryHash 0x{:016x}\n  ClockKhz {:.0f}\n  AddressBits {}",
                             board.axi3() ? 1 : 0, isa::geometry_hash(board.variant.geometry),
                             kKilohertz * board.clock_mhz, bits == 0 ? kAllBits : bits);
}

/// Ports between processing system and fabric: the board's are on, all others off. `line` makes a line of a
/// property and the value that it gets.
template <class Line>
std::string ports(const Board& board, Line&& line) {
  std::string lines;
  for (const MasterPort& p : master_ports()) {
    if (p.family != board.family) continue;
    const bool used = p.name == board.registers->port;
    lines += line(p.use, used ? "1" : "0");
    if (used && !p.width.empty()) lines += line(p.width, "32");
  }
  for (const SlavePort& p : slave_ports()) {
    if (p.family != board.family) continue;
    const bool used = p.name == board.memory.port;
    lines += line(p.use, used ? "1" : "0");
    if (used) lines += line(p.width, std::to_string(board.memory.width_bits));
  }
  return lines;
}

void add_tree_values(Values::Map& v, const Board& board, const ProcessingSystem& ps) {
  v["CELLS"] = std::to_string(device_tree_cells(board));
  v["MEMORY_UNIT"] = fmt::format("{:x}", board.memory.region.base);
  v["MEMORY_REG"] = device_tree_reg(board, board.memory.region);
  v["REGISTERS_UNIT"] = fmt::format("{:x}", board.registers->region.base);
  v["REGISTERS_REG"] = device_tree_reg(board, board.registers->region);
  v["GIC_LABEL"] = ps.gic_label;
  v["SPI"] = std::to_string(board.interrupt->gic_id - kFirstSharedInterrupt);
}

void add_design_values(Values::Map& v, const Board& board, const ProcessingSystem& ps) {
  const MasterPort& master = element_with(master_ports(), board.registers->port, &MasterPort::name);
  const SlavePort& slave = element_with(slave_ports(), board.memory.port, &SlavePort::name);
  const InterruptPort& irq = element_with(interrupt_ports(), board.interrupt->port, &InterruptPort::name);
  v["PS_IP"] = ps.ip;
  v["PS_RULE"] = ps.rule;
  v["PS_AUTOMATION"] = ps.automation;
  v["PS_CLOCK_PIN"] = ps.clock_pin;
  v["PS_RESET_PIN"] = ps.reset_pin;
  v["REGISTERS_CLOCK_PIN"] = master.clock;
  v["MEMORY_CLOCK_PIN"] = slave.clock;
  v["MEMORY_SEGMENT"] = slave.segment;
  const auto setting = [](std::string_view property, const std::string& value) {
    return fmt::format("  CONFIG.{} {}\n", property, value);
  };
  std::string settings =
      ports(board, setting) + setting(irq.use, "1") + setting(ps.clock_property, v["CLOCK_MHZ"]);
  for (std::string_view rest = ps.settings; !rest.empty();) {
    const std::string_view property = rest.substr(0, rest.find(' '));
    settings += setting(property, "1");
    rest.remove_prefix(std::min(rest.size(), property.size() + 1));
  }
  settings.pop_back();
  v["PS_SETTINGS"] = settings;
  v["PS_CHECKS"] =
      fmt::format("  {} {} {{a port of another width computes wrong data without an error}}\n", slave.width,
                  board.memory.width_bits) +
      fmt::format("  {} 1 {{the accelerator has no memory}}\n", slave.use) +
      fmt::format("  {} 1 {{the CPU does not reach the registers}}\n", master.use) +
      fmt::format("  {} 1 {{the interrupt never comes, and every run ends by slow polling}}", irq.use);
}

void add_arm_values(Values& values, const Board& board, const fs::path& root) {
  Values::Map& v = values.made;
  const ProcessingSystem& ps = element_with(kProcessingSystems, board.family, &ProcessingSystem::family);
  v["IS_ZYNQ7000"] = board.family == Family::Zynq7000 ? "1" : "0";
  v["IS_ZYNQMP"] = board.family == Family::ZynqMp ? "1" : "0";
  v["REGISTERS_BASE"] = hex(board.registers->region.base);
  v["REGISTERS_BYTES"] = hex(board.registers->region.bytes);
  values.texts["REGISTERS_PORT"] = board.registers->port;
  v["MEMORY_BASE"] = hex(board.memory.region.base);
  values.texts["INTERRUPT_PORT"] = board.interrupt->port;
  v["INTERRUPT_BIT"] = std::to_string(board.interrupt->bit);
  v["GIC_ID"] = std::to_string(board.interrupt->gic_id);
  v["UART_BASE"] = hex(board.uart->base);
  v["RAM_BASE"] = hex(board.ram->base);
  v["RAM_BYTES"] = hex(board.ram->bytes);
  const bool says = !board.qemu || board.qemu->has_fabric_status;
  const FabricStatus& status = element_with(fabric_statuses(), board.family, &FabricStatus::family);
  v["FABRIC_STATUS"] = says ? hex(status.address) : "0";
  v["FABRIC_BIT"] = std::to_string(says ? status.bit : 0);
  v["FABRIC_NAME"] = says ? status.name : "";
  if (board.firmware) {
    v["FIRMWARE_BASE"] = hex(board.firmware->base);
    v["FIRMWARE_BYTES"] = hex(board.firmware->bytes);
  }
  v["FABRIC_CLOCK"] = without_last_newline(
      read(root / "boards/generate/templates" / key(board.family) / "fabric_clock.dtso"));
  add_tree_values(v, board, ps);
  add_design_values(v, board, ps);
}

/// A text that a stranger chose, for files with that ending.
std::string inert(const std::string& text, const std::string& ending) {
  if (ending == ".tcl" || ending == ".xdc") return tcl_text(text);
  if (ending == ".sh") return shell_word(visible(text));
  if (ending == ".h" || ending == ".ld" || ending == ".dtso") return c_text(text);
  if (ending == ".md") return markdown_text(text);
  VDLA_CHECK(ending == ".cfg") << "a template for '" << ending << "', whose language is not known here";
  return visible(text);
}

}  // namespace

std::string filled(const std::string& text, const Values& values, const fs::path& path) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text[i] == '@'
                                ? text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", i + 1)
                                : std::string::npos;
    if (end == std::string::npos || end == i + 1 || text[end] != '@') {
      out += text[i++];
      continue;
    }
    const std::string name = text.substr(i + 1, end - i - 1);
    const auto made = values.made.find(name), chosen = values.texts.find(name);
    VDLA_CHECK_USER(made != values.made.end() || chosen != values.texts.end())
        << path.string() << " has @" << name << "@, which no fact of this board is called";
    out += made != values.made.end() ? made->second : inert(chosen->second, path.extension().string());
    i = end + 1;
  }
  return out;
}

namespace {

void add_page_values(Values& values, const Board& board, const Surroundings& around) {
  constexpr double kHertz = 1e6, kPercent = 100;
  Values::Map& v = values.made;
  values.texts["TITLE"] = board.title;
  v["COMPILE_COMMAND"] = markdown_code("vdla compile NETWORK --variant board:" + shell_word(board.name));
  v["CLOCK_WORD"] = board.simulated() ? "assumed" : "asked for";
  for (const Fact& fact : describe(board))
    v["FACTS_TABLE"] += fmt::format("| {} | {} |\n", fact.name, markdown_text(fact.text));
  for (const NetworkCycles& n : around.networks)
    v["NETWORKS_TABLE"] +=
        fmt::format("| {} | {} | {:.1f} at assumed {:g} MHz |\n", n.network, n.cycles,
                    kHertz * board.clock_mhz / static_cast<double>(n.cycles), board.clock_mhz);
  for (const Source& source : board.sources)
    v["SOURCES_TABLE"] +=
        fmt::format("| {} | {} |\n", fmt::join(source.fields, ", "), markdown_text(source.document));
  v["BUDGET"] = "";
  if (!around.budget.empty()) {
    std::string rows;
    for (const Budget& b : around.budget)
      rows += fmt::format("| {} | {:.0f} | {:.0f} | {:.0f} % |\n", b.resource, b.need, b.have,
                          kPercent * b.need / b.have);
    v["BUDGET_TABLE"] = without_last_newline(rows);
    v["BUDGET"] = "\n" + filled(read(around.root / "boards/generate/templates/budget.md"), values,
                                "boards/generate/templates/budget.md");
  }
  for (const char* table : {"FACTS_TABLE", "NETWORKS_TABLE", "SOURCES_TABLE"})
    v[table] = without_last_newline(v[table]);
}

/// Texts that a board's author chose, and the places of the kit.
Values::Map texts_of(const Board& board, const Surroundings& around) {
  Values::Map texts;
  texts["BOARD"] = board.name;
  texts["VARIANT"] = board.variant.name;
  texts["MEMORY_PORT"] = board.memory.port;
  texts["ROOT"] = without_links(around.root).lexically_proximate(without_links(around.out)).string();
  if (board.fpga) {
    texts["PART_NUMBER"] = board.fpga->number;
    texts["BOARD_PART"] = board.fpga->board_part;
  }
  if (board.xrt) texts["PLATFORM"] = board.xrt->platform;
  return texts;
}

Values values_of(const Board& board, const Surroundings& around) {
  constexpr double kHertz = 1e6, kNanoseconds = 1e3;
  Values values{{}, texts_of(board, around)};
  Values::Map& v = values.made;
  v["BANNER"] = comment_text(
      fmt::format("{} {}`: edit that file and make this one again.", kMark, shell_word(board.name)));
  v["BOARD_WORD"] = comment_text(shell_word(board.name));
  v["SIMULATED"] = board.simulated() ? "1" : "0";
  v["GEOMETRY_HASH"] = fmt::format("0x{:016x}", isa::geometry_hash(board.variant.geometry));
  v["PARAMETERS"] = parameters(board, around);
  v["AXI_PROTOCOL"] = board.axi3() ? "AXI3" : "AXI4";
  v["SIGNALS_LEFT_OUT"] = board.axi3() ? "AWREGION ARREGION" : "WID";
  v["CLOCK_MHZ"] = fmt::format("{:g}", board.clock_mhz);
  v["CLOCK_HZ"] = fmt::format("{:.0f}", board.clock_mhz * kHertz);
  v["PERIOD_NS"] = fmt::format("{:.3f}", kNanoseconds / board.clock_mhz);
  v["MEMORY_BYTES"] = hex(board.memory.region.bytes);
  v["EXPECTED_BRAM36"] = fmt::format("{:.0f}", std::ceil(around.block_rams));
  if (board.pci) {
    v["PCI_VENDOR"] = fmt::format("0x{:04x}", board.pci->vendor);
    v["PCI_DEVICE"] = fmt::format("0x{:04x}", board.pci->device);
  }
  v["RELEASED"] = fmt::format("{}", fmt::join(built_files(board), " "));
  v["BUILDER"] = board.xrt ? "build.sh" : "vivado -mode batch -source build.tcl";
  v["DEVICE_FLAG"] = board.xrt ? "--xrt 0:vdla.xclbin" : "--uio vdla";
  if (board.has_arm()) add_arm_values(values, board, around.root);
  add_page_values(values, board, around);
  return values;
}

}  // namespace

std::vector<std::string> files_of_release(const Board& board) {
  std::vector<std::string> files = built_files(board);
  files.insert(files.end(), {"selftest.json", "variant.json"});
  if (board.has_arm()) files.emplace_back("vdla.dtbo");
  return files;
}

std::vector<GeneratedFile> generate(const Board& board, const Surroundings& around) {
  const Values values = values_of(board, around);
  std::vector<GeneratedFile> files;
  for (const Template& t : kTemplates) {
    if (!t.wanted(board)) continue;
    const fs::path path = around.root / "boards/generate/templates" / t.path;
    files.push_back({std::string(t.name), filled(read(path), values, path), t.executable});
  }
  files.push_back({"variant.json", isa::to_json(on_board(board))});
  return files;
}

}  // namespace vdla::boards
