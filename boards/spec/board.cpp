// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "boards/spec/fields.h"
#include "boards/spec/ports.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/input_file.h"
#include "support/json_text.h"
#include "support/nearest.h"
#include "support/path.h"

namespace vdla::boards {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Smallest range of addresses that interconnects decode, and the page that a process maps.
constexpr std::uint64_t kPage = 4096;

/// Words of each field that a tool gets.
constexpr Alphabet kBoardName{"-_. "}, kCpuName{"-_.+"}, kTriple{"-_."}, kFeatures{"-_.+,", "+-"}, kPart{"-"},
    kBoardPart{"-_.:"}, kBank{"-_.:[]"}, kPlatform{"-_."}, kMachine{"-_."}, kQomPath{"-_.[]/", "/"};

/// The only programs that a board.json makes the kit start.
constexpr std::string_view kQemuPrograms[] = {"qemu-system-aarch64", "qemu-system-arm", "qemu-system-x86_64"};

struct FamilyRow {
  Family family;
  std::string_view key, text;
};
constexpr FamilyRow kFamilies[] = {
#define VDLA_BOARD_FAMILY(name, key, text) {Family::name, key, text},
    VDLA_BOARD_FAMILIES(VDLA_BOARD_FAMILY)
#undef VDLA_BOARD_FAMILY
};

std::string in_words(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string hexadecimal(std::uint64_t value) { return fmt::format("{:#x}", value); }

Region read_region(Fields& from) {
  Region region{from.number("base"), from.number("bytes")};
  from.need(region.base % kPage == 0, "base", "a multiple of " + hexadecimal(kPage));
  from.need(region.bytes != 0 && region.bytes % kPage == 0, "bytes", "a multiple of " + hexadecimal(kPage));
  from.need(region.base <= UINT64_MAX - region.bytes, "bytes", "a region that ends below 2^64");
  return region;
}

/// The rows of a family's ports of that name; a UserError lists the names that it has.
template <class Port>
std::vector<Port> ports_of(std::span<const Port> all, Family family, const std::string& name,
                           const Fields& from) {
  std::vector<Port> found;
  std::vector<std::string> names;
  for (const Port& port : all) {
    if (port.family != family) continue;
    if (port.name == name) found.push_back(port);
    if (std::ranges::find(names, port.name) == names.end()) names.emplace_back(port.name);
  }
  from.need(!found.empty(), "port", "a port of " + std::string(key(family)) + ": " + in_words(names));
  return found;
}

Cpu read_cpu(Fields from) {
  Cpu cpu{from.word("name", kCpuName), from.word("triple", kTriple),
          from.word_or_none("bare_metal_triple", kTriple), from.word_or_none("features", kFeatures)};
  from.refuse_others();
  return cpu;
}

Fpga read_fpga(Fields from) {
  Fpga fpga{from.word("part", kPart), from.word("number", kPart),
            from.word_or_none("board_part", kBoardPart)};
  from.need(fpga.number.starts_with(fpga.part), "number", "an order number of part " + fpga.part);
  from.refuse_others();
  return fpga;
}

Registers read_registers(Fields from, Family family) {
  const Region region = read_region(from);
  Registers registers{region, from.prose("port")};
  const MasterPort port = ports_of(master_ports(), family, registers.port, from).front();
  from.need(port.range.contains(region), "base",
            "an address behind " + registers.port + ": " + hexadecimal(port.range.base) + " to " +
                hexadecimal(port.range.end() - 1));
  from.need((region.bytes & (region.bytes - 1)) == 0, "bytes",
            "a power of two, as interconnects decode addresses");
  from.need(region.base % region.bytes == 0, "base", "a multiple of bytes, " + hexadecimal(region.bytes));
  from.refuse_others();
  return registers;
}

Memory read_arm_memory(Fields from, Family family) {
  const Region region = read_region(from);
  Memory memory{region, from.prose("port"), 0, 0};
  const SlavePort port = ports_of(slave_ports(), family, memory.port, from).front();
  memory.address_bits = port.address_bits;
  from.need((region.end() - 1) >> port.address_bits == 0, "base",
            fmt::format("a region that ends below 2^{}, which {} reaches", port.address_bits, memory.port));
  memory.width_bits = static_cast<unsigned>(from.number("width_bits", UINT32_MAX));
  bool known = false;
  std::string widths;
  for (unsigned bits = 32; bits <= port.widest_bits; bits *= 2) {
    known = known || memory.width_bits == bits;
    widths += (widths.empty() ? "" : " or ") + std::to_string(bits);
  }
  from.need(known, "width_bits", widths + ", which " + memory.port + " can be set to");
  from.refuse_others();
  return memory;
}

/// Memory of a card or a PCI device: the host's driver or the card's bank says where it lies; an emulated
/// bank is where this file says.
Memory read_far_memory(Fields from, Family family, bool emulated) {
  Memory memory;
  if (emulated) {
    memory.region.base = from.number("base");
    from.need(memory.region.base % kPage == 0, "base", "a multiple of " + hexadecimal(kPage));
  }
  memory.region.bytes = from.number("bytes");
  from.need(memory.region.bytes != 0 && memory.region.bytes % kPage == 0, "bytes",
            "a multiple of " + hexadecimal(kPage));
  if (family == Family::Xrt) memory.port = from.word("port", kBank);
  from.refuse_others();
  return memory;
}

Interrupt read_interrupt(Fields from, Family family) {
  Interrupt interrupt{from.prose("port"), static_cast<unsigned>(from.number("bit", UINT32_MAX)), 0};
  unsigned bits = 0;
  for (const InterruptPort& port : ports_of(interrupt_ports(), family, interrupt.port, from)) {
    if (interrupt.bit >= port.first_bit && interrupt.bit < port.first_bit + port.bits)
      interrupt.gic_id = port.first_gic_id + interrupt.bit - port.first_bit;
    bits = port.first_bit + port.bits;
  }
  from.need(interrupt.gic_id != 0, "bit",
            "0 to " + std::to_string(bits - 1) + ", the inputs of " + interrupt.port);
  from.refuse_others();
  return interrupt;
}

Region read_plain_region(Fields from) {
  const Region region = read_region(from);
  from.refuse_others();
  return region;
}

Qemu read_qemu(Fields from) {
  const Qemu qemu{from.prose("system"), from.word("machine", kMachine),
                  from.word("interrupt_object", kQomPath), from.yes_or(true, "fabric_status")};
  from.need(std::ranges::find(kQemuPrograms, qemu.system) != std::end(kQemuPrograms), "system",
            fmt::format("one of {}", fmt::join(kQemuPrograms, ", ")));
  from.refuse_others();
  return qemu;
}

Pci read_pci(Fields from) {
  constexpr unsigned kSlots = 32;
  Pci pci;
  pci.vendor = static_cast<unsigned>(from.number("vendor", UINT16_MAX));
  pci.device = static_cast<unsigned>(from.number("device", UINT16_MAX));
  pci.slot = static_cast<unsigned>(from.number("slot", kSlots - 1));
  pci.gsi = static_cast<unsigned>(from.number("gsi", UINT16_MAX));
  from.refuse_others();
  return pci;
}

Xrt read_xrt(Fields from) {
  Xrt xrt;
  if (from.has("emulation")) {
    xrt.emulation = from.prose("emulation");
    from.need(xrt.emulation == "hw_emu", "emulation", "hw_emu, XRT's mode for the RTL of a design");
  } else {
    xrt.platform = from.word("platform", kPlatform);
  }
  from.refuse_others();
  return xrt;
}

/// Whether the JSON pointer leads to something.
bool points_into(const Json& root, const std::string& pointer) {
  try {
    return pointer.starts_with("/") && root.contains(Json::json_pointer(pointer));
  } catch (const Json::exception&) {  // "/~": no pointer
    return false;
  }
}

std::vector<Source> read_sources(Fields& from, const Json& root) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < from.list("sources").size(); ++i) {
    Fields entry = from.element("sources", i);
    Source source;
    for (const Json& field : entry.list("fields")) {
      const bool named = field.is_string() && points_into(root, field.get<std::string>());
      entry.need(named, "fields", "JSON pointers to fields of this file, like \"/memory/port\"");
      source.fields.push_back(field.get<std::string>());
    }
    source.document = entry.prose("document");
    entry.refuse_others();
    sources.push_back(std::move(source));
  }
  return sources;
}

