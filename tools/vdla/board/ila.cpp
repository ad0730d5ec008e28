// SPDX-License-Identifier: Apache-2.0
// vdla board ila: Tcl that puts a logic analyser on the accelerator's ports, by the names of the RTL.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "kit/data.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/shell_word.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/board/board.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

struct IlaFlags {
  std::string board, output;
  std::vector<std::string> groups;
  unsigned depth = 4096;
};

/// Ports that belong together.
struct PortGroup {
  std::string_view name, what;
};
constexpr PortGroup kPortGroups[] = {
    {"control", "the control port: each access of a register"},
    {"reads", "addresses and data that the accelerator reads from memory"},
    {"writes", "addresses, data and answers of what it writes"},
    {"interrupt", "its interrupt"},
};

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const PortGroup& g : kPortGroups) names.emplace_back(g.name);
  return names;
}

std::string group_help() {
  std::string text = "Groups of ports:";
  for (const PortGroup& g : kPortGroups) text += fmt::format("\n  {:<10} {}", g.name, g.what);
  return text;
}

std::string_view group_of(const std::string& port) {
  if (port.starts_with("s_axi_control_")) return "control";
  if (port == "interrupt") return "interrupt";
  if (port.starts_with("m_axi_gmem_ar") || port.starts_with("m_axi_gmem_r")) return "reads";
  if (port.starts_with("m_axi_gmem_")) return "writes";
  return {};  // clock and reset
}

/// Ports of the RTL's top, in its order.
std::vector<std::string> ports_of(const fs::path& top) {
  static const std::regex port(R"(^\s*(?:input|output)\s+wire\s.*?(\w+),?\s*(?://.*)?$)");
  std::istringstream lines(read_text(top.string()));
  std::vector<std::string> ports;
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, port)) ports.push_back(match[1]);
  VDLA_CHECK_USER(!ports.empty()) << top.string() << " has no ports, needs those of module vdla_axi";
  return ports;
}

void write_ila(const IlaFlags& f, const Context& context) {
  const fs::path root = kit::data_root();
  const boards::Board board = boards::load_board(f.board, root);
  VDLA_CHECK_USER(board.fpga && board.has_arm())
      << "board '" << board.name << "' "
      << (board.fpga
              ? "is built by Vitis, which links its own analysers (v++ --debug.chipscope); needs a board "
                "that "
                "build.tcl is for"
              : "is simulated: vdla run --waves shows all signals of the RTL; needs a board with an FPGA");
  std::vector<std::string> chosen;
  for (const std::string& port : ports_of(root / "hw/rtl/top/vdla_axi.v")) {
    const std::string_view group = group_of(port);
    if (!group.empty() && (f.groups.empty() || std::ranges::count(f.groups, group) != 0))
      chosen.push_back(port);
  }
  std::string lines;
  for (const std::string& port : chosen) lines += fmt::format("{}  {}", lines.empty() ? "" : "\n", port);
  const fs::path path = root / "boards/generate/templates/fpga/ila.tcl";
  const std::string variables = boards::filled(read_text(path.string()),
                                               {{{"PORTS", lines},
                                                 {"DEPTH", std::to_string(f.depth)},
                                                 {"BOARD_WORD", comment_text(shell_word(board.name))}},
                                                {}},
                                               path);
  write_file(f.output, variables + read_text((root / "boards/fpga/ila.tcl").string()));
  context.report({{"board", board.name}, {"file", f.output}, {"depth", f.depth}, {"ports", chosen}}, [&] {
    fmt::print("{}: {} ports of vdla_axi, {} samples; nobody has run it in Vivado\n", f.output, chosen.size(),
               f.depth);
  });
}

}  // namespace

void add_board_ila(CLI::App& group, Context& context) {
  auto f = std::make_shared<IlaFlags>();
  CLI::App* c = add_command(
      group, context, "ila", "Write Tcl that adds a Vivado logic analyser to the accelerator's ports",
      group_help() +
          "\nProbes are the ports of the RTL's top (vdla_axi), by their names; those that are constant in "
          "the design "
          "get none. Source the file with the project of build.tcl open, behind synthesis; it says how. "
          "Nobody has "
          "run it in Vivado: a recording Tcl shell has. What the units do inside, vdla board regs shows.\n"
          "examples: vdla board ila pynq-z2 -o ila.tcl\n"
          "          vdla board ila pynq-z2 -o ila.tcl --group reads --group interrupt --depth 16384",
      [f, &context] { write_ila(*f, context); });
  c->add_option("board", f->board, "Name of a board (vdla board list), or the path of a board.json")
      ->required();
  c->add_option("-o,--output", f->output, "File to write")->required();
  c->add_option("--group", f->groups, "Group of ports to probe, see below; may be repeated; default: all")
      ->check(one_of(group_names()))
      ->allow_extra_args(false);
  c->add_option("--depth", f->depth, "Samples to keep")
      ->check(one_of({"1024", "2048", "4096", "8192", "16384", "32768", "65536", "131072"}))
      ->capture_default_str();
}

}  // namespace vdla::tools
