// SPDX-License-Identifier: Apache-2.0
// Rivals that the CPU's code is measured against. A rival is a function to time; a library that the build did
// not find has none.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/targets/cpu/templates/conv2d.h"

namespace vdla::bench {

struct Rival {
  std::string name;
  std::function<void()> run;
  std::vector<float> result;  ///< result of one run, in the plain layout
};

/// One core. Data in plain layouts: image [C][H][W], weights [K][C][R][S], or matrices by rows.
std::vector<Rival> convolution_rivals(const pipeline::cpu::Conv2d& conv, std::span<const float> image,
                                      std::span<const float> weights, std::span<const float> bias);
std::vector<Rival> product_rivals(std::int64_t m, std::int64_t n, std::int64_t k, std::span<const float> a,
                                  std::span<const float> b);

}  // namespace vdla::bench
