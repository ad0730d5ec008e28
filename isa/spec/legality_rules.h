// SPDX-License-Identifier: Apache-2.0
// The rules of legality that are written by hand (see legality.h); what the operations of the vector unit ask for is
// made of their rows. rules() puts them together: numbers are places there, so append, never reorder, within a version
// of the instruction set.
#pragma once

#include "isa/spec/operations.h"
#include "isa/spec/rule.h"

namespace vdla::isa::legality {

/// Up to the buffers of vector.
inline constexpr auto kFirstRules = std::to_array<Rule>({
    {"opcode", "the opcode is one of the table"},
    {"reserved", "bits outside the opcode's fields are zero"},

    {"load_own_pop", Opcode::Load, "load pops no token from itself", {bit("pop", Unit::Load) == constant(0)}},
    {"load_own_push", Opcode::Load, "load pushes no token to itself", {bit("push", Unit::Load) == constant(0)}},
    {"store_own_pop", Opcode::Store, "store pops no token from itself", {bit("pop", Unit::Store) == constant(0)}},
    {"store_own_push", Opcode::Store, "store pushes no token to itself", {bit("push", Unit::Store) == constant(0)}},
    {"gemm_own_pop", Opcode::Gemm, "gemm pops no token from itself", {bit("pop", Unit::Gemm) == constant(0)}},
    {"gemm_own_push", Opcode::Gemm, "gemm pushes no token to itself", {bit("push", Unit::Gemm) == constant(0)}},
    {"vector_own_pop", Opcode::Vector, "vector pops no token from itself", {bit("pop", Unit::Vector) == constant(0)}},
    {"vector_own_push", Opcode::Vector, "vector pushes no token to itself", {bit("push", Unit::Vector) == constant(0)}},
    {"finish_tokens", Opcode::Finish, "finish has no tokens: it waits for all units", {sum("pop", "push") == constant(0)}},

    {"load_buffer", Opcode::Load, "load writes inp, wgt, out, par or uop",
     {field("buffer") == code(Buffer::Inp), field("buffer") == code(Buffer::Wgt), field("buffer") == code(Buffer::Out),
      field("buffer") == code(Buffer::Par), field("buffer") == code(Buffer::Uop)}},
    {"load_window_known", Opcode::Load, "the window is one of the table", {field("window") <= code(Window::Spare1)}},
    {"load_window", Opcode::Load, "load reads any window but insn", {field("window") != code(Window::Insn)}},
    {"load_widen", Opcode::Load, "only par is widened", {field("widen") == constant(0), field("buffer") == code(Buffer::Par)}},
    {"load_run", Opcode::Load, "run is at least 1", {field("run") >= constant(1)}},
    {"load_x", Opcode::Load, "x_pad_before + x_count + x_pad_after is at least 1",
     {sum("x_pad_before", "x_count", "x_pad_after") >= constant(1)}},
    {"load_y", Opcode::Load, "y_pad_before + y_count + y_pad_after is at least 1",
     {sum("y_pad_before", "y_count", "y_pad_after") >= constant(1)}},
    {"load_z", Opcode::Load, "z_count is at least 1", {field("z_count") >= constant(1)}},
    {"load_base_inp", Opcode::Load, "sram_base is inside inp",
     {field("buffer") != code(Buffer::Inp), field("sram_base") < geometry("inp_depth")}},
    {"load_base_wgt", Opcode::Load, "sram_base is inside wgt",
     {field("buffer") != code(Buffer::Wgt), field("sram_base") < geometry("wgt_depth")}},
    {"load_base_out", Opcode::Load, "sram_base is inside out",
     {field("buffer") != code(Buffer::Out), field("sram_base") < geometry("out_depth")}},
    {"load_base_par", Opcode::Load, "sram_base is inside par",
     {field("buffer") != code(Buffer::Par), field("sram_base") < geometry("par_depth")}},
    {"load_base_uop", Opcode::Load, "sram_base is inside uop",
     {field("buffer") != code(Buffer::Uop), field("sram_base") < geometry("uop_depth")}},

    {"store_buffer", Opcode::Store, "store reads out", {field("buffer") == code(Buffer::Out)}},
    {"store_window", Opcode::Store, "store writes act, output, spare0 or spare1",
     {field("window") == code(Window::Act), field("window") == code(Window::Output),
      field("window") == code(Window::Spare0), field("window") == code(Window::Spare1)}},
    {"store_plain", Opcode::Store, "store has no widening and no pad value",
     {sum("widen", "pad_value") == constant(0)}},
    {"store_x_pad", Opcode::Store, "store has no padding along x", {sum("x_pad_before", "x_pad_after") == constant(0)}},
    {"store_y_pad", Opcode::Store, "store has no padding along y", {sum("y_pad_before", "y_pad_after") == constant(0)}},
    {"store_run", Opcode::Store, "run is at least 1", {field("run") >= constant(1)}},
    {"store_x", Opcode::Store, "x_count is at least 1", {field("x_count") >= constant(1)}},
    {"store_y", Opcode::Store, "y_count is at least 1", {field("y_count") >= constant(1)}},
    {"store_z", Opcode::Store, "z_count is at least 1", {field("z_count") >= constant(1)}},
    {"store_base", Opcode::Store, "sram_base is inside out", {field("sram_base") < geometry("out_depth")}},

    {"gemm_count0", Opcode::Gemm, "count0 is at least 1", {field("count0") >= constant(1)}},
    {"gemm_count1", Opcode::Gemm, "count1 is at least 1", {field("count1") >= constant(1)}},
    {"gemm_count2", Opcode::Gemm, "count2 is at least 1", {field("count2") >= constant(1)}},
    {"gemm_count3", Opcode::Gemm, "count3 is at least 1", {field("count3") >= constant(1)}},
    {"gemm_count4", Opcode::Gemm, "count4 is at least 1", {field("count4") >= constant(1)}},
    {"gemm_uop_count", Opcode::Gemm, "uop_count is at least 1", {field("uop_count") >= constant(1)}},
    {"gemm_uops", Opcode::Gemm, "the micro-ops are inside uop", {sum("uop_begin", "uop_count") <= geometry("uop_depth")}},
    {"gemm_acc_base", Opcode::Gemm, "acc_base is inside acc", {field("acc_base") < geometry("acc_depth")}},
    {"gemm_inp_base", Opcode::Gemm, "inp_base is inside inp", {field("inp_base") < geometry("inp_depth")}},
    {"gemm_wgt_base", Opcode::Gemm, "wgt_base is inside wgt", {field("wgt_base") < geometry("wgt_depth")}},

    {"vector_op", Opcode::Vector, "the operation is one of the table", {field("op") <= code(kOperations.back().op)}},
    {"vector_dst", Opcode::Vector, "the result goes to acc, inp or out",
     {field("dst_buffer") == code(Buffer::Acc), field("dst_buffer") == code(Buffer::Inp),
      field("dst_buffer") == code(Buffer::Out)}},
    {"vector_a", Opcode::Vector, "operand a comes from acc, inp or out",
     {field("a_buffer") == code(Buffer::Acc), field("a_buffer") == code(Buffer::Inp),
      field("a_buffer") == code(Buffer::Out)}},
    {"vector_b", Opcode::Vector, "operand b is one of the table", {field("b_kind") <= code(VectorB::Imm)}},
    {"vector_count0", Opcode::Vector, "count0 is at least 1", {field("count0") >= constant(1)}},
    {"vector_count1", Opcode::Vector, "count1 is at least 1", {field("count1") >= constant(1)}},
    {"vector_count2", Opcode::Vector, "count2 is at least 1", {field("count2") >= constant(1)}},
    {"vector_count3", Opcode::Vector, "count3 is at least 1", {field("count3") >= constant(1)}},
    {"vector_count4", Opcode::Vector, "count4 is at least 1", {field("count4") >= constant(1)}},
    {"vector_int8_init", Opcode::Vector, "an int8 result does not accumulate: init is set",
     {field("dst_buffer") == code(Buffer::Acc), field("init") == constant(1)}},
    {"vector_int8_mask", Opcode::Vector, "an int8 result does not accumulate: reduce_mask is zero",
     {field("dst_buffer") == code(Buffer::Acc), field("reduce_mask") == constant(0)}},
    {"vector_clamp", Opcode::Vector, "clamp_min is not above clamp_max",
     {field("dst_buffer") == code(Buffer::Acc), field("clamp_min") <= field("clamp_max")}},
    {"vector_dst_square", Opcode::Vector, "a result in inp needs block_in equal to block_out",
     {field("dst_buffer") != code(Buffer::Inp), geometry("block_in") == geometry("block_out")}},
});

/// After what the operations ask of their operands and fields.
inline constexpr auto kBaseRules = std::to_array<Rule>({
    {"vector_dst_base_acc", Opcode::Vector, "dst_base is inside acc",
     {field("dst_buffer") != code(Buffer::Acc), field("dst_base") < geometry("acc_depth")}},
    {"vector_dst_base_inp", Opcode::Vector, "dst_base is inside inp",
     {field("dst_buffer") != code(Buffer::Inp), field("dst_base") < geometry("inp_depth")}},
    {"vector_dst_base_out", Opcode::Vector, "dst_base is inside out",
     {field("dst_buffer") != code(Buffer::Out), field("dst_base") < geometry("out_depth")}},
    {"vector_a_base_acc", Opcode::Vector, "a_base is inside acc",
     {field("a_buffer") != code(Buffer::Acc), field("a_base") < geometry("acc_depth")}},
    {"vector_a_base_inp", Opcode::Vector, "a_base is inside inp",
     {field("a_buffer") != code(Buffer::Inp), field("a_base") < geometry("inp_depth")}},
    {"vector_a_base_out", Opcode::Vector, "a_base is inside out",
     {field("a_buffer") != code(Buffer::Out), field("a_base") < geometry("out_depth")}},
    {"vector_b_base", Opcode::Vector, "b_base is inside par",
     {field("b_kind") != code(VectorB::Par), field("b_base") < geometry("par_depth")}},
});

}  // namespace vdla::isa::legality