/// A variant of the kit by name, or a file beside board.json.
isa::Variant variant_of(Fields& from, const std::string& name, const fs::path& folder, const fs::path& root) {
  if (const auto known = kit_variant(name, root)) return *known;
  std::error_code none;
  if (fs::is_regular_file(folder / name, none)) return isa::load_variant((folder / name).string());
  from.refuse("variant", "a variant of the kit (vdla info lists them), or a file beside this one");
}

/// Regions of the CPU's memory lie in it and apart from each other.
void check_memory_map(const Board& board, Fields& from) {
  if (!board.has_arm()) return;
  from.need(board.ram->contains(board.memory.region), "memory",
            "a region of ram, " + hexadecimal(board.ram->base) + " to " + hexadecimal(board.ram->end() - 1));
  if (!board.firmware) return;
  from.need(board.ram->contains(*board.firmware), "firmware",
            "a region of ram, " + hexadecimal(board.ram->base) + " to " + hexadecimal(board.ram->end() - 1));
  from.need(!board.firmware->overlaps(board.memory.region), "firmware", "a region apart from memory");
}

Family read_family(Fields& from) {
  const std::string name = from.prose("family");
  std::vector<std::string> known;
  for (const FamilyRow& row : kFamilies) {
    if (row.key == name) return row.family;
    known.emplace_back(row.key);
  }
  from.refuse("family", "one of " + in_words(known) + did_you_mean(name, known));
}

