// SPDX-License-Identifier: Apache-2.0
#include "boards/generate/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

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

constexpr std::string_view kTemplates = "boards/generate/templates";

/// A file of a board's folder, for boards of some kinds.
struct Row {
  std::string_view path;  ///< path of its text, in kTemplates or in boards/
  std::string_view name;  ///< name in the folder
  bool (*wanted)(const Board&);
};

bool for_all(const Board&) { return true; }
bool for_arm(const Board& b) { return b.has_arm(); }
bool for_firmware(const Board& b) { return b.firmware.has_value(); }
bool for_fpga(const Board& b) { return b.fpga.has_value(); }
bool for_arm_fpga(const Board& b) { return b.has_arm() && b.fpga; }
bool for_pci(const Board& b) { return b.pci.has_value(); }
bool for_xrt(const Board& b) { return b.xrt && b.fpga; }
template <Family family>
bool for_family(const Board& b) {
  return b.family == family;
}
template <Family family>
bool for_family_fpga(const Board& b) {
  return b.family == family && b.fpga;
}

/// Files that the board's tools leave in build/ for a release.
std::vector<std::string> built_files(const Board& b) {
  if (for_xrt(b)) return {"vdla.xclbin"};
  return {"vdla.bit", "vdla.xsa", "timing.txt"};
}

/// Texts that get the facts of a board.
constexpr Row kFilled[] = {
    {"page.md", "README.md", for_all},
    {"arm/board.h", "board.h", for_arm},
    {"pci/board.h", "board.h", for_pci},
    {"arm/firmware.ld", "firmware.ld", for_firmware},
    {"arm/overlay.dtso", "overlay.dtso", for_arm},
    {"fpga/clock.xdc", "clock.xdc", for_fpga},
    {"fpga/arm_variables.tcl", "variables.tcl", for_arm_fpga},
    {"xrt/variables.tcl", "variables.tcl", for_xrt},
    {"fpga/variables.sh", "variables.sh", for_fpga},
    {"xrt/link.cfg", "link.cfg", for_xrt},
};

/// Files that all boards share: a folder outside of the kit's boards gets copies.
constexpr Row kShared[] = {
    {"firmware/vdla_sections.ld", "vdla_sections.ld", for_firmware},
    {"linux/vdla_uio.dtsi", "vdla_uio.dtsi", for_arm},
    {"linux/zynq7000.dtsi", "zynq7000.dtsi", for_family<Family::Zynq7000>},
    {"linux/zynqmp.dtsi", "zynqmp.dtsi", for_family<Family::ZynqMp>},
    {"fpga/board.tcl", "board.tcl", for_fpga},
    {"fpga/package.tcl", "package.tcl", for_fpga},
    {"fpga/zynq7000.tcl", "zynq7000.tcl", for_family_fpga<Family::Zynq7000>},
    {"fpga/zynqmp.tcl", "zynqmp.tcl", for_family_fpga<Family::ZynqMp>},
    {"fpga/design.tcl", "design.tcl", for_arm_fpga},
    {"fpga/build.tcl", "build.tcl", for_arm_fpga},
    {"fpga/kernel.tcl", "kernel.tcl", for_xrt},
    {"fpga/board.sh", "board.sh", for_fpga},
    {"fpga/build.sh", "build.sh", for_xrt},
    {"fpga/release.sh", "release.sh", for_fpga},
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

/// Parameters of vdla_axi, in lines of a list of Tcl.
std::string parameters(const Board& board, const Surroundings& around) {
  constexpr unsigned kAllBits = 64;
  constexpr double kKilohertz = 1e3;
  constexpr std::size_t kInALine = 5;
  std::vector<std::string> pairs;
  for (const auto& [name, value] : around.parameters) pairs.push_back(fmt::format("{} {}", name, value));
  const unsigned bits = board.memory.address_bits;
  pairs.push_back(fmt::format("Axi3 {}", board.axi3() ? 1 : 0));
  pairs.push_back(fmt::format("GeometryHash 0x{:016x}", isa::geometry_hash(board.variant.geometry)));
  pairs.push_back(fmt::format("ClockKhz {:.0f}", kKilohertz * board.clock_mhz));
  pairs.push_back(fmt::format("AddressBits {}", bits == 0 ? kAllBits : bits));
  std::string lines;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    lines += (i % kInALine != 0 ? " " : i == 0 ? "  " : "\n  ") + pairs[i];
  return lines;
}

void add_tree_values(Values::Map& v, const Board& board) {
  v["CELLS"] = std::to_string(device_tree_cells(board));
  v["MEMORY_UNIT"] = fmt::format("{:x}", board.memory.region.base);
  v["MEMORY_REG"] = device_tree_reg(board, board.memory.region);
  v["REGISTERS_UNIT"] = fmt::format("{:x}", board.registers->region.base);
  v["REGISTERS_REG"] = device_tree_reg(board, board.registers->region);
  v["GIC_LABEL"] = board.family == Family::Zynq7000 ? "intc" : "gic";
  v["SPI"] = std::to_string(board.interrupt->gic_id - kFirstSharedInterrupt);
}

void add_arm_values(Values& values, const Board& board) {
  Values::Map& v = values.made;
  v["IS_ZYNQ7000"] = board.family == Family::Zynq7000 ? "1" : "0";
  v["IS_ZYNQMP"] = board.family == Family::ZynqMp ? "1" : "0";
  v["REGISTERS_BASE"] = hex(board.registers->region.base);
  v["REGISTERS_BYTES"] = hex(board.registers->region.bytes);
  values.texts["REGISTERS_PORT"] = board.registers->port;
  v["MEMORY_BASE"] = hex(board.memory.region.base);
  v["MEMORY_BITS"] = std::to_string(board.memory.width_bits);
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
  add_tree_values(v, board);
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
    const fs::path budget = around.root / kTemplates / "budget.md";
    v["BUDGET"] = "\n" + filled(read(budget), values, budget);
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
  v["AXI"] = board.axi3() ? "AXI3" : "AXI4";
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
  v["FAMILY"] = key(board.family);
  if (board.has_arm()) add_arm_values(values, board);
  add_page_values(values, board, around);
  return values;
}

/// Whether the folder is one of a board of the kit, beside the files that boards share.
bool is_among_the_kits(const Surroundings& around) {
  return without_links(around.out).parent_path().parent_path() == without_links(around.root) / "boards";
}

/// Whether a user starts the file as a program; board.sh is a part of such.
bool is_program(std::string_view name) { return name == "build.sh" || name == "release.sh"; }

/// JSON with one line for each field of the object around all others.
std::string in_few_lines(std::string json) {
  for (const auto& [from, to] : {std::pair{",\n    ", ", "}, {"{\n    ", "{"}, {"\n  }", "}"}})
    for (std::size_t at = 0; (at = json.find(from, at)) != std::string::npos;)
      json.replace(at, std::string_view(from).size(), to);
  return json;
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
  for (const Row& row : kFilled) {
    if (!row.wanted(board)) continue;
    const fs::path path = around.root / kTemplates / row.path;
    files.push_back({std::string(row.name), filled(read(path), values, path)});
  }
  files.push_back({"variant.json", in_few_lines(isa::to_json(on_board(board)))});
  if (is_among_the_kits(around)) return files;
  for (const Row& row : kShared)
    if (row.wanted(board))
      files.push_back({std::string(row.name), read(around.root / "boards" / row.path), is_program(row.name)});
  return files;
}

}  // namespace vdla::boards
