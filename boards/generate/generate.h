// SPDX-License-Identifier: Apache-2.0
// Files that follow from a board.json: variables of scripts for Vivado and Vitis, device tree overlay, link
// script, C header. The texts are boards/generate/templates/, in which facts stand as @NAME@; scripts, which
// are the same for all boards, are boards/fpga/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "boards/spec/board.h"

namespace vdla::boards {

/// Text near the beginning of each file that can hold a comment.
inline constexpr std::string_view kMark = "Made of board.json by `vdla board generate";

struct GeneratedFile {
  std::string name;  ///< "variables.tcl"
  std::string text;
  bool executable = false;
};

/// Amount of a resource that the variant takes, and that the part has.
struct Budget {
  std::string resource;  ///< "DSP"
  double need = 0, have = 0;
};

struct NetworkCycles {
  std::string network;
  std::uint64_t cycles = 0;
};

/// Facts that the board does not know itself.
struct Surroundings {
  std::filesystem::path root;  ///< root of the kit: templates, and the hardware's sources that scripts read
  std::filesystem::path out;   ///< folder in which the files will lie; scripts find the sources from there
  std::vector<std::pair<std::string, unsigned>> parameters;  ///< parameters of the RTL, by its geometry
  double block_rams = 0;                                     ///< blocks of 36 kbit that the variant takes
  std::vector<Budget> budget;                                ///< budget of a board with an FPGA
  std::vector<NetworkCycles> networks;
};

/// Files of a release but release.json, which names them (boards/fpga/release.sh makes it).
std::vector<std::string> files_of_release(const Board& board);

/// Values by the names that stand as @NAME@ in templates.
struct Values {
  using Map = std::map<std::string, std::string, std::less<>>;
  Map made;   ///< texts of the kit, in the language of the file that they go into
  Map texts;  ///< texts of board.json and of variants: a template gets them inert (support/inert.h)
};
/// The text of a template with its values; the ending of `path` says its language. UserError names the file
/// at `path` and a name that has no value.
std::string filled(const std::string& text, const Values& values, const std::filesystem::path& path);

/// The files of a board, in the order in which one reads them; README.md is its page of figures. A simulated
/// board has none for FPGA tools. A folder that is none of a board of the kit gets copies of the files that
/// boards share: it can be carried away.
std::vector<GeneratedFile> generate(const Board& board, const Surroundings& around);

}  // namespace vdla::boards
