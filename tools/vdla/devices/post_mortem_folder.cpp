// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/post_mortem_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/spec/registers.h"
#include "runtime/device/device_program.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/json_text.h"
#include "support/output_folder.h"
#include "support/path.h"
#include "tools/common/post_mortem.h"
#include "tools/data/files.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kRegistersFile = "post_mortem.json";
constexpr const char* kInsnsFile = "insns.bin";
constexpr const char* kReportFile = "report.txt";
constexpr unsigned kFormat = 1;

std::uint32_t register_of(const runtime::Recording& recording, isa::Register which) {
  const auto& places = runtime::register_places();
  const auto found =
      std::ranges::find(places, static_cast<std::uint32_t>(which), &runtime::RegisterPlace::offset);
  return recording.registers.at(static_cast<std::size_t>(found - places.begin()));
}

/// Instruction by its index in window insn.
runtime::InsnReport insn_in_memory(const runtime::Recording& recording, std::uint32_t index) {
  runtime::InsnReport report{.index = index, .insn = {}, .source = {}};
  const std::uint32_t first = register_of(recording, isa::Register::INSN_OFFSET) / isa::kInsnBytes;
  const std::size_t at = std::size_t{index - first} * isa::kInsnBytes;
  if (index < first || at + isa::kInsnBytes > recording.insns.size()) return report;
  report.insn =
      isa::try_decode(isa::words_from_bytes(std::span(recording.insns).subspan(at).first<isa::kInsnBytes>()));
  return report;
}

/// Status by its text.
std::optional<vdla_driver_status> status_of(const std::string& text) {
  for (int code = VDLA_DRIVER_OK; code <= VDLA_DRIVER_STOPPED; ++code)
    if (text == vdla_driver_status_text(static_cast<vdla_driver_status>(code)))
      return static_cast<vdla_driver_status>(code);
  return std::nullopt;
}

void add_source(const ordered_json& at, std::map<std::uint32_t, std::string>& sources) {
  if (at.contains("instruction") && at["instruction"].contains("source"))
    sources[at["instruction"]["index"]] = at["instruction"]["source"];
}

std::string insn_text(std::span<const std::byte> bytes) {
  return isa::to_text(isa::words_from_bytes(bytes.first<isa::kInsnBytes>()));
}

/// Nothing differs where memory could not be read.
PostMortemStep compare_with_memory(const runtime::Recording& recording, const isa::Program& program,
                                   std::uint32_t offset, std::uint32_t count) {
  PostMortemStep found{.program = &program, .insns = count, .first_different = {}};
  if (recording.insns.size() != std::size_t{count} * isa::kInsnBytes) return found;
  const auto image = isa::insn_image(program);
  const auto of_program = std::span(image).subspan(offset), there = std::span(recording.insns);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = std::size_t{i} * isa::kInsnBytes;
    const auto a = there.subspan(at, isa::kInsnBytes), b = of_program.subspan(at, isa::kInsnBytes);
    if (std::ranges::equal(a, b)) continue;
    if (found.different++ == 0)
      found.first_different = fmt::format("instruction {} is '{}', in the module '{}'",
                                          offset / isa::kInsnBytes + i, insn_text(a), insn_text(b));
  }
  return found;
}

}  // namespace

PostMortemFolder folder_of_run(const std::string& device, const ordered_json& post_mortem,
                               const std::string& report,
                               std::shared_ptr<const runtime::Recording> recording) {
  PostMortemFolder folder{device,
                          post_mortem.value("cause", ""),
                          std::move(recording),
                          status_of(post_mortem.value("status", "")),
                          {},
                          report};
  if (post_mortem.contains("error")) add_source(post_mortem["error"], folder.sources);
  if (post_mortem.contains("units"))
    for (const ordered_json& unit : post_mortem["units"]) add_source(unit, folder.sources);
  return folder;
}

void require_new_folder(const std::string& folder) {
  std::error_code none;
  VDLA_CHECK_USER(!fs::exists(folder, none) || fs::is_empty(folder, none))
      << folder << ": is not empty, and a post-mortem is written over nothing; name a new folder";
}

void write_post_mortem(const std::string& folder, const PostMortemFolder& content) {
  require_new_folder(folder);
  const NewFolder made(folder);
  ordered_json out{{"format", kFormat}, {"device", content.device}, {"message", content.message}};
  if (content.status) out["status"] = static_cast<int>(*content.status);
  for (const auto& [insn, source] : content.sources) out["sources"][std::to_string(insn)] = source;
  const auto& places = runtime::register_places();
  for (std::size_t i = 0; i < places.size(); ++i)
    out["registers"][places[i].name] = content.recording->registers.at(i);
  const runtime::Bytes& insns = content.recording->insns;
  const fs::path root(folder);
  if (!insns.empty())
    write_file((root / kInsnsFile).string(), {reinterpret_cast<const char*>(insns.data()), insns.size()});
  write_file((root / kReportFile).string(),
             fmt::format("{}: {}\n", content.device,
                         content.report.empty() ? to_text(post_mortem_of(content)) : content.report));
  write_file((root / kRegistersFile).string(), json_dump(out, 1) + "\n");
}

