// SPDX-License-Identifier: Apache-2.0
// The closed list of element types, and the normal form of an integer of each: a std::int64_t that holds the
// value itself (for U64 the bit pattern), so that arithmetic is "compute in 64 bits, then wrap".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vdla::expr {

// name, text, bits, signed, float
#define VDLA_DTYPES(X)             \
  X(Bool, "bool", 1, false, false) \
  X(I8, "i8", 8, true, false)      \
  X(U8, "u8", 8, false, false)     \
  X(I16, "i16", 16, true, false)   \
  X(U16, "u16", 16, false, false)  \
  X(I32, "i32", 32, true, false)   \
  X(U32, "u32", 32, false, false)  \
  X(I64, "i64", 64, true, false)   \
  X(U64, "u64", 64, false, false)  \
  X(F32, "f32", 32, true, true)    \
  X(F64, "f64", 64, true, true)    \
  X(F16, "f16", 16, true, true)    \
  X(BF16, "bf16", 16, true, true)

enum class DType : std::uint8_t {
#define VDLA_ENUM(name, text, bits, is_signed, is_float) name,
  VDLA_DTYPES(VDLA_ENUM)
#undef VDLA_ENUM
};

/// Type of loop variables, indices and extents.
inline constexpr DType kIndex = DType::I64;

std::string_view name(DType type);
std::optional<DType> parse_dtype(std::string_view text);
int bits(DType type);
/// Bytes of one element in memory; a bool takes one byte, 0 or 1.
int bytes(DType type);
bool is_float(DType type);
/// Signed integers only.
bool is_signed(DType type);
/// Integers, bool not included.
bool is_int(DType type);
/// F16 and BF16: kept in 16 bits, computed in f32 and rounded after every operation.
bool is_narrow_float(DType type);

/// Reduces a 64-bit value to the normal form of `type` (two's complement wrap; Bool: value != 0).
std::int64_t wrap(DType type, std::int64_t value);
/// Smallest and largest value; U64's largest is not representable and given as INT64_MAX.
std::int64_t min_value(DType type);
std::int64_t max_value(DType type);

}  // namespace vdla::expr
