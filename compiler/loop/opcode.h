// SPDX-License-Identifier: Apache-2.0
// Bytecode instructions of operations, by type. Private to compiler/loop.
#pragma once

#include "compiler/loop/bytecode.h"

namespace vdla::loop {

Opcode load_opcode(DType dtype);
Opcode store_opcode(DType dtype);
/// The instruction for integers whose result needs no wrapping, or BinaryI.
Opcode integer_opcode(expr::BinaryOp op, DType dtype);
Opcode float_opcode(expr::BinaryOp op, DType dtype);

}  // namespace vdla::loop
