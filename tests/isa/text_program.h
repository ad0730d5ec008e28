// SPDX-License-Identifier: Apache-2.0
// Programs of tests as assembler text.
#pragma once

#include <string>
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

/// For batch 2: three positions fill the second entry by half, and `stored` positions are stored. 4: one that
/// nothing wrote.
inline std::string half_filled_entry(unsigned stored) {
  return R"(
    .uop 0, 0, 0
    load uop[0] = uop[0]
    load wgt[0] = const[0]
    load inp[0] = input[16*x] for x<3 push gemm
    gemm acc[i1] = inp[i1] * wgt[0] for i1<2 pop load push vector
    vector out[i1] = add(acc[i1]) for i1<2 pop gemm push store
    store output[16*x] = out[0] for x<)" +
         std::to_string(stored) + " pop vector\n    finish 0";
}

}  // namespace vdla::isa
