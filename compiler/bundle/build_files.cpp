// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/build_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/bundle/convert_c.h"
#include "compiler/bundle/cpu_targets.h"
#include "compiler/bundle/driver_sources.h"
#include "compiler/bundle/options.h"
#include "isa/spec/insn.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "runtime/device/device.h"
#include "runtime/device/device_memory.h"
#include "support/inert.h"

namespace vdla::bundle {
namespace {

/// Names of those that are compiled, with this in front of each.
std::string driver_files(const std::string& before) {
  std::string list;
  for (const DriverSource& source : driver_sources())
    if (source.path.ends_with(".c")) list += fmt::format(" \\\n  {}/vdla/{}", before, source.path);
  return list;
}

bool has_conversions(const Plan& plan) { return !conversions_h(plan).empty(); }

std::string files_section(const Plan& plan, const Options& options) {
  std::string text = fmt::format(
      "| file | what it is |\n|---|---|\n"
      "| `{0}.h` | what your program includes: `{0}_load`, `{0}_run`, `{0}_unload`, sizes, scales |\n"
      "| `{0}.c` | tables of steps and tensors |\n"
      "| `{0}_data.c`, `{0}_data.h` | instructions, weights and other constants as `const` arrays |\n",
      plan.name);
  if (!kernel_archive_name(plan).empty())
    text += fmt::format("| `{}` | machine code of the steps on the CPU, for {} |\n",
                        kernel_archive_name(plan), cpu_target_named(plan.cpu_target).what);
  if (!options.answers.empty())
    text += fmt::format(
        "| `{0}_answers.c`, `{0}_answers.h` | {1} inputs with the outputs that the device must give: compile "
        "them "
        "into a firmware that tests itself |\n",
        plan.name, options.answers.size());
  if (has_conversions(plan))
    text += fmt::format(
        "| `{0}_convert.c` | from and to the numbers of the model's file; the one file with floating point, "
        "linked "
        "where it is called |\n",
        plan.name);
  return text +
         fmt::format(
             "| `vdla/` | the driver: C99 sources of the core, of what runs models and of the bare-metal "
             "transport, once for all models "
             "of a "
             "firmware |\n"
             "| `CMakeLists.txt`, `{0}.mk` | one line for CMake, one for make |\n"
             "| `{0}.vdla` | the module itself: `vdla run {0}.vdla` gives the same outputs and cycles on a "
             "desk, and the instruction numbers of the driver's messages are those of `vdla explain "
             "{0}.vdla` |\n",
             plan.name);
}

std::string call_section(const Plan& plan) {
  std::string arrays, arguments;
  const auto add = [&](const std::vector<runtime::Port>& ports, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const runtime::Tensor& tensor = plan.module.tensors[ports[i].tensor];
      arrays += fmt::format("static {} {}[{}]; /* {} */\n", c_type(tensor.type), names[i],
                            runtime::element_count(tensor.shape), runtime::to_string(tensor.shape));
      arguments += ", " + names[i];
    }
  };
  add(plan.module.inputs, plan.inputs);
  add(plan.module.outputs, plan.outputs);
  return fmt::format(
      "```c\n#include \"{0}.h\"\n\nstatic {0} my_{0}; /* static: zero at first */\nstatic vdla_device "
      "my_device;\n{1}\n"
      "int infer(const vdla_transport* transport) {{\n"
      "  if (vdla_probe(&my_device, transport) != VDLA_DRIVER_OK || vdla_reset(&my_device) != VDLA_DRIVER_OK "
      "||\n"
      "      {0}_load(&my_{0}, &my_device) != VDLA_DRIVER_OK || {0}_run(&my_{0}{2}) != VDLA_DRIVER_OK)\n"
      "    return -1; /* my_device.message says why */\n"
      "  return 0;  /* my_{0}.state.counters.cycles: what the device took */\n}}\n```\n",
      plan.name, arrays, arguments);
}

std::string memory_section(const Plan& plan) {
  std::string text =
      "| memory | bytes | |\n|---|---:|---|\n" +
      fmt::format("| DMA memory | {} | from the transport, at multiples of {} |\n", plan.memory.device,
                  runtime::kDmaAlignment) +
      fmt::format("| constants | {} | `const` arrays; copied into DMA memory once |\n",
                  plan.memory.constants) +
      fmt::format("| tensors between steps, buffers of kernels | {} | inside the model's struct |\n",
                  plan.memory.arena) +
      fmt::format("| stack of kernels | {} | beside at most 1 KiB of the driver |\n",
                  plan.memory.kernel_stack);
  std::string windows;
  for (const runtime::WindowNeed& need : runtime::device_memory(plan.module).windows)
    windows += fmt::format("| {} | {} | {} |\n", need.step, isa::to_string(need.window), need.bytes);
  if (!windows.empty())
    text += "\nWindows of the device:\n\n| step | window | bytes |\n|---|---|---:|\n" + windows;
  return text;
}

}  // namespace

