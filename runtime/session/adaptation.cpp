// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/adaptation.h"

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace vdla::runtime {
namespace {

double fastest(const KernelUse& use) { return *std::ranges::min_element(use.seconds); }

bool is_candidate(const KernelUse& use) { return use.dropped == Dropped::No; }

}  // namespace

double Adaptation::median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

Adaptation::Adaptation(std::vector<Kernel> kernels, std::optional<std::size_t> chosen, Clock clock)
    : kernels_(std::move(kernels)), clock_(std::move(clock)), proven_(kernels_.size()) {
  VDLA_CHECK(!kernels_.empty()) << "a step without kernels";
  proven_[0] = true;
  for (const Kernel& kernel : kernels_) use_.kernels.push_back({kernel.name, {}, Dropped::No});
  if (chosen && *chosen < kernels_.size()) use_.chosen = chosen;
}

void Adaptation::prepare() {
  if (prepared_) return;
  if (use_.chosen && !is_proven(*use_.chosen)) use_.chosen.reset();  // known from before, and wrong here
  std::size_t kernel = use_.chosen ? *use_.chosen : next();
  while (!is_proven(kernel)) kernel = next();
  prepared_ = kernel;
}

void Adaptation::run() {
  prepare();
  const std::size_t kernel = *std::exchange(prepared_, std::nullopt);
  if (use_.chosen) return kernels_[kernel].run();
  const double begin = clock_();
  kernels_[kernel].run();
  use_.kernels[kernel].seconds.push_back(clock_() - begin);
  drop_hopeless();
  choose_when_all_have_run();
}

/// The candidate that has run least; of those the first.
std::size_t Adaptation::next() const {
  std::size_t least = 0;
  for (std::size_t k = 1; k < kernels_.size(); ++k)
    if (is_candidate(use_.kernels[k]) && use_.kernels[k].seconds.size() < use_.kernels[least].seconds.size())
      least = k;
  return least;
}

bool Adaptation::is_proven(std::size_t kernel) {
  if (proven_[kernel]) return true;
  proven_[kernel] = kernels_[kernel].proven();
  if (!proven_[kernel]) use_.kernels[kernel].dropped = Dropped::Unproven;
  return proven_[kernel];
}

void Adaptation::drop_hopeless() {
  double best = 0;
  for (const KernelUse& use : use_.kernels)
    if (is_candidate(use) && use.seconds.size() >= 2 && (best == 0 || fastest(use) < best))
      best = fastest(use);
  for (std::size_t k = 1; k < use_.kernels.size(); ++k) {
    KernelUse& use = use_.kernels[k];
    if (is_candidate(use) && use.seconds.size() >= 2 && fastest(use) > kHopeless * best)
      use.dropped = Dropped::Slower;
  }
}

void Adaptation::choose_when_all_have_run() {
  for (const KernelUse& use : use_.kernels)
    if (is_candidate(use) && use.seconds.size() < kRuns) return;
  std::size_t best = 0;
  double bound = median(use_.kernels[0].seconds) * (1 - kGain);
  for (std::size_t k = 1; k < kernels_.size(); ++k) {
    if (!is_candidate(use_.kernels[k]) || median(use_.kernels[k].seconds) >= bound) continue;
    best = k;
    bound = median(use_.kernels[k].seconds);
  }
  use_.chosen = best;
}

}  // namespace vdla::runtime
