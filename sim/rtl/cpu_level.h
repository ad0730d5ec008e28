// SPDX-License-Identifier: Apache-2.0
// CPUs that a library of machine code is for. The linker notes the level of x86-64 that it needs (property
// X86_ISA_1_NEEDED); code of other architectures has no levels.
#pragma once

#include <filesystem>
#include <string>

namespace vdla::sim {

/// Level of an x86-64 CPU: 1 is what every CPU has, 3 has AVX2 ("x86-64-v3").
int host_cpu_level();

/// Level that a shared library needs; 1 where nothing is noted.
int needed_cpu_level(const std::filesystem::path& library);

/// "x86-64-v3"; "x86-64" for 1.
std::string cpu_level_name(int level);

}  // namespace vdla::sim
