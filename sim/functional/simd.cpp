// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/simd.h"

namespace vdla::sim {

std::vector<Simd> available_simd() {
  std::vector<Simd> have{Simd::Plain};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) have.push_back(Simd::Avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni"))
    have.push_back(Simd::Vnni);
#endif
  return have;
}

Simd best_simd() { return available_simd().back(); }

}  // namespace vdla::sim
