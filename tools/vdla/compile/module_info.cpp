// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/module_info.h"

#include <fmt/core.h>

#include "isa/variants/variants.h"
#include "runtime/container/sections.h"
#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/common/gpu_report.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

ordered_json section_json(const runtime::SectionView& section) {
  const runtime::SectionKind* kind = runtime::find_section_kind(section.name);
  return {{"name", section.name},
          {"required", section.required},
          {"known", kind != nullptr},
          {"offset", section.offset},
          {"bytes", section.bytes.size()},
          {"what", kind ? std::string(kind->what) : "unknown to this kit, kept as it is"}};
}

}  // namespace

std::string names_of(const std::vector<runtime::Section>& sections) {
  std::string names;
  for (const runtime::Section& s : sections) names += (names.empty() ? "" : ", ") + s.name;
  return names;
}

ordered_json module_info(const std::string& path, const TrustFlag& trust) {
  const runtime::Bytes file = runtime::read_module_file(path);
  const runtime::Container container = runtime::unpack(file, path);
  if (const auto key = trust.options().trusted) runtime::require_signature(container, *key, path);
  ordered_json info{{"module", path},
                    {"format", runtime::kModuleFormatVersion},
                    {"bytes", file.size()},
                    {"sha256", runtime::to_string(container.digest)},
                    {"signed_by", nullptr}};
  if (container.signature) info["signed_by"] = runtime::base64_of(container.signature->key);
  info["sections"] = ordered_json::array();
  for (const runtime::SectionView& section : container.sections)
    info["sections"].push_back(section_json(section));
  try {
    const runtime::Module m = runtime::from_sections(container, path);
    info["model"] = m.model_name;
    info["target"] = m.target;
    info["variant"] = isa::label(m.variant);
    info["provenance"] = {{"producer", m.provenance.producer},
                          {"command", m.provenance.command},
                          {"model_file", m.provenance.model_file},
                          {"model_sha256", m.provenance.model_sha256}};
    if (const unsigned threads = m.provenance.tuned_threads; threads != 0)
      info["provenance"]["tuned_threads"] = threads;
    if (const std::string& device = m.provenance.tuned_device; !device.empty())
      info["provenance"]["tuned_device"] = device;
    if (!m.gpu.empty()) info["gpu"] = gpu_programs_json(m);
    info["machine_code"] = ordered_json::array();
    for (const auto& object : m.objects)
      info["machine_code"].push_back(
          {{"triple", object.triple}, {"cpu", object.cpu}, {"bytes", object.elf.size()}});
  } catch (const UserError& e) {
    info["problem"] = e.what();
  }
  return info;
}

void print_module_info(const ordered_json& info) {
  const auto text = [&](const ordered_json& value) { return value.get<std::string>(); };
  fmt::print("{}: module format {}, {} bytes\n", text(info["module"]), info["format"].get<unsigned>(),
             info["bytes"].get<std::size_t>());
  fmt::print("sha256    {}\n", text(info["sha256"]));
  fmt::print("signature {}\n",
             info["signed_by"].is_null() ? "none" : "good, of key " + text(info["signed_by"]));
  if (info.contains("model")) {
    const ordered_json& from = info["provenance"];
    fmt::print("model     {} for {}, variant {}\n", text(info["model"]), text(info["target"]),
               text(info["variant"]));
    fmt::print("made by   {}{}\n", text(from["producer"]),
               text(from["command"]).empty() ? "" : ": " + text(from["command"]));
    if (!text(from["model_file"]).empty())
      fmt::print("of        {}, sha256 {}\n", text(from["model_file"]), text(from["model_sha256"]));
    if (info.contains("gpu")) print_gpu_programs(info["gpu"]);
    for (const auto& object : info["machine_code"])
      fmt::print("code      {} bytes for {} {}\n", object["bytes"].get<std::size_t>(), text(object["triple"]),
                 text(object["cpu"]));
  }
  fmt::print("\n");
  print_table(
      with_column(info["sections"], "reader",
                  [](const ordered_json& s) { return s["required"] == true ? "required" : "optional"; }),
      "section|reader|offset|bytes|holds", "{name:<24} {reader:<8} {offset:>10} {bytes:>12}  {what}");
  if (info.contains("problem")) fmt::print("\n{}\n", text(info["problem"]));
}

}  // namespace vdla::tools
