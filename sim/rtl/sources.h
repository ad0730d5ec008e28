// SPDX-License-Identifier: Apache-2.0
// The hardware's sources as tools outside of the kit take them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::sim {

/// Copies the sources that `source`/hw/files.f lists, and the headers that they include, into one folder,
/// which is made; names what it wrote, headers first, then sources in the order in which they are read,
/// vdla_axi.v last, and files.f, which lists the sources. The parameters of vdla_axi have the variant's
/// values as defaults, so its instances and an IP packager need none. UserError where a file cannot be
/// written or the hardware cannot have the variant's timing.
std::vector<std::string> export_rtl(const isa::Variant& variant, const std::filesystem::path& source,
                                    const std::filesystem::path& folder);

}  // namespace vdla::sim
