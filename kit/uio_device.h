// SPDX-License-Identifier: Apache-2.0
// The device of the machine that a program runs on (driver/uio), for kit::Session or runtime::Session:
//
//   kit::UioDevice device({});
//   kit::Session session(module, device.transport(), device.name());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "driver/uio/uio.h"
#include "support/interrupt.h"

namespace vdla::kit {

/// Use of a device by a process, and the state in which it leaves it.
enum class UioUse : std::uint8_t {
  Run,   ///< it is this process's alone, and is reset at the end
  Test,  ///< as Run, and nothing is touched before the transport's configured() has given 0
  Keep,  ///< it is this process's alone, and stays as it is
  Look,  ///< it stays as it is, and another process may have it
};

struct UioOptions {
  std::string device = "vdla";  ///< a UIO device by name, or by number ("uio0")
  std::string udmabuf;          ///< its memory is this u-dma-buf; empty: what is reserved for it
  std::string root;             ///< prefix of /sys and /dev
  UioUse use = UioUse::Run;
  /// The driver itself resets the device where a signal ends the process: for programs that call no
  /// interrupt() (support/interrupt.h).
  bool reset_by_signals = false;

  /// "UIO device vdla"
  std::string name() const { return "UIO device " + device; }
};

/// A device that is to be run is reset at the end, and where a signal ends the process that interrupt()
/// answers (support/interrupt.h).
class UioDevice {
 public:
  /// UserError says why it cannot be had: it is not there, another process has it, the FPGA is not
  /// configured.
  explicit UioDevice(const UioOptions& options);

  const vdla_transport* transport() const { return vdla_uio_transport(uio_.get()); }
  /// "UIO device vdla"
  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(vdla_uio* uio) const { vdla_uio_close(uio); }
  };
  std::unique_ptr<vdla_uio, Close> uio_;
  std::string name_;
  std::optional<OnInterrupt> reset_;  // goes before what it resets
};

}  // namespace vdla::kit
