// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/cpu_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "runtime/code/cpu_fits.h"
#include "support/error.h"

namespace vdla::tools {
namespace {

struct CpuLevel {
  const char* name;
  const char* what;
  pipeline::CpuCode code;
  std::int64_t vector_bytes, vector_registers;  ///< 0: those of this machine
};

constexpr CpuLevel kCpuLevels[] = {
    {"portable", "most CPUs of this machine's architecture", pipeline::CpuCode::Portable, 16, 16},
    {"levels", "portable, AVX2 and AVX-512 code, chosen at load", pipeline::CpuCode::Levels, 0, 0},
    {"native", "CPUs like this machine's", pipeline::CpuCode::Native, 0, 0},
    {"avx2", "x86-64 with AVX2", pipeline::CpuCode::Avx2, 32, 16},
    {"avx512", "x86-64 with AVX-512", pipeline::CpuCode::Avx512, 64, 32},
};

}  // namespace

std::vector<std::string> cpu_levels() {
  std::vector<std::string> names;
  for (const CpuLevel& level : kCpuLevels) names.emplace_back(level.name);
  return names;
}

std::string about_cpu_levels() {
  std::string text;
  for (const CpuLevel& level : kCpuLevels)
    text += (text.empty() ? "" : "; ") + std::string(level.name) + ": " + level.what;
  return text;
}

void set_cpu_level(pipeline::CompileOptions& options, const std::string& name) {
  const auto* level = std::ranges::find(kCpuLevels, name, &CpuLevel::name);
  VDLA_CHECK(level != std::end(kCpuLevels)) << "no level '" << name << "'";
  options.cpu_code = level->code;
  // Code for any machine keeps the caches of no machine.
  if (level->code == pipeline::CpuCode::Portable) {
    options.cpu = {};
    return;
  }
  options.cpu = pipeline::cpu::host_profile();
  if (level->vector_bytes == 0) return;
  options.cpu.vector_bytes = level->vector_bytes;
  options.cpu.vector_registers = level->vector_registers;
  options.cpu.dot_product = false;
}

void say_interpreted(const runtime::Module& module, const Context& context) {
  bool is_needed = false;
  for (std::size_t i = 0; i < module.steps.size(); ++i)
    is_needed |= std::holds_alternative<runtime::HostStep>(module.steps[i]) &&
                 runtime::segment_of(module, i) == nullptr;
  std::string why;
  for (const runtime::KernelObject& object : module.objects) {
    why = runtime::why_cpu_does_not_fit(object);
    if (why.empty()) return;
  }
  if (is_needed && !why.empty())
    context.say(
        {fmt::format("the machine code of '{}' does not run here ({}), so the CPU's layers are interpreted, "
                     "which can take a thousand times as long; compile the model here, or with --cpu levels",
                     module.model_name, why)});
}

}  // namespace vdla::tools