void read_arm_parts(Board& board, Fields& from) {
  board.registers = read_registers(from.object("registers"), board.family);
  board.memory = read_arm_memory(from.object("memory"), board.family);
  board.interrupt = read_interrupt(from.object("interrupt"), board.family);
  Fields uart = from.object("uart");
  board.uart = Uart{uart.number("base")};
  uart.refuse_others();
  if (!board.cpu.bare_metal_triple.empty()) board.firmware = read_plain_region(from.object("firmware"));
}

Board parse_board(const std::string& text, const fs::path& file, const fs::path& root) {
  const JsonText json(text, file.string());
  Fields from(json, json.root(), "");
  Board board;
  board.folder = file.parent_path();
  board.name = from.word("name", kBoardName);
  const std::string folder = absolute_path(file).lexically_normal().parent_path().filename().string();
  from.need(board.name == folder, "name", "the name of its folder, " + folder);
  board.title = from.prose("title");
  board.family = read_family(from);
  board.variant_text = from.prose("variant");
  board.variant = variant_of(from, board.variant_text, board.folder, root);
  board.clock_mhz = from.positive("clock_mhz");
  board.cpu = read_cpu(from.object("cpu"));
  if (board.family == Family::Xrt) board.xrt = read_xrt(from.object("xrt"));
  const bool has_qemu = from.has("qemu");
  if (board.has_arm() || has_qemu) board.ram = read_plain_region(from.object("ram"));
  if (board.has_arm()) {
    read_arm_parts(board, from);
  } else {
    board.memory =
        read_far_memory(from.object("memory"), board.family, board.xrt && !board.xrt->emulation.empty());
  }
  if (board.family == Family::Pci) board.pci = read_pci(from.object("pci"));
  // A board is one that one can hold, with an FPGA, a machine of QEMU, or a card that XRT emulates.
  if (has_qemu) {
    board.qemu = read_qemu(from.object("qemu"));
  } else if (!board.simulated()) {
    board.fpga = read_fpga(from.object("fpga"));
  }
  board.sources = read_sources(from, json.root());
  from.refuse_others();
  check_memory_map(board, from);
  return board;
}

}  // namespace

std::string_view key(Family family) { return kFamilies[static_cast<std::size_t>(family)].key; }
std::string_view text(Family family) { return kFamilies[static_cast<std::size_t>(family)].text; }

bool Board::has_arm() const {
  switch (family) {
    case Family::Zynq7000:
    case Family::ZynqMp:
      return true;
    case Family::Pci:
    case Family::Xrt:
      return false;
  }
  return false;
}

unsigned Board::qemu_interrupt_input() const {
  return pci ? pci->gsi : interrupt.value().gic_id - kFirstSharedInterrupt;
}

fs::path variant_file(const std::string& name, const fs::path& root) {
  return root / "isa/variants" / (name + ".json");
}

std::vector<std::string> kit_variant_names(const fs::path& root) {
  std::vector<std::string> names, others;
  for (const isa::BuiltinVariant& builtin : isa::builtin_variants()) names.emplace_back(builtin.name);
  if (root.empty()) return names;
  for (const fs::path& entry : entries_or_none(root / "isa/variants"))
    if (entry.extension() == ".json" && std::ranges::find(names, entry.stem().string()) == names.end())
      others.push_back(entry.stem().string());
  std::ranges::sort(others);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::optional<isa::Variant> kit_variant(const std::string& name, const fs::path& root) {
  const std::vector<std::string> names = kit_variant_names(root);
  if (std::ranges::find(names, name) == names.end()) return std::nullopt;
  for (const isa::BuiltinVariant& builtin : isa::builtin_variants())
    if (builtin.name == name) return isa::load_variant(name);
  return isa::load_variant(variant_file(name, root).string());
}

std::vector<std::string> board_names(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::path& entry : entries_or_none(root / "boards"))
    if (fs::exists(entry / "board.json", none)) names.push_back(entry.filename().string());
  std::ranges::sort(names);
  return names;
}

Board load_board(const std::string& name_or_path, const fs::path& root) {
  const std::vector<std::string> names = board_names(root);
  fs::path file = root / "boards" / name_or_path / "board.json";
  if (std::ranges::find(names, name_or_path) == names.end()) {
    std::error_code none;
    file = name_or_path;
    if (fs::is_directory(file, none)) file /= "board.json";
    VDLA_CHECK_USER(fs::is_regular_file(file, none))
        << "board '" << name_or_path << "' is neither one of the kit's (" << in_words(names)
        << ") nor the path of a board.json" << did_you_mean(name_or_path, names);
  }
  const std::vector<std::byte> bytes = read_input(file);
  return parse_board({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file, root);
}

}  // namespace vdla::boards
