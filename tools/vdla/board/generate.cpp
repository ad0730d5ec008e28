// SPDX-License-Identifier: Apache-2.0
// vdla board generate: overlay, link script, header, page of figures and variables of scripts of a board.
#include <fmt/format.h>

#include <filesystem>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "boards/spec/variant_name.h"
#include "compiler/import/import.h"
#include "compiler/zoo/zoo.h"
#include "kit/data.h"
#include "sim/rtl/library.h"
#include "support/error.h"
#include "tools/explore/area.h"
#include "tools/explore/measure.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/common/generated_files.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

/// Networks of the zoo whose cycles are found in a second on the smallest variant.
constexpr const char* kNetworksOfPages[] = {"mobilenet_v1", "resnet8"};

std::vector<boards::NetworkCycles> cycles_of_networks(const isa::Variant& variant) {
  std::vector<boards::NetworkCycles> rows;
  for (const char* name : kNetworksOfPages) {
    const std::string model = zoo::make_onnx(name, 1, zoo::Form::Qdq);
    const graph::Graph graph = import::import_onnx(std::as_bytes(std::span(model)), name);
    const explore::Json point = explore::measure(graph, variant, "systemc");
    VDLA_CHECK_USER(point.at("status") == "ok")
        << name << " on variant " << variant.name << ": " << point.at("reason").get<std::string>();
    rows.push_back({name, point.at("record").at("cycles")});
  }
  return rows;
}

std::vector<boards::Budget> budget_of(const explore::Area& area, const boards::Board& board) {
  std::vector<boards::Budget> rows;
  if (!board.fpga) return rows;
  const explore::Part part = explore::load_part(board.fpga->part);
  for (const explore::Resource& r : explore::kResources)
    rows.push_back({std::string(r.name), area.*r.of, part.area.*r.of});
  return rows;
}

void generate_board(const std::string& name, const std::string& output, const Context& context) {
  const fs::path root = kit::data_root();
  const boards::Board board = boards::load_board(name, root);
  const fs::path out = output.empty() ? board.folder / "generated" : fs::path(output);
  const explore::AreaModel model{{explore::kept_syntheses().begin(), explore::kept_syntheses().end()}};
  const explore::Area area = model.estimate(board.variant.geometry);
  const auto files = boards::generate(board, {.root = root,
                                              .out = out,
                                              .parameters = sim::geometry_parameters(board.variant.geometry),
                                              .block_rams = area.bram,
                                              .budget = budget_of(area, board),
                                              .networks = cycles_of_networks(boards::on_board(board))});
  std::vector<FolderFile> texts;
  for (const boards::GeneratedFile& file : files) texts.push_back({file.name, file.text, file.executable});
  refuse_files_of_others(out, texts, boards::kMark);
  write_folder(out, texts, {});
  nlohmann::ordered_json report{
      {"board", board.name}, {"folder", out.string()}, {"files", nlohmann::ordered_json::array()}};
  for (const boards::GeneratedFile& file : files) report["files"].push_back(file.name);
  context.report(report, [&] {
    for (const boards::GeneratedFile& file : files) fmt::print("{}\n", (out / file.name).string());
  });
}

}  // namespace

void add_board_generate(CLI::App& group, Context& context) {
  struct Flags {
    std::string board, output;
  };
  auto f = std::make_shared<Flags>();
  CLI::App* c = add_command(
      group, context, "generate",
      "Generate overlay, link script, header, page and the scripts' variables from a board.json",
      "board.h and firmware.ld for programs without operating system, overlay.dtso for Linux, "
      "clock.xdc, variables.tcl and variables.sh for Vivado's scripts, link.cfg for Vitis; each "
      "board gets those that it has a use for. variant.json is for --variant of other commands. "
      "README.md is its page of figures: two networks of vdla zoo are compiled for the variant and "
      "run.\n"
      "The scripts are boards/fpga, which take a board by its folder (VDLA_BOARD). A folder that is "
      "none of a board of the kit gets copies of them and of what else boards share. They find the "
      "hardware's sources from the folder that they were made for, or in the folder that VDLA_ROOT "
      "names.\n"
      "example: vdla board generate pynq-z2 -o pynq\n"
      "         vdla board generate my_board/board.json",
      [f, &context] { generate_board(f->board, f->output, context); });
  c->add_option("board", f->board, "Name of a board (vdla board list), or the path of a board.json")
      ->required();
  c->add_option("-o,--output", f->output, "Folder for the files; 'generated' beside board.json unless given");
}

}  // namespace vdla::tools
