// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel_imports.h"

#include <algorithm>

namespace vdla::runtime {
namespace {

/// Each of double, and with an f of float. Code generation calls what stands first (compiler/expr/expr.h
/// lists it), its optimiser may put others in their place: sincos for sin and cos of the same number, exp2
/// for pow(2, x).
constexpr std::string_view kMathematics[] = {
    "acos",     "acosh", "asin",      "asinh", "atan",      "atanh", "cos",   "cosh", "erf",    "exp",
    "fmod",     "log",   "pow",       "sin",   "sinh",      "sqrt",  "tan",   "tanh", "ceil",   "floor",
    "trunc",    "round", "roundeven", "rint",  "nearbyint", "fabs",  "fma",   "fmax", "fmin",   "cbrt",
    "copysign", "exp10", "exp2",      "expm1", "ldexp",     "log10", "log1p", "log2", "sincos",
};

constexpr std::string_view kOthers[] = {
    // Memory: buffers of kernels, loops that copy or fill.
    "aligned_alloc",
    "free",
    "memcpy",
    "memmove",
    "memset",
    // Half floats and wide integers, where the processor lacks instructions (libgcc).
    "__extendhfsf2",
    "__truncsfhf2",
    "__truncdfhf2",
    "__gnu_h2f_ieee",
    "__gnu_f2h_ieee",
    "__powidf2",
    "__powisf2",
    "__divti3",
    "__modti3",
    "__multi3",
    "__udivti3",
    "__umodti3",
    // A place that the linker makes itself.
    "_GLOBAL_OFFSET_TABLE_",
};

}  // namespace

bool is_kernel_import(std::string_view name) {
  const auto listed = [](std::string_view n) {
    return std::ranges::find(kMathematics, n) != std::end(kMathematics);
  };
  return listed(name) || (name.ends_with('f') && listed(name.substr(0, name.size() - 1))) ||
         std::ranges::find(kOthers, name) != std::end(kOthers);
}

}  // namespace vdla::runtime
