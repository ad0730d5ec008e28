// SPDX-License-Identifier: Apache-2.0
// Element types of ONNX that this kit keeps as bytes: floats of 8 and 4 bits, integers of 4 and 2 bits.
#pragma once

#include <string>
#include <string_view>

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// The type that ONNX has under this code; None for one that is no narrow type.
Narrow narrow_of(int code);
std::string_view name_of(Narrow type);
/// Bits of an element in a file.
int bits_of(Narrow type);
bool is_integer(Narrow type);

/// Name of the value's element type, a narrow one under its own name.
std::string type_text(const Value& value);

/// The element type of bytes that stand for elements of a narrow type, each in a byte: integers as they are,
/// floats by their codes.
DataType stored_type(Narrow type);

/// The numbers that x stands for, in a type that holds them: x itself where it is of no narrow type.
Value numbers_of(const Composer& c, const Value& x);

/// Choices of attributes where floats become narrow ones.
struct NarrowRounding {
  bool saturates = true;    ///< numbers beyond the largest become it
  std::string mode = "up";  ///< rounding of powers of two: up, down, nearest
};

/// Numbers as elements of a narrow type: floats rounded to the nearest, integers cut off and wrapped.
Value narrowed(const Composer& c, const Value& x, Narrow type, const NarrowRounding& rounding);

/// Numbers that are rounded to the nearest and limited to the integers of the type.
Value limited(const Composer& c, const Value& x, Narrow type);

}  // namespace vdla::import::tensor
