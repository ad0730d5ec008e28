// SPDX-License-Identifier: Apache-2.0
// State of the device when a run failed, in terms of the program: for people and for tools.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/program/program.h"
#include "runtime/device/device.h"
#include "runtime/device/recording.h"

namespace vdla::runtime {

/// An instruction and where it comes from.
struct InsnReport {
  std::uint32_t index = 0;        ///< index in window insn
  std::optional<isa::Insn> insn;  ///< unset: outside of the program, or no instruction
  std::string source;             ///< "layer 'conv1' (conv2d), loop oc1=0 y1=2"; empty when not known
};

struct UnitReport {
  unsigned unit = 0;  ///< load, gemm, vector, store, fetch
  std::string name;
  vdla_unit_state state{};
  std::string doing;  ///< "waits at instruction 12 since cycle 88 for a token from gemm"
  InsnReport at;      ///< when it has one
};

struct ErrorReport {
  vdla_device_error error{};
  std::string text;  ///< "store at instruction 12: error 2, ..."
  InsnReport at;
};

struct PostMortem {
  vdla_driver_status status = VDLA_DRIVER_OK;
  std::string message;                         ///< the driver's sentence
  std::string cause;                           ///< its part before the units
  std::optional<ErrorReport> error;            ///< status DEVICE
  std::vector<UnitReport> units;               ///< empty when they could not be read
  std::shared_ptr<const Recording> recording;  ///< null when it could not be read
};

/// An instruction of a program that the compiler made.
InsnReport insn_report(const isa::Program& program, std::uint32_t insn);

PostMortem make_post_mortem(const Device::Outcome& outcome,
                            const std::function<InsnReport(std::uint32_t)>& report_of);
/// Post-mortem of a device that was recorded, whichever program ran it: status OK where nothing is wrong,
/// BUSY where a program has not ended. DeviceError where the recording is of no device. `message`: text of
/// the run's end, where it is known.
PostMortem make_post_mortem(std::shared_ptr<const Recording> recording, const std::string& message,
                            const std::function<InsnReport(std::uint32_t)>& report_of);

}  // namespace vdla::runtime
