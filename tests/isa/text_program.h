// SPDX-License-Identifier: Apache-2.0
// Programs of tests as assembler text.
#pragma once

#include <string_view>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/program/program.h"

namespace vdla::isa {

/// `.uop` lines are the image of window uop; const has 4096 bytes, act, input, output and spares 65536 each.
inline Program program_of(std::string_view text, const Geometry& geometry = {}) {
  const Assembly assembly = assemble(text, "test");
  Program program;
  program.geometry = geometry;
  for (const InsnWords& words : assembly.insns) program.insns.push_back(*try_decode(words));
  for (const Uop& uop : assembly.uops) program.kernels.push_back({uop, {}});
  program.constants.resize(4096);
  for (Window w : {Window::Act, Window::Input, Window::Output, Window::Spare0, Window::Spare1})
    program.data_window_sizes[static_cast<std::size_t>(w)] = 65536;
  return program;
}

}  // namespace vdla::isa
