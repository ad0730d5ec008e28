// SPDX-License-Identifier: Apache-2.0
// vdla board install: a release of a board (boards/fpga/release.sh makes it), once it is whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "runtime/container/signature.h"
#include "runtime/device/device_facts.h"
#include "support/error.h"
#include "support/json_text.h"
#include "support/output_folder.h"
#include "support/path.h"
#include "tools/data/files.h"
#include "tools/vdla/board/board.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using ReleaseJson = nlohmann::ordered_json;

constexpr const char* kReleaseFile = "release.json";

/// "FOLDER/release.json has ...": what is wrong with a release, in the same words everywhere.
void need(bool good, const fs::path& file, const std::string& what) {
  VDLA_CHECK_USER(good) << file.string() << " " << what;
}

/// The files that the release has are those that it names, byte for byte.
void check_hashes(const fs::path& folder, const ReleaseJson& files) {
  for (const auto& [name, hash] : files.items()) {
    const fs::path file = folder / name;
    need(is_file(file), file, "is missing, which release.json names: the release is not whole");
    const std::string seen = runtime::to_string(runtime::hash_of_file(file));
    need(hash == seen, file,
         "has SHA-256 " + seen + ", needs " + hash.dump() + ": it is not the file that was released");
  }
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    need(name == kReleaseFile || files.contains(name), entry, "is not named in release.json");
  }
}

/// All stages passed, on a device and not on an engine.
void check_selftest(const fs::path& file, const boards::Board& board) {
  const JsonText text(read_text(file.string()), file.string());
  const ReleaseJson& log = text.root();
  need(log.is_object() && log.contains("stages") && log["stages"].is_array() && !log["stages"].empty() &&
           log.contains("device") && log["device"].is_string(),
       file, "is not what vdla board selftest --json prints");
  const bool card = board.xrt.has_value();
  need(log["device"].get<std::string>().starts_with(card ? "XRT card" : "UIO device"), file,
       "is of " + log["device"].dump() + ", needs a self test of the board (vdla board selftest " +
           (card ? "--xrt 0:vdla.xclbin" : "--uio vdla") + " --json)");
  const auto text_of = [](const ReleaseJson& stage, const char* key) {
    return stage.is_object() && stage.contains(key) ? stage[key].dump() : "nothing";
  };
  for (const ReleaseJson& stage : log["stages"])
    need(text_of(stage, "verdict") == "\"passed\"", file,
         fmt::format("has stage {} with verdict {}, needs \"passed\": {}", text_of(stage, "stage"),
                     text_of(stage, "verdict"), text_of(stage, "text")));
}

struct Release {
  boards::Board board;
  double clock_mhz = 0;
  std::vector<std::string> files;
};

/// UserError where anything is missing, changed, of another board or untested.
Release read_release(const fs::path& folder, const std::string& board_path) {
  const fs::path file = folder / kReleaseFile;
  const JsonText text(read_text(file.string()), file.string());
  const ReleaseJson& root = text.root();
  const auto field = [&](const char* key, bool (ReleaseJson::*is)() const noexcept,
                         const char* what) -> const ReleaseJson& {
    VDLA_CHECK_USER(root.is_object() && root.contains(key) && (root[key].*is)())
        << text.at(std::string("/") + key) << " needs a field '" << key << "', " << what;
    return root[key];
  };
  const std::string name = field("board", &ReleaseJson::is_string, "a text").get<std::string>();
  const double clock = field("clock_mhz", &ReleaseJson::is_number, "a positive number").get<double>();
  const ReleaseJson& files = field("files", &ReleaseJson::is_object, "an object of names and hashes");
  VDLA_CHECK_USER(clock > 0) << text.at("/clock_mhz") << " is " << clock << ", needs a positive number";
  Release release{boards::load_board(board_path.empty() ? name : board_path, kit::data_root()), clock, {}};
  VDLA_CHECK_USER(release.board.name == name)
      << text.at("/board") << " is '" << name << "', needs '" << release.board.name << "'";
  for (const std::string& needed : boards::files_of_release(release.board))
    VDLA_CHECK_USER(files.contains(needed))
        << text.at("/files") << " has no '" << needed << "', needs it: the release is not whole";
  for (const auto& [entry, hash] : files.items()) {
    VDLA_CHECK_USER(fs::path(entry).filename() == entry && hash.is_string())
        << text.at("/files") << " has '" << entry
        << "', needs names of files in this folder, with their SHA-256";
    release.files.push_back(entry);
  }
  check_hashes(folder, files);
  check_selftest(folder / "selftest.json", release.board);
  const isa::Variant variant = isa::load_variant((folder / "variant.json").string());
  VDLA_CHECK_USER(variant.geometry == release.board.variant.geometry)
      << (folder / "variant.json").string() << " has another geometry than board " << name << ": "
      << runtime::differences(variant.geometry, release.board.variant.geometry);
  return release;
}

void install(const std::string& folder, const std::string& board, const std::string& output,
             const Context& context) {
  const Release release = read_release(folder, board);
  const NewFolder made(output);
  for (const std::string& name : release.files)
    write_file((fs::path(output) / name).string(), read_text((fs::path(folder) / name).string()));
  context.report({{"board", release.board.name},
                  {"clock_mhz", release.clock_mhz},
                  {"folder", output},
                  {"files", release.files}},
                 [&] {
                   fmt::print("{}, measured at {:g} MHz, self test passed: {} to {}\n", release.board.title,
                              release.clock_mhz, fmt::join(release.files, ", "), output);
                 });
}

}  // namespace

void add_board_install(CLI::App& group, Context& context) {
  struct Flags {
    std::string folder, board, output;
  };
  auto f = std::make_shared<Flags>();
  CLI::App* c =
      add_command(group, context, "install", "Check and unpack a release of a board",
                  "A release is a folder that boards/fpga/release.sh makes: bitstream, overlay and "
                  "timing report (of a card its xclbin), variant, the "
                  "self test's log of the board, the measured clock, and the hash of each. What is missing, "
                  "changed, of another "
                  "variant, or did not pass its self test is refused, and nothing is written then.\n"
                  "example: vdla board install pynq-z2-1.0 -o /lib/firmware/vdla",
                  [f, &context] { install(f->folder, f->board, f->output, context); });
  c->add_option("folder", f->folder, "The release")->required()->check(CLI::ExistingDirectory);
  c->add_option("--board", f->board, "Path of the board.json of a board that is not one of the kit's");
  c->add_option("-o,--output", f->output, "Folder for its files")->required();
}

}  // namespace vdla::tools
