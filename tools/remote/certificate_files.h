// SPDX-License-Identifier: Apache-2.0
// Certificates as files of a folder: ca.pem, and server.pem with server.key or client.pem with client.key.
#pragma once

#include <filesystem>

#include "tools/remote/interface.h"

namespace vdla::remote {

enum class Side { Server, Client };

/// UserError names the file that is missing or is none of these.
Certificates read_certificates(const std::filesystem::path& folder, Side side);

/// Writes all five into a folder of their own, which is made; keys are for their owner alone. UserError where
/// one of them is there already.
void write_certificates(const Authority& authority, const std::filesystem::path& folder);

}  // namespace vdla::remote
