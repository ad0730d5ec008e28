// SPDX-License-Identifier: Apache-2.0
// Files of a bundle beside C: the page for its reader, and lines for CMake and make. Private to this folder.
#pragma once

#include <string>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

std::string readme(const Plan& plan, const Options& options);
std::string cmake_lists(const Plan& plan);
/// NAME.mk, for include.
std::string make_lines(const Plan& plan);

/// "libNAME_kernels.a".
std::string archive_name(const std::string& name);
/// Name of the kernels' archive; empty where nothing runs on the CPU.
std::string kernel_archive_name(const Plan& plan);

}  // namespace vdla::bundle
