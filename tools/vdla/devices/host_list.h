// SPDX-License-Identifier: Apache-2.0
// Files that list boards elsewhere: {"boards": [{"host": "board.lab", "certificates": "lab", "node": "n1"}]},
// where certificates and the cluster's node that leases the board need not be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/vdla/devices/remote_flags.h"

namespace vdla::tools {

/// Rows of such a file, whose certificates lie where it does.
std::vector<RemoteFlags> read_hosts(const std::filesystem::path& file);

/// Rows of a node among these, and those that name none. UserError where there is none.
std::vector<RemoteFlags> hosts_of_node(const std::filesystem::path& file, const std::string& node);

/// The boards of --fleet: such a file, or HOST[:PORT],HOST[:PORT] of this machine.
std::vector<RemoteFlags> fleet_of(const std::string& text);

}  // namespace vdla::tools
