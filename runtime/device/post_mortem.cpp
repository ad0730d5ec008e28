// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/post_mortem.h"

#include <algorithm>
#include <array>

#include "isa/spec/insn.h"

namespace vdla::runtime {
namespace {

using Text = std::array<char, VDLA_MESSAGE_BYTES>;

UnitReport unit_report(unsigned unit, const vdla_unit_state& state,
                       const std::function<InsnReport(std::uint32_t)>& report_of) {
  Text text;
  vdla_describe_unit(unit, &state, text.data(), text.size());
  UnitReport report{.unit = unit,
                    .name = std::string(isa::to_string(static_cast<isa::Unit>(unit))),
                    .state = state,
                    .doing = text.data(),
                    .at = {}};
  if (state.has_insn) report.at = report_of(state.insn);
  return report;
}

}  // namespace

InsnReport insn_report(const isa::Program& program, std::uint32_t insn) {
  InsnReport report{.index = insn, .insn = {}, .source = program.source_map.describe(insn)};
  if (insn < program.insns.size()) report.insn = program.insns[insn];
  return report;
}

PostMortem make_post_mortem(std::shared_ptr<const Recording> recording, const std::string& message,
                            const std::function<InsnReport(std::uint32_t)>& report_of) {
  const RecordedDevice recorded(*recording);
  vdla_device device{};
  check_status(device, vdla_probe(&device, recorded.transport()));
  Device::Outcome outcome;
  outcome.status = vdla_diagnose(&device);
  outcome.message = message.empty() ? device.message : message;
  check_status(device, vdla_read_error(&device, &outcome.error));
  check_status(device, vdla_read_units(&device, &outcome.units));
  outcome.readable = true;
  outcome.recording = std::move(recording);
  PostMortem made = make_post_mortem(outcome, report_of);
  if (made.message.empty())
    made.cause = "nothing is wrong: the device has ended its program, or none was started";
  return made;
}

PostMortem make_post_mortem(const Device::Outcome& outcome,
                            const std::function<InsnReport(std::uint32_t)>& report_of) {
  PostMortem made;
  made.status = outcome.status;
  made.message = outcome.message;
  made.recording = outcome.recording;
  made.cause = made.message;  // an error's sentence may begin with load, as a list of units does
  if (outcome.status != VDLA_DRIVER_DEVICE)
    made.cause.resize(std::min(made.cause.size(), made.cause.find(kUnitsBegin)));
  if (!outcome.readable) return made;
  if (outcome.status == VDLA_DRIVER_DEVICE) {
    Text text;
    vdla_describe_error(&outcome.error, text.data(), text.size());
    made.error = ErrorReport{outcome.error, text.data(), report_of(outcome.error.insn)};
  }
  for (unsigned unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit)
    made.units.push_back(unit_report(unit, outcome.units.unit[unit], report_of));
  return made;
}

}  // namespace vdla::runtime
