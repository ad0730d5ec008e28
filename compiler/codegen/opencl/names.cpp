// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cctype>
#include <string_view>

#include "compiler/codegen/opencl/context.h"
#include "support/error.h"

namespace vdla::codegen::opencl {
namespace {

/// Words that a name may not be: of C, types of OpenCL, and functions that are called.
constexpr std::string_view kTaken =
    " auto break case char const continue default do double else enum extern float for goto if inline int "
    "long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile "
    "while bool true false half uchar ushort uint ulong size_t event_t image2d_t sampler_t kernel global "
    "local "
    "constant private read_only write_only read_write abs acos acosh add_sat asin asinh atan atan2 atanh "
    "barrier "
    "ceil clamp clz cos cosh cross degrees distance dot erf erfc exp exp10 exp2 fabs floor fma fmax fmin "
    "fmod "
    "get_global_id get_group_id get_local_id hypot length log log10 log2 mad max min mix modf normalize pow "
    "popcount radians remainder rint rotate round rsqrt select sign sin sinh sqrt step tan tanh trunc "
    "upsample "
    "isnan isinf vec_step prefetch convert_int INFINITY NAN INT_MIN INT_MAX LONG_MIN LONG_MAX main pipe "
    "generic "
    "shuffle any all select ";

bool is_word(const std::string& name) { return kTaken.find(" " + name + " ") != std::string_view::npos; }

struct HelperText {
  std::string_view kind;
  std::string_view text;  ///< @ is the type, # the type of comparisons of vectors
};
// smaller and larger, of floats: a where the comparison holds, else b; a comparison with NaN does not.
// Divisions called any_ take every divisor, the others those that the language has a result for.
constexpr std::array kHelpers = std::to_array<HelperText>({
    {"smaller", "@ smaller_@(@ a, @ b) { return a < b ? a : b; }"},
    {"larger", "@ larger_@(@ a, @ b) { return a > b ? a : b; }"},
    {"floor_div", "@ floor_div_@(@ a, @ b) { @ q = a / b; return q - (a % b != 0 && (a < 0) != (b < 0)); }"},
    {"floor_mod",
     "@ floor_mod_@(@ a, @ b) { @ r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; }"},
    {"any_div", "@ any_div_@(@ a, @ b) { return b == 0 ? 0 : b == -1 ? (@)-(u@)a : a / b; }"},
    {"any_rem", "@ any_rem_@(@ a, @ b) { return b == 0 ? a : b == -1 ? 0 : a % b; }"},
    {"any_floor_div",
     "@ any_floor_div_@(@ a, @ b) {\n"
     "  if (b == 0 || b == -1) return b == 0 ? 0 : (@)-(u@)a;\n"
     "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}"},
    {"any_floor_mod",
     "@ any_floor_mod_@(@ a, @ b) {\n"
     "  if (b == 0 || b == -1) return b == 0 ? a : 0;\n"
     "  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n}"},
    {"any_unsigned_div", "@ any_unsigned_div_@(@ a, @ b) { return b == 0 ? 0 : a / b; }"},
    {"any_unsigned_rem", "@ any_unsigned_rem_@(@ a, @ b) { return b == 0 ? a : a % b; }"},
    {"srdh_mul",
     "@ srdh_mul_@(@ a, @ b) {\n"
     "  return a == INT_MIN && b == INT_MIN ? INT_MAX : (int)(((long)a * b + (1L << 30)) >> 31);\n}"},
    {"round_tf32",
     "@ round_tf32_@(@ a) { return a == a ? as_float((as_uint(a) + 0x1000u) & ~0x1fffu) : a; }"},
    {"bytes_dot",
     "@ bytes_dot_@(@ a, @ b) {\n"
     "  @ sum = 0;\n"
     "  for (int i = 0; i < 32; i += 8) sum += (uchar)((uint)a >> i) * (char)(uchar)((uint)b >> i);\n"
     "  return sum;\n}"},
    {"round_shift_right",
     "@ round_shift_right_@(@ a, @ n) {\n"
     "  const uint magnitude = abs(a), quotient = (magnitude + ((1u << n) >> 1)) >> n;\n"
     "  return a < 0 ? (int)(0u - quotient) : (int)quotient;\n}"},
});

std::string instance(const HelperText& helper, const std::string& type) {
  std::string text = "static ";
  for (const char c : helper.text) {
    if (c == '@') {
      text += type;
    } else {
      text += c;
    }
  }
  // Types of vectors are cast element by element.
  const bool is_vector = std::isdigit(static_cast<unsigned char>(type.back())) != 0;
  if (is_vector && helper.kind == "smaller")
    return fmt::format("static {0} smaller_{0}({0} a, {0} b) {{ return select(b, a, a < b); }}", type);
  if (is_vector && helper.kind == "larger")
    return fmt::format("static {0} larger_{0}({0} a, {0} b) {{ return select(b, a, a > b); }}", type);
  return text;
}

}  // namespace

const std::string& Names::of(const void* key, const std::string& wanted) {
  const auto found = known_.find(key);
  return found != known_.end() ? found->second : known_[key] = fresh(wanted);
}

void Names::leave(const void* key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  taken_.erase(found->second);
  known_.erase(found);
}

std::string Names::fresh(const std::string& wanted) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name.starts_with("__"))
    name.insert(0, "v");
  while (is_word(name) || !taken_.insert(name).second) name += '_';
  return name;
}

std::string Helpers::use(const std::string& kind, const std::string& type) {
  used_.emplace(kind, type);
  return kind + "_" + type;
}

std::string Helpers::text() const {
  std::string text;
  for (const auto& [kind, type] : used_) {
    bool found = false;
    for (const HelperText& helper : kHelpers) {
      if (helper.kind != kind) continue;
      text += instance(helper, type) + "\n";
      found = true;
    }
    VDLA_CHECK(found) << "no helper " << kind;
  }
  return text;
}

}  // namespace vdla::codegen::opencl
