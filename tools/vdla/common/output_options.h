// SPDX-License-Identifier: Apache-2.0
// The options of all commands that name what is written: the one table of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vdla::tools {

enum class Writes : std::uint8_t {
  File,  ///< once: - means standard output
  Folder,
  Arrays,  ///< a file, or a folder of several
  Kept,    ///< a file that is read, too, and written again
};

struct GivenOption {
  std::string_view option, value;
};

/// The options that name what is written. A row with a command goes before one for all commands.
struct OutputOption {
  std::string_view command, option;
  Writes writes;
  std::array<std::string_view, 3> unless = {};  ///< with one of these options it is only read
  GivenOption with = {};                        ///< the row is for this value of another option only
};
inline constexpr OutputOption kOutputOptions[] = {
    {"asm", "--uops", Writes::File},
    {"build-rtl", "--out", Writes::Folder},
    {"build-rtl", "--export", Writes::Folder},
    {"compile", "--output", Writes::Folder, {}, {"--emit", "c"}},
    {"eval", "--output", Writes::Arrays},
    {"explore", "--output", Writes::Folder},
    {"fuzz", "--keep", Writes::Folder},
    {"generate", "--output", Writes::Folder},
    {"install", "--output", Writes::Folder},
    {"opt", "--llvm-ir", Writes::File},
    {"opt", "--opencl", Writes::File},
    {"opt", "--ptx", Writes::File},
    {"postmortem", "--output", Writes::Folder},
    {"quantize", "--report", Writes::File},
    {"run", "--output", Writes::Arrays},
    {"run", "--post-mortem", Writes::Folder},
    {"tune", "--as-schedule", Writes::Folder},
    {"tune", "--book", Writes::Kept, {"--best", "--show", "--verify"}},
    {"tune", "--log", Writes::Kept},
    {"", "--csv", Writes::File},
    {"", "--dump", Writes::File},
    {"", "--html", Writes::File},
    {"", "--object", Writes::File},
    {"", "--output", Writes::File},
    {"", "--record", Writes::File},
    {"", "--timeline", Writes::File},
    {"", "--waves", Writes::File},
};

}  // namespace vdla::tools
