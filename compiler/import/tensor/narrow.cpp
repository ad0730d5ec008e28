// SPDX-License-Identifier: Apache-2.0
// A float is found by the codes of its type: in one direction by a table of all numbers, in the other by the
// number of thresholds that it passes, which lie between neighbours.
#include "compiler/import/tensor/narrow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/import/tensor/scalar.h"
#include "support/error.h"

namespace vdla::import::tensor {
namespace {

using expr::DType;
using expr::Function;
using expr::Reducer;

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct Row {
  Narrow type;
  int code;
  std::string_view text;
  int bits;
};
constexpr Row kRows[] = {
    {Narrow::Float8E4M3FN, 17, "float8e4m3fn", 8},
    {Narrow::Float8E4M3FNUZ, 18, "float8e4m3fnuz", 8},
    {Narrow::Float8E5M2, 19, "float8e5m2", 8},
    {Narrow::Float8E5M2FNUZ, 20, "float8e5m2fnuz", 8},
    {Narrow::UInt4, 21, "uint4", 4},
    {Narrow::Int4, 22, "int4", 4},
    {Narrow::Float4E2M1, 23, "float4e2m1", 4},
    {Narrow::Float8E8M0, 24, "float8e8m0", 8},
    {Narrow::UInt2, 25, "uint2", 2},
    {Narrow::Int2, 26, "int2", 2},
};

const Row& row_of(Narrow type) {
  const auto* row = std::ranges::find(kRows, type, &Row::type);
  VDLA_CHECK(row != std::end(kRows)) << "no narrow type: " << static_cast<int>(type);
  return *row;
}

/// A float type of a sign, an exponent and a fraction.
struct Format {
  int fraction, bias;
  int largest;   ///< code of the largest number
  int overflow;  ///< code of what lies beyond it, where nothing saturates
  int nan;       ///< negative: the type has none, and NaN becomes its negative zero
  bool signed_zero, saturates;
};

Format format_of(Narrow type) {
  switch (type) {
    case Narrow::Float8E4M3FN:
      return {3, 7, 0x7E, 0x7F, 0x7F, true, false};
    case Narrow::Float8E4M3FNUZ:
      return {3, 8, 0x7F, 0x80, 0x80, false, false};
    case Narrow::Float8E5M2:
      return {2, 15, 0x7B, 0x7C, 0x7E, true, false};
    case Narrow::Float8E5M2FNUZ:
      return {2, 16, 0x7F, 0x80, 0x80, false, false};
    case Narrow::Float4E2M1:
      return {1, 1, 0x7, 0x7, -1, true, true};
    case Narrow::None:
    case Narrow::Float8E8M0:
    case Narrow::UInt4:
    case Narrow::Int4:
    case Narrow::UInt2:
    case Narrow::Int2:
      break;
  }
  VDLA_CHECK(false) << "no float of a fraction: " << name_of(type);
  return {};
}

/// Magnitude by the code without its sign; those beyond the largest as if the type went on.
double magnitude(const Format& f, int code) {
  const int exponent = code >> f.fraction, part = code & ((1 << f.fraction) - 1);
  const double share = std::ldexp(part, -f.fraction);
  return exponent == 0 ? std::ldexp(share, 1 - f.bias) : std::ldexp(1 + share, exponent - f.bias);
}

/// Bit of the sign.
int sign_of(Narrow type) { return 1 << (bits_of(type) - 1); }

double number_of(Narrow type, int code) {
  if (type == Narrow::Float8E8M0) return code == 255 ? kNothing : std::ldexp(1.0, code - 127);
  const Format f = format_of(type);
  const int sign = sign_of(type), plain = code & (sign - 1);
  double value = plain <= f.largest ? magnitude(f, plain) : kNothing;
  if (type == Narrow::Float8E5M2 && plain == f.overflow) value = kEndless;
  if (code == f.nan) value = kNothing;
  return (code & sign) != 0 ? -value : value;
}

/// Number of the thresholds that x lies above.
Value passed(const Composer& c, const Value& x, const std::vector<double>& thresholds) {
  Shape apart = x.shape;
  apart.push_back(1);
  const auto count = static_cast<std::int64_t>(thresholds.size());
  const Value above = c.map("Above", {c.reshape(x, apart), make_constant(x.type, {count}, thresholds)},
                            [](const auto& v) { return expr::cast(DType::I32, v[0] > v[1]); });
  return c.fold(Reducer::Sum, above, {static_cast<std::int64_t>(x.rank())}, false);
}

/// The largest number of the type that is not `limit`.
double below(DataType type, double limit) {
  return type == DataType::Float64 ? std::nextafter(limit, -kEndless)
                                   : std::nextafterf(static_cast<float>(limit), -HUGE_VALF);
}

Scalar integer(std::int64_t v) { return expr::number(v, DType::I32); }

/// Codes of a type of sign, exponent and fraction. A number between two codes goes to the nearer, or to the
/// even one.
Value codes_of_floats(const Composer& c, const Value& x, Narrow type, bool saturates) {
  const Format f = format_of(type);
  std::vector<double> thresholds;
  for (int code = 0; code <= f.largest; ++code) {
    const double middle = (magnitude(f, code) + magnitude(f, code + 1)) / 2;
    thresholds.push_back(code % 2 == 0 ? middle : below(x.type, middle));
  }
  const Value count = passed(c, c.unary(Function::Abs, x), thresholds);
  return c.map("Narrow", {x, count}, [&](const auto& v) {
    const Scalar most = integer(f.largest), sign = integer(sign_of(type)), zero = real(0, v[0]);
    const Scalar beyond = saturates || f.saturates ? most : integer(f.overflow);
    const Scalar code = select(v[1] > most, beyond, v[1]);
    const Scalar below_zero = v[0] < zero || (v[0] == zero && real(1, v[0]) / v[0] < zero);
    // Without a negative zero the code of the sign is the one of no number.
    const Scalar has_sign = f.signed_zero ? below_zero : Scalar(below_zero && code > integer(0));
    const Scalar whole = select(has_sign, code | sign, code);
    return expr::cast(DType::U8, select(v[0] == v[0], whole, f.nan < 0 ? sign : integer(f.nan)));
  });
}

/// Codes of powers of two; negative numbers have none and become the smallest.
Value codes_of_powers(const Composer& c, const Value& x, const NarrowRounding& r) {
  c.require(r.mode == "up" || r.mode == "down" || r.mode == "nearest",
            "has round_mode '" + r.mode + "', needs up, down or nearest");
  constexpr int kMost = 254;
  std::vector<double> thresholds;
  for (int code = 0; code <= kMost; ++code) {
    const double low = std::ldexp(1.0, code - 127);
    // Float32 has no number between the largest power's double and infinity.
    const bool is_last = code == kMost && x.type != DataType::Float64;
    thresholds.push_back(r.mode == "up"        ? low
                         : r.mode == "nearest" ? below(x.type, low * 1.5)
                         : is_last             ? double{std::numeric_limits<float>::max()}
                                               : below(x.type, low * 2));
  }
  return c.map("Narrow", {x, passed(c, x, thresholds)}, [&](const auto& v) {
    const Scalar nothing = integer(kMost + 1);
    const Scalar code = r.saturates ? minimum(v[1], integer(kMost)) : v[1];
    const Scalar lost = r.saturates ? Scalar(v[0] != v[0]) : Scalar(v[0] != v[0] || v[0] == real(0, v[0]));
    return expr::cast(DType::U8, select(lost, nothing, code));
  });
}

/// Integers of the type's lowest bits.
Value wrapped(const Composer& c, const Value& x, Narrow type) {
  const bool is_signed = stored_type(type) == DataType::Int8;
  return c.map("Narrow", {c.cast(x, DataType::Int32)}, [&](const auto& v) {
    const Scalar low = v[0] & integer((1 << bits_of(type)) - 1), sign = integer(sign_of(type));
    return is_signed ? expr::cast(DType::I8, (low ^ sign) - sign) : expr::cast(DType::U8, low);
  });
}

}  // namespace

Narrow narrow_of(int code) {
  const auto* row = std::ranges::find(kRows, code, &Row::code);
  return row == std::end(kRows) ? Narrow::None : row->type;
}

std::string_view name_of(Narrow type) { return row_of(type).text; }
int bits_of(Narrow type) { return row_of(type).bits; }

bool is_integer(Narrow type) {
  return type == Narrow::Int4 || type == Narrow::UInt4 || type == Narrow::Int2 || type == Narrow::UInt2;
}

DataType stored_type(Narrow type) {
  return type == Narrow::Int4 || type == Narrow::Int2 ? DataType::Int8 : DataType::UInt8;
}

std::string type_text(const Value& value) {
  return std::string(value.narrow == Narrow::None ? graph::name_of(value.type) : name_of(value.narrow));
}

Value numbers_of(const Composer& c, const Value& x) {
  if (x.narrow == Narrow::None) return x;
  Value stored = x;
  stored.narrow = Narrow::None;
  if (is_integer(x.narrow)) return stored;
  const int codes = 1 << bits_of(x.narrow);
  std::vector<double> numbers;
  for (int code = 0; code < codes; ++code) numbers.push_back(number_of(x.narrow, code));
  return c.gather(make_constant(DataType::Float32, {codes}, numbers), c.cast(stored, DataType::Int32), 0);
}

Value narrowed(const Composer& c, const Value& x, Narrow type, const NarrowRounding& rounding) {
  Value result;
  if (is_integer(type)) {
    result = wrapped(c, x, type);
  } else {
    const Value wide = c.cast(x, x.type == DataType::Float64 ? x.type : DataType::Float32);
    result = type == Narrow::Float8E8M0 ? codes_of_powers(c, wide, rounding)
                                        : codes_of_floats(c, wide, type, rounding.saturates);
  }
  result.narrow = type;
  return result;
}

Value limited(const Composer& c, const Value& x, Narrow type) {
  const bool is_signed = stored_type(type) == DataType::Int8;
  const int low = is_signed ? -sign_of(type) : 0, high = low + (1 << bits_of(type)) - 1;
  Value result = c.map("Narrow", {x}, [&](const auto& v) {
    const Scalar near = call(Function::RoundEven, v[0]);
    return expr::cast(graph::dtype_of(stored_type(type)), clamp(near, real(low, near), real(high, near)));
  });
  result.narrow = type;
  return result;
}

}  // namespace vdla::import::tensor
