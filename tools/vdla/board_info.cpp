// SPDX-License-Identifier: Apache-2.0
// vdla board list: the boards of the kit. vdla board info: one board's facts.
#include <fmt/format.h>

#include <filesystem>

#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "tools/vdla/board.h"

namespace vdla::tools {
namespace {

using boards::Board;
using BoardJson = nlohmann::ordered_json;

std::string array_of(const isa::Geometry& g) {
  return fmt::format("{}x{}x{}", g.batch, g.block_in, g.block_out);
}

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

BoardJson region_json(const boards::Region& region) {
  return {{"base", region.base}, {"bytes", region.bytes}};
}

BoardJson row_json(const Board& board) {
  BoardJson row{{"name", board.name},
                {"title", board.title},
                {"family", boards::key(board.family)},
                {"simulated", board.simulated()},
                {"variant", board.variant.name},
                {"array", array_of(board.variant.geometry)},
                {"clock_mhz", board.clock_mhz}};
  if (board.fpga) row["part"] = board.fpga->number;
  return row;
}

/// Optional parts of a board, each under the name that it has in board.json.
void add_parts(BoardJson& out, const Board& board) {
  if (board.fpga)
    out["fpga"] = {
        {"part", board.fpga->part}, {"number", board.fpga->number}, {"board_part", board.fpga->board_part}};
  if (board.registers) {
    out["registers"] = region_json(board.registers->region);
    out["registers"]["port"] = board.registers->port;
  }
  if (board.interrupt)
    out["interrupt"] = {
        {"port", board.interrupt->port}, {"bit", board.interrupt->bit}, {"gic_id", board.interrupt->gic_id}};
  if (board.uart) out["uart"] = {{"base", board.uart->base}};
  if (board.ram) out["ram"] = region_json(*board.ram);
  if (board.firmware) out["firmware"] = region_json(*board.firmware);
  if (board.qemu)
    out["qemu"] = {{"system", board.qemu->system},
                   {"machine", board.qemu->machine},
                   {"interrupt_object", board.qemu->interrupt_object},
                   {"interrupt_input", board.qemu_interrupt_input()}};
  if (board.pci)
    out["pci"] = {{"vendor", board.pci->vendor},
                  {"device", board.pci->device},
                  {"slot", board.pci->slot},
                  {"gsi", board.pci->gsi}};
  if (board.xrt) out["xrt"] = {{"platform", board.xrt->platform}};
}

BoardJson board_json(const Board& board) {
  BoardJson out = row_json(board);
  out["folder"] = board.folder.string();
  out["geometry_hash"] = fmt::format("{:016x}", isa::geometry_hash(board.variant.geometry));
  out["cpu"] = {{"name", board.cpu.name},
                {"triple", board.cpu.triple},
                {"bare_metal_triple", board.cpu.bare_metal_triple},
                {"features", board.cpu.features}};
  out["memory"] = region_json(board.memory.region);
  out["memory"]["port"] = board.memory.port;
  if (board.memory.width_bits != 0) {
    out["memory"]["width_bits"] = board.memory.width_bits;
    out["memory"]["axi"] = board.axi3() ? "AXI3" : "AXI4";
  }
  add_parts(out, board);
  for (const boards::Source& source : board.sources)
    out["sources"].push_back({{"fields", source.fields}, {"document", source.document}});
  return out;
}

void list_boards(const Context& context) {
  const std::filesystem::path root = kit::data_root();
  BoardJson rows = BoardJson::array();
  for (const std::string& name : boards::board_names(root))
    rows.push_back(row_json(boards::load_board(name, root)));
  context.report({{"folder", (root / "boards").string()}, {"boards", rows}}, [&] {
    fmt::print("{:<12} {:<9} {:<8} {:>8} {:>8}  {}\n", "name", "family", "variant", "array", "MHz",
               "what it is");
    for (const BoardJson& row : rows)
      fmt::print("{:<12} {:<9} {:<8} {:>8} {:>8g}  {}\n", row["name"].get<std::string>(),
                 row["family"].get<std::string>(), row["variant"].get<std::string>(),
                 row["array"].get<std::string>(), row["clock_mhz"].get<double>(),
                 row["title"].get<std::string>());
    fmt::print("\nMHz: asked of the tools, or assumed of a simulated board. Boards lie in {}.\n",
               (root / "boards").string());
  });
}

void line(const char* what, const std::string& value) { fmt::print("  {:<11} {}\n", what, value); }

std::string region_text(const boards::Region& region) {
  return fmt::format("{} to {} ({})", address(region.base), address(region.end() - 1),
                     size_text(region.bytes));
}

std::string memory_text(const Board& board) {
  const boards::Memory& memory = board.memory;
  if (memory.width_bits != 0)
    return fmt::format("{} through {}, {} bits, {}", region_text(memory.region), memory.port,
                       memory.width_bits, board.axi3() ? "AXI3" : "AXI4");
  return memory.port.empty() ? size_text(memory.region.bytes)
                             : fmt::format("{} in {}", size_text(memory.region.bytes), memory.port);
}

void print_board(const Board& board) {
  fmt::print("{}: {}\n", board.name, board.title);
  line("family", fmt::format("{} ({})", boards::key(board.family), boards::text(board.family)));
  if (board.fpga) line("part", board.fpga->number);
  line("variant", fmt::format("{} (array {})", board.variant_text, array_of(board.variant.geometry)));
  line("clock", fmt::format("{:g} MHz {}", board.clock_mhz, board.simulated() ? "assumed" : "asked for"));
  line("CPU", board.cpu.name + ", " + board.cpu.triple +
                  (board.cpu.bare_metal_triple.empty() ? "" : "; bare metal " + board.cpu.bare_metal_triple));
  if (board.registers)
    line("registers", region_text(board.registers->region) + " behind " + board.registers->port);
  line("memory", memory_text(board) + ", for the accelerator alone");
  if (board.interrupt)
    line("interrupt", fmt::format("{}[{}], number {} of the GIC", board.interrupt->port, board.interrupt->bit,
                                  board.interrupt->gic_id));
  if (board.uart) line("UART", address(board.uart->base));
  if (board.ram) line("RAM", region_text(*board.ram));
  if (board.firmware) line("firmware", region_text(*board.firmware));
  if (board.pci)
    line("PCI", fmt::format("{:04x}:{:04x} in slot {}, interrupt {}", board.pci->vendor, board.pci->device,
                            board.pci->slot, board.pci->gsi));
  if (board.xrt) line("platform", board.xrt->platform);
  if (board.qemu)
    line("QEMU",
         fmt::format("{} -M {}; the interrupt is input {} of {}", board.qemu->system, board.qemu->machine,
                     board.qemu_interrupt_input(), board.qemu->interrupt_object));
  if (!board.sources.empty()) fmt::print("  from\n");
  for (const boards::Source& source : board.sources)
    fmt::print("    {}: {}\n", fmt::join(source.fields, ", "), source.document);
}

}  // namespace

void add_board_list(CLI::App& group, Context& context) {
  add_command(group, context, "list", "The boards that the kit knows", "example: vdla board list --json",
              [&context] { list_boards(context); });
}

void add_board_info(CLI::App& group, Context& context) {
  auto name = std::make_shared<std::string>();
  CLI::App* c =
      add_command(group, context, "info",
                  "A board's facts: part, variant, addresses, ports, interrupt, and where they come from",
                  "Addresses are those that the accelerator and the CPU use. In JSON they are numbers.\n"
                  "example: vdla board info qemu-zynq\n"
                  "         vdla board info my_board/board.json --json",
                  [name, &context] {
                    const Board board = boards::load_board(*name, kit::data_root());
                    context.report(board_json(board), [&] { print_board(board); });
                  });
  c->add_option("board", *name, "Name of a board (vdla board list), or the path of a board.json")->required();
}

}  // namespace vdla::tools