std::string archive_name(const std::string& name) { return fmt::format("lib{}_kernels.a", name); }

std::string kernel_archive_name(const Plan& plan) {
  return plan.device_steps == plan.steps.size() ? "" : archive_name(plan.name);
}

std::string readme(const Plan& plan, const Options& options) {
  const runtime::Module& m = plan.module;
  return fmt::format(
      "# {0}\n\n{1} as C99 for firmware, made by {2} ({11}) for variant {3}: geometry 0x{4:016x}, ISA "
      "version "
      "{5}. `{0}_load` refuses another device. There is no allocation, no stdio and no floating point in "
      "it{6}.\n\n## Files\n\n{7}\n## Build\n\n"
      "CMake: `add_subdirectory({0})`, then `target_link_libraries(firmware PRIVATE {0})`.\n\n"
      "make: `include {0}/{0}.mk`, then compile `$({8}_SOURCES) $(VDLA_SOURCES)` with `$({8}_CFLAGS)` and "
      "link "
      "`$({8}_OBJECTS)` behind them.\n\n"
      "Compilers call memcpy, memmove and memset, and what they bring themselves for the target (wide "
      "integers: "
      "`__aeabi_uldivmod`, `__udivdi3`). Everything else is here.\n\n"
      "## Call\n\n{9}\nInputs and outputs are the integers that the network computes with; `{0}.h` has their "
      "shapes, "
      "scales and zero points. The transport is yours (`vdla/driver/core/transport.h` says what it holds to) "
      "or `vdla/driver/mmio`, for registers "
      "and memory in the CPU's address space. `vdla_warning()` tells of interrupts that never came.\n\n"
      "## Memory\n\n{10}",
      plan.name, markdown_code(m.provenance.model_file.empty() ? m.model_name : m.provenance.model_file),
      markdown_text(m.provenance.producer), markdown_text(isa::label(m.variant)),
      isa::geometry_hash(m.variant.geometry), isa::kIsaVersion,
      kernel_archive_name(plan).empty() ? "" : ", but for what layers on the CPU compute",
      files_section(plan, options), plan.upper, call_section(plan), memory_section(plan),
      markdown_code(m.provenance.command));
}

std::string cmake_lists(const Plan& plan) {
  std::string sources;
  for (const DriverSource& source : driver_sources())
    if (source.path.ends_with(".c")) sources += fmt::format("\n    vdla/{}", source.path);
  const std::string archive = kernel_archive_name(plan);
  return fmt::format("# add_subdirectory() of this folder gives target {}. {}\n", plan.name, kMark) +
         fmt::format(
             "cmake_minimum_required(VERSION 3.13)\nproject({0} C)\n\n"
             "# The driver, once for all models of a firmware.\nif(NOT TARGET vdla_driver)\n"
             "  add_library(vdla_driver STATIC{1})\n"
             "  target_include_directories(vdla_driver PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}}/vdla)\n"
             "  set_target_properties(vdla_driver PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON "
             "C_EXTENSIONS "
             "OFF)\nendif()\n\n"
             "add_library({0} STATIC {0}.c {0}_data.c{3})\n"
             "target_include_directories({0} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
             "set_target_properties({0} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)\n"
             "target_link_libraries({0} PUBLIC {2}vdla_driver)\n",
             plan.name, sources,
             archive.empty() ? "" : fmt::format("${{CMAKE_CURRENT_SOURCE_DIR}}/{} ", archive),
             has_conversions(plan) ? fmt::format(" {}_convert.c", plan.name) : "");
}

std::string make_lines(const Plan& plan) {
  const std::string archive = kernel_archive_name(plan), here = fmt::format("$({}_DIR)", plan.upper);
  return fmt::format("# For include. {}\n", kMark) +
         fmt::format(
             "{0}_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))\n"
             "{0}_SOURCES := {1}/{2}.c {1}/{2}_data.c{5}\n{0}_OBJECTS :={3}\n"
             "{0}_CFLAGS = -I{1} -I$(VDLA_INCLUDE)\n\n"
             "# The driver, once for all models of a firmware.\nifndef VDLA_SOURCES\nVDLA_INCLUDE := "
             "{1}/vdla\n"
             "VDLA_SOURCES :={4}\nendif\n",
             plan.upper, here, plan.name, archive.empty() ? "" : fmt::format(" {}/{}", here, archive),
             driver_files(here),
             has_conversions(plan) ? fmt::format(" {}/{}_convert.c", here, plan.name) : "");
}

}  // namespace vdla::bundle
