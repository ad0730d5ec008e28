// SPDX-License-Identifier: Apache-2.0
// A card of the machine that a program runs on, through XRT (driver/xrt), for kit::Session or
// runtime::Session:
//
//   kit::XrtDevice card({"0", "vdla.xclbin"});
//   kit::Session session(module, card.transport(), card.name());
//
// XRT is loaded when the first card is asked for; a kit that was built without it says which package it
// needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "driver/xrt/xrt.h"
#include "support/interrupt.h"

namespace vdla::kit {

struct XrtOptions {
  std::string device = "0";      ///< as XRT counts cards, or as the bus does ("0000:03:00.1")
  std::filesystem::path xclbin;  ///< contents of the card
  bool no_reset = false;         ///< the device stays as it is at the end

  /// "XRT card 0"
  std::string name() const { return "XRT card " + device; }
};

/// Taken for this process; reset and given back at the end, and where a signal ends the process that
/// interrupt() answers (support/interrupt.h).
class XrtDevice {
 public:
  /// UserError says why it cannot be had: no XRT, no card, a file that is not for it, another process.
  explicit XrtDevice(const XrtOptions& options);
  ~XrtDevice();
  XrtDevice(const XrtDevice&) = delete;
  XrtDevice& operator=(const XrtDevice&) = delete;

  const vdla_transport* transport() const { return transport_; }
  /// "XRT card 0"
  const std::string& name() const { return name_; }

 private:
  int soft_reset() const;

  vdla_xrt* xrt_ = nullptr;
  const vdla_transport* transport_ = nullptr;
  std::string name_;
  std::optional<OnInterrupt> reset_;  // goes before what it resets
};

/// The folder of the libraries of XRT that the kit uses. UserError: there are none.
std::filesystem::path xrt_libraries();

}  // namespace vdla::kit
