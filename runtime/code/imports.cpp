// SPDX-License-Identifier: Apache-2.0
// Functions that machine code of host kernels may call, by name. The functions are linked like any other, so
// that a static program has them too.
#include "runtime/code/imports.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

// clang-format off: it does not come to an end with such lists.
/// Functions of double, each with one of float whose name ends in f. Code generation calls the first ones
/// (compiler/expr/expr.h lists them), its optimiser may put others in their place: exp2 for pow(2, x).
#define VDLA_MATHEMATICS_OF_ONE(X)                                                      \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cos) X(cosh) X(erf)              \
  X(exp) X(log) X(sin) X(sinh) X(sqrt) X(tan) X(tanh)                                   \
  X(ceil) X(floor) X(trunc) X(round) X(roundeven) X(rint) X(nearbyint) X(fabs)          \
  X(cbrt) X(exp10) X(exp2) X(expm1) X(log10) X(log1p) X(log2)
#define VDLA_MATHEMATICS_OF_TWO(X) X(fmod) X(pow) X(fmax) X(fmin) X(copysign)

/// Functions of the compiler's own library (libgcc) where the processor lacks instructions: half floats and
/// wide integers.
#if defined(__x86_64__)
#define VDLA_PROCESSOR_HELPERS(X)                                                                     \
  X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2) X(__powidf2) X(__powisf2) X(__divti3) X(__modti3)  \
  X(__multi3) X(__udivti3) X(__umodti3)
#elif defined(__aarch64__)
#define VDLA_PROCESSOR_HELPERS(X)                                                                     \
  X(__powidf2) X(__powisf2) X(__divti3) X(__modti3) X(__multi3) X(__udivti3) X(__umodti3)
#elif defined(__arm__)
#define VDLA_PROCESSOR_HELPERS(X)                                                                     \
  X(__aeabi_idiv) X(__aeabi_idivmod) X(__aeabi_uidiv) X(__aeabi_uidivmod) X(__aeabi_ldivmod)          \
  X(__aeabi_uldivmod) X(__aeabi_lmul) X(__aeabi_lasr) X(__aeabi_llsl) X(__aeabi_llsr)                 \
  X(__aeabi_memcpy) X(__aeabi_memcpy4) X(__aeabi_memcpy8) X(__aeabi_memmove) X(__aeabi_memmove4)      \
  X(__aeabi_memmove8) X(__aeabi_memset) X(__aeabi_memset4) X(__aeabi_memset8) X(__aeabi_memclr)       \
  X(__aeabi_memclr4) X(__aeabi_memclr8) X(__aeabi_d2lz) X(__aeabi_d2ulz) X(__aeabi_f2lz)              \
  X(__aeabi_f2ulz) X(__aeabi_l2d) X(__aeabi_l2f) X(__aeabi_ul2d) X(__aeabi_ul2f) X(__gnu_h2f_ieee)    \
  X(__gnu_f2h_ieee) X(__gnu_d2h_ieee) X(__powidf2) X(__powisf2)
#else
#define VDLA_PROCESSOR_HELPERS(X)
#endif
// clang-format on

// Only their addresses are taken: each has a calling convention that the compiler knows and C++ may not.
#define VDLA_DECLARE(name) extern "C" void name();  // NOLINT(bugprone-reserved-identifier): libgcc's names
VDLA_PROCESSOR_HELPERS(VDLA_DECLARE)
#undef VDLA_DECLARE

namespace vdla::runtime {
namespace {

struct Import {
  std::string_view name;
  std::uintptr_t address;
};

template <class Function>
std::uintptr_t address(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

const Import* find_import(std::string_view name) {
  using OneDouble = double(double);
  using OneFloat = float(float);
  using TwoDoubles = double(double, double);
  using TwoFloats = float(float, float);
  static const Import kImports[] = {
#define VDLA_ONE(name) {#name, address<OneDouble>(&::name)}, {#name "f", address<OneFloat>(&::name##f)},
      VDLA_MATHEMATICS_OF_ONE(VDLA_ONE)
#undef VDLA_ONE
#define VDLA_TWO(name) {#name, address<TwoDoubles>(&::name)}, {#name "f", address<TwoFloats>(&::name##f)},
          VDLA_MATHEMATICS_OF_TWO(VDLA_TWO)
#undef VDLA_TWO
              {"fma", address<double(double, double, double)>(&::fma)},
      {"fmaf", address<float(float, float, float)>(&::fmaf)},
      {"ldexp", address<double(double, int)>(&::ldexp)},
      {"ldexpf", address<float(float, int)>(&::ldexpf)},
      {"sincos", address<void(double, double*, double*)>(&::sincos)},
      {"sincosf", address<void(float, float*, float*)>(&::sincosf)},
      // Memory: buffers of kernels, loops that copy or fill.
      {"aligned_alloc", address(&::aligned_alloc)},
      {"free", address(&::free)},
      {"memcpy", address(&::memcpy)},
      {"memmove", address(&::memmove)},
      {"memset", address(&::memset)},
#define VDLA_HELPER(name) {#name, address(&::name)},
      VDLA_PROCESSOR_HELPERS(VDLA_HELPER)
#undef VDLA_HELPER
  };
  for (const Import& import : kImports)
    if (import.name == name) return &import;
  return nullptr;
}

}  // namespace

std::uintptr_t address_of_import(std::string_view name) {
  const Import* found = find_import(name);
  return found == nullptr ? 0 : found->address;
}

}  // namespace vdla::runtime
