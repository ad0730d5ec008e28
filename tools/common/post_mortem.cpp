// SPDX-License-Identifier: Apache-2.0
#include "tools/common/post_mortem.h"

#include <fmt/format.h>

#include "isa/asm/asm.h"
#include "isa/spec/insn.h"
#include "support/json_dump.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

std::string indented(const runtime::InsnReport& at) {
  std::string text;
  if (at.insn) text += fmt::format("\n            {}", isa::to_text(*at.insn));
  if (!at.source.empty()) text += fmt::format("\n            of {}", at.source);
  return text;
}

ordered_json json_of(const runtime::InsnReport& at) {
  ordered_json out{{"index", at.index}};
  if (at.insn) out["text"] = isa::to_text(*at.insn);
  if (!at.source.empty()) out["source"] = at.source;
  return out;
}

ordered_json units_in(std::uint32_t mask) {
  ordered_json names = ordered_json::array();
  for (unsigned u = 0; u < isa::kQueueUnits; ++u)
    if (mask >> u & 1u) names.push_back(isa::to_string(static_cast<isa::Unit>(u)));
  return names;
}

ordered_json json_of(const runtime::UnitReport& unit) {
  ordered_json out{{"unit", unit.name}, {"doing", unit.doing}};
  if (!unit.state.has_insn) return out;
  const bool fetch = unit.unit == isa::kQueueUnits;
  out["instruction"] = json_of(unit.at);
  if (unit.state.since != 0) out["since_cycle"] = unit.state.since;  // 0: an engine without time
  out["running"] = unit.state.running != 0;
  out["memory_owes"] = unit.state.owed != 0;
  out[fetch ? "waits_for_queue_of" : "waits_for_token_from"] = units_in(unit.state.waiting_pops);
  if (!fetch) out["waits_for_room_to"] = units_in(unit.state.waiting_pushes);
  return out;
}

}  // namespace

std::string with_remedy(const std::string& message, vdla_driver_status status) {
  // A program that needs longer looks like one that hangs.
  return message + (status == VDLA_DRIVER_TIMEOUT ? "; vdla run --timeout gives it more" : "");
}

std::string to_text(const runtime::PostMortem& post_mortem) {
  std::string text = with_remedy(post_mortem.cause, post_mortem.status);
  if (post_mortem.error) text += indented(post_mortem.error->at);
  for (const runtime::UnitReport& unit : post_mortem.units) {
    text += fmt::format("\n  {:<8}  {}", unit.name, unit.doing);
    if (unit.state.has_insn) text += indented(unit.at);
  }
  return text;
}

ordered_json to_json(const runtime::PostMortem& post_mortem) {
  ordered_json out{{"status", vdla_driver_status_text(post_mortem.status)}, {"cause", post_mortem.cause}};
  if (const auto& error = post_mortem.error)
    out["error"] = {{"code", error->error.code},
                    {"unit", isa::to_string(static_cast<isa::Unit>(error->error.unit))},
                    {"address", error->error.address},
                    {"instruction", json_of(error->at)}};
  out["units"] = ordered_json::array();
  for (const runtime::UnitReport& unit : post_mortem.units) out["units"].push_back(json_of(unit));
  return out;
}

remote::FailedRun failed_run_of(const runtime::DeviceError& error) {
  const std::string message = with_remedy(error.what(), error.status());
  if (error.post_mortem() == nullptr) return {message, message, "", nullptr};
  return {message, to_text(*error.post_mortem()), json_dump(to_json(*error.post_mortem()), 0),
          error.post_mortem()->recording};
}

}  // namespace vdla::tools
