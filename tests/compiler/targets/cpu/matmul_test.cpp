// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/cpu/single_layers.h"

#include "tests/compiler/targets/cpu/values.h"

namespace vdla::pipeline::cpu {
namespace {

void expect_right(const Matmul& p, const MatmulKnobs& k, host::Jit& jit, const std::string& name) {
  auto a = random_floats(p.m * p.k, 1), b = random_floats(p.k * p.n, 2), bias = random_floats(p.n, 3);
  std::vector<double> want;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = p.bias ? bias[static_cast<std::size_t>(j)] : 0;
      for (std::int64_t d = 0; d < p.k; ++d)
        sum += static_cast<double>(a[static_cast<std::size_t>(i * p.k + d)]) *
               b[static_cast<std::size_t>(d * p.n + j)];
      want.push_back(p.relu ? std::max(sum, 0.0) : sum);
    }
  }
  if (p.constant_b) b = pack_panels(p, k, b);
  std::vector<float> c(static_cast<std::size_t>(p.m * p.n), NAN);
  std::vector<void*> pointers{a.data(), b.data()};
  if (p.bias) pointers.push_back(bias.data());
  pointers.push_back(c.data());
  jit.add(matmul(p, k, name))(pointers.data());
  expect_close(c, want);
}

const Matmul kProducts[] = {{64, 64, 32},
                            {37, 50, 19},
                            {1, 100, 64, true, true, true},
                            {13, 16, 70, true, false, true},
                            {100, 33, 5, false, true, false}};

TEST(Matmul, DefaultKnobsOnEveryMachine) {
  host::Jit jit;
  int serial = 0;
  for (const Matmul& p : kProducts) {
    for (const CpuProfile& m : profiles())
      expect_right(p, matmul_default(p, m), jit, "m" + std::to_string(serial++));
  }
}

TEST(Matmul, RandomKnobsOfTheSpace) {
  host::Jit jit;
  std::mt19937 random(4);
  int serial = 0;
  for (const Matmul& p : kProducts) {
    const auto space = matmul_space(p, profiles()[1]);
    for (int i = 0; i < 3; ++i)
      expect_right(p, space[random() % space.size()], jit, "r" + std::to_string(serial++));
  }
}

}  // namespace
}  // namespace vdla::pipeline::cpu
