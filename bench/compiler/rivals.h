// SPDX-License-Identifier: Apache-2.0
// One source for each library; rivals.cpp calls those that the build has.
#pragma once

#include "bench/compiler/cpu_layers.h"

namespace vdla::bench {

void add_dnnl(std::vector<Rival>& rivals, const pipeline::cpu::Conv2d& conv, std::span<const float> image,
              std::span<const float> weights, std::span<const float> bias);
void add_dnnl(std::vector<Rival>& rivals, std::int64_t m, std::int64_t n, std::int64_t k,
              std::span<const float> a, std::span<const float> b);
/// im2col and sgemm.
void add_openblas(std::vector<Rival>& rivals, const pipeline::cpu::Conv2d& conv, std::span<const float> image,
                  std::span<const float> weights, std::span<const float> bias);
void add_openblas(std::vector<Rival>& rivals, std::int64_t m, std::int64_t n, std::int64_t k,
                  std::span<const float> a, std::span<const float> b);

}  // namespace vdla::bench
