// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/sources.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "sim/dram/dram.h"
#include "sim/rtl/library.h"
#include "support/error.h"
#include "support/output_file.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeaders[] = {"hw/rtl/common/vdla_assert.svh", "hw/rtl/common/vdla_stall.svh"};
constexpr const char* kTop = "vdla_axi.v";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  VDLA_CHECK_USER(in && !text.empty()) << file.string() << " cannot be read; needs the kit's hardware";
  return text;
}

/// "  parameter        Batch        = 1," with another value.
std::string with_default(const std::string& text, const std::string& name, const std::string& value) {
  const std::regex line("(\n  parameter +(?:\\[[0-9:]+\\] +)?" + name + " *= *)[^\n,]+?(,| *//|\n)");
  std::smatch match;
  VDLA_CHECK(std::regex_search(text, match, line)) << kTop << " has no parameter " << name;
  return match.prefix().str() + match[1].str() + value + match[2].str() + match.suffix().str();
}

std::string with_defaults(std::string text, const isa::Variant& variant) {
  for (const auto& [name, value] : geometry_parameters(variant.geometry))
    text = with_default(text, name, std::to_string(value));
  text = with_default(text, "Axi3", variant.timing.dram_burst_bytes == dram::kAxi3BurstBytes ? "1" : "0");
  return with_default(text, "GeometryHash", fmt::format("64'h{:016x}", isa::geometry_hash(variant.geometry)));
}

}  // namespace

std::vector<std::string> export_rtl(const isa::Variant& variant, const fs::path& source,
                                    const fs::path& folder) {
  isa::validate(variant.geometry);
  dram::make_machine_config(variant.timing);
  std::error_code error;
  fs::create_directories(folder, error);
  VDLA_CHECK_USER(!error) << folder.string() << ": " << error.message() << "; needs a folder to write into";
  std::vector<std::string> written;
  const auto put = [&](const std::string& name, const std::string& text) {
    write_output((folder / name).string(), text);
    written.push_back(name);
  };
  for (const char* header : kHeaders) put(fs::path(header).filename(), text_of(source / header));
  std::istringstream list(text_of(source / "hw/files.f"));
  std::string names;
  for (std::string file; std::getline(list, file);) {
    const std::string name = fs::path(file).filename(), text = text_of(source / file);
    put(name, name == kTop ? with_defaults(text, variant) : text);
    names += name + "\n";
  }
  put("files.f", names);
  return written;
}

}  // namespace vdla::sim
