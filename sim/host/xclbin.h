// SPDX-License-Identifier: Apache-2.0
// A configuration file of XRT (xclbin) for its emulation: one user-managed kernel, one bank of memory, and a
// simulator that the emulation starts. XRT's own packer is not in Debian.
#pragma once

#include <cstdint>
#include <string>

namespace vdla::sim {

/// Facts that the file states of the card.
struct XclbinFacts {
  std::string kernel;                ///< "vdla_axi"
  std::uint64_t registers_base = 0;  ///< on the card's bus
  std::uint64_t registers_bytes = 0;
  std::string bank;  ///< "DDR[0]", 15 characters at most
  std::uint64_t memory_base = 0;
  std::uint64_t memory_bytes = 0;
  std::string archive;  ///< bytes of what XRT unpacks and starts, as a zip file
};

/// The file's bytes. UserError: a name is too long for its field.
std::string make_xclbin(const XclbinFacts& facts);

}  // namespace vdla::sim
