// SPDX-License-Identifier: Apache-2.0
// vdla board list: the boards of the kit. vdla board info: one board's facts.
#include <fmt/format.h>

#include <filesystem>

#include "boards/spec/board.h"
#include "boards/spec/describe.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/board/board.h"

namespace vdla::tools {
namespace {

using boards::Board;
using BoardJson = nlohmann::ordered_json;

BoardJson region_json(const boards::Region& region) {
  return {{"base", region.base}, {"bytes", region.bytes}};
}

BoardJson row_json(const Board& board) {
  BoardJson row{{"name", board.name},
                {"title", board.title},
                {"family", boards::key(board.family)},
                {"simulated", board.simulated()},
                {"variant", board.variant.name},
                {"array", boards::array_text(board.variant.geometry)},
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
  if (board.xrt)
    out["xrt"] = board.simulated() ? nlohmann::ordered_json{{"emulation", board.xrt->emulation}}
                                   : nlohmann::ordered_json{{"platform", board.xrt->platform}};
}

BoardJson board_json(const Board& board) {
  BoardJson out = row_json(board);
  out["folder"] = board.folder.string();
  out["geometry_hash"] = fmt::format("{:016x}", isa::geometry_hash(board.variant.geometry));
  out["geometry"] = BoardJson::parse(isa::to_json(board.variant)).at("geometry");
  out["cpu"] = {{"name", board.cpu.name},
                {"triple", board.cpu.triple},
                {"bare_metal_triple", board.cpu.bare_metal_triple},
                {"features", board.cpu.features}};
  out["memory"] = {{"bytes", board.memory.region.bytes}, {"port", board.memory.port}};
  if (board.has_arm() || (board.xrt && board.simulated())) out["memory"]["base"] = board.memory.region.base;
  if (board.has_arm()) {
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
  VDLA_CHECK_USER(!root.empty())
      << "the kit's boards are not found: needs share/vdla beside bin, as an installed kit has "
         "it, or a build folder of its source tree";
  BoardJson rows = BoardJson::array();
  for (const std::string& name : boards::board_names(root))
    rows.push_back(row_json(boards::load_board(name, root)));
  context.report({{"folder", (root / "boards").string()}, {"boards", rows}}, [&] {
    print_table(rows, "name|family|variant|array|MHz|what it is",
                "{name:<12} {family:<9} {variant:<8} {array:>8} {clock_mhz:>8g}  {title}");
    fmt::print("\nMHz: asked of the tools, or assumed of a simulated board. Boards lie in {}.\n",
               (root / "boards").string());
  });
}

void print_board(const Board& board) {
  fmt::print("{}: {}\n", board.name, board.title);
  for (const boards::Fact& fact : boards::describe(board)) fmt::print("  {:<11} {}\n", fact.name, fact.text);
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
