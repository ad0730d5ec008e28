// SPDX-License-Identifier: Apache-2.0
#include "runtime/post_mortem.h"

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

PostMortem make_post_mortem(const Device::Outcome& outcome,
                            const std::function<InsnReport(std::uint32_t)>& report_of) {
  PostMortem made;
  made.status = outcome.status;
  made.message = outcome.message;
  made.cause = made.message.substr(0, made.message.find(": load "));  // with which a list of units begins
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
