// SPDX-License-Identifier: Apache-2.0
// Facts about element types, all read from the one list.
#include "compiler/expr/dtype.h"

#include <limits>

namespace vdla::expr {
namespace {

struct Facts {
  std::string_view text;
  int bits;
  bool is_signed;
  bool is_float;
};

constexpr Facts kFacts[] = {
#define VDLA_ROW(name, text, bits, is_signed, is_float) {text, bits, is_signed, is_float},
    VDLA_DTYPES(VDLA_ROW)
#undef VDLA_ROW
};

const Facts& facts(DType type) { return kFacts[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name(DType type) { return facts(type).text; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kFacts); ++i) {
    if (kFacts[i].text == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int bits(DType type) { return facts(type).bits; }
int bytes(DType type) { return (facts(type).bits + 7) / 8; }
bool is_float(DType type) { return facts(type).is_float; }
bool is_signed(DType type) { return facts(type).is_signed && !facts(type).is_float; }
bool is_narrow_float(DType type) { return type == DType::F16 || type == DType::BF16; }
bool is_int(DType type) { return !facts(type).is_float && type != DType::Bool; }

std::int64_t wrap(DType type, std::int64_t value) {
  switch (type) {
    case DType::Bool:
      return value != 0;
    case DType::I8:
      return static_cast<std::int8_t>(value);
    case DType::U8:
      return static_cast<std::uint8_t>(value);
    case DType::I16:
      return static_cast<std::int16_t>(value);
    case DType::U16:
      return static_cast<std::uint16_t>(value);
    case DType::I32:
      return static_cast<std::int32_t>(value);
    case DType::U32:
      return static_cast<std::uint32_t>(value);
    case DType::I64:
    case DType::U64:
    case DType::F32:
    case DType::F64:
    case DType::F16:
    case DType::BF16:
      return value;
  }
  return value;
}

std::int64_t min_value(DType type) {
  if (!is_signed(type)) return 0;
  return std::numeric_limits<std::int64_t>::min() >> (64 - bits(type));
}

std::int64_t max_value(DType type) {
  if (bits(type) == 64) return std::numeric_limits<std::int64_t>::max();
  return (std::int64_t{1} << (bits(type) - (is_signed(type) ? 1 : 0))) - 1;
}

}  // namespace vdla::expr