namespace {

using Need = std::function<void(bool good, const std::string& pointer, const char* needed)>;

/// Parts that folders of older kits, and of devices that others run, lack.
void read_end_of_run(const ordered_json& json, const Need& need, PostMortemFolder& content) {
  if (json.contains("status")) {
    need(json["status"].is_number_unsigned() && json["status"] <= static_cast<int>(VDLA_DRIVER_STOPPED),
         "/status", "the number of a status");
    content.status = static_cast<vdla_driver_status>(json["status"].get<int>());
  }
  if (!json.contains("sources")) return;
  need(json["sources"].is_object(), "/sources", "texts by numbers of instructions");
  for (const auto& [insn, source] : json["sources"].items()) {
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(insn.data(), insn.data() + insn.size(), number);
    need(problem == std::errc() && end == insn.data() + insn.size() && source.is_string(), "/sources",
         "texts by numbers of instructions");
    content.sources[number] = source;
  }
}

}  // namespace

PostMortemFolder read_post_mortem(const std::string& folder) {
  const fs::path root(folder);
  const std::string file = (root / kRegistersFile).string();
  VDLA_CHECK_USER(is_file(file))
      << folder << ": has no " << kRegistersFile
      << ", needs a folder that vdla board postmortem or vdla run --post-mortem wrote";
  const JsonText text(read_text(file), file);
  const ordered_json& json = text.root();
  const Need need = [&](bool good, const std::string& pointer, const char* needed) {
    VDLA_CHECK_USER(good) << text.at(pointer) << " needs " << needed;
  };
  need(json.is_object() && json.contains("format") && json["format"] == kFormat, "/format",
       "1, the format that this kit reads");
  for (const char* key : {"device", "message"})
    need(json.contains(key) && json[key].is_string(), fmt::format("/{}", key), "a text");
  need(json.contains("registers") && json["registers"].is_object(), "/registers",
       "values by the names of registers");
  auto recording = std::make_shared<runtime::Recording>();
  for (const runtime::RegisterPlace& place : runtime::register_places()) {
    const std::string pointer = "/registers/" + place.name;
    const bool good = json["registers"].contains(place.name) &&
                      json["registers"][place.name].is_number_unsigned() &&
                      json["registers"][place.name].get<std::uint64_t>() <= UINT32_MAX;
    need(good, pointer, "a number below 2^32");
    recording->registers.push_back(json["registers"][place.name]);
  }
  if (is_there(root / kInsnsFile)) recording->insns = read_file((root / kInsnsFile).string());
  PostMortemFolder content{json["device"], json["message"], recording};
  read_end_of_run(json, need, content);
  return content;
}

runtime::PostMortem post_mortem_of(const PostMortemFolder& folder, const isa::Program* program) {
  const auto report_of = [&](std::uint32_t index) {
    runtime::InsnReport there = insn_in_memory(*folder.recording, index);
    if (const auto source = folder.sources.find(index); source != folder.sources.end())
      there.source = source->second;
    if (program == nullptr) return there;
    runtime::InsnReport known = runtime::insn_report(*program, index);
    if (!folder.recording->insns.empty()) known.insn = there.insn;
    return known;
  };
  runtime::PostMortem made = runtime::make_post_mortem(folder.recording, folder.message, report_of);
  if (folder.status) made.status = *folder.status;
  return made;
}

PostMortemStep step_of(const PostMortemFolder& folder, const runtime::Module& module) {
  const runtime::Recording& recording = *folder.recording;
  const std::uint32_t offset = register_of(recording, isa::Register::INSN_OFFSET),
                      count = register_of(recording, isa::Register::INSN_COUNT);
  std::optional<PostMortemStep> nearest;
  for (std::size_t s = 0; s < module.steps.size(); ++s) {
    const auto* device = std::get_if<runtime::DeviceStep>(&module.steps[s]);
    if (device == nullptr) continue;
    const auto launches = runtime::launches_of(device->program, 0);
    if (std::ranges::none_of(
            launches, [&](const vdla_launch& l) { return l.insn_offset == offset && l.insn_count == count; }))
      continue;
    PostMortemStep found = compare_with_memory(recording, device->program, offset, count);
    found.step = s;
    if (!nearest || found.different < nearest->different) nearest = found;
  }
  VDLA_CHECK_USER(nearest) << "no step of module '" << module.model_name << "' has a program of " << count
                           << " instructions from instruction " << offset / isa::kInsnBytes
                           << " on, which is what the device was started with; give the module that it ran";
  VDLA_CHECK_USER(nearest->different <= count / 2)
      << nearest->different << " of the " << count
      << " instructions in the device's memory are not those of module '" << module.model_name
      << "'; give the module that it ran";
  return *nearest;
}

}  // namespace vdla::tools
