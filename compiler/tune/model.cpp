// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "compiler/tune/boosting.h"
#include "compiler/tune/row_named.h"
#include "support/error.h"

namespace vdla::tune {
namespace {

Rows rows_of(const std::vector<Sample>& samples) {
  Rows rows(samples.front().row.size());
  for (const Sample& s : samples) rows.add(s.row);
  return rows;
}

/// The estimate alone.
class Analytic final : public Model {
 public:
  void fit(const std::vector<Sample>&) override {}
  double score(std::span<const float>, double estimate) const override { return estimate; }
};

/// Places of the samples of each group.
std::map<std::size_t, std::vector<std::size_t>> groups_of(const std::vector<Sample>& samples) {
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < samples.size(); ++i) groups[samples[i].group].push_back(i);
  return groups;
}

/// The logarithm of what `of` gives of each sample, less its group's mean, by least squares.
template <class Of>
Trees boost_logarithms(const std::vector<Sample>& samples, const Of& of) {
  std::vector<float> labels(samples.size());
  for (const auto& [group, members] : groups_of(samples)) {
    double mean = 0;
    for (const std::size_t i : members)
      mean += std::log(of(samples[i])) / static_cast<double>(members.size());
    for (const std::size_t i : members) labels[i] = static_cast<float>(std::log(of(samples[i])) - mean);
  }
  return boost(rows_of(samples), labels, {});
}

/// The logarithm of the cost.
class BoostedRegression final : public Model {
 public:
  void fit(const std::vector<Sample>& samples) override {
    if (samples.empty()) return;
    trees_ = boost_logarithms(samples, [](const Sample& s) { return s.cost; });
  }
  double score(std::span<const float> row, double) const override { return trees_(row); }

 private:
  Trees trees_;
};

/// Difference of the cost's logarithm from the estimate's.
class BoostedResidual final : public Model {
 public:
  void fit(const std::vector<Sample>& samples) override {
    if (samples.empty()) return;
    constexpr double kHalf = 12;        // samples that are worth half
    constexpr double kElsewhere = 0.1;  // part of a sample of the task's own that another task's is worth
    const auto own =
        static_cast<double>(std::ranges::count_if(samples, [](const Sample& s) { return s.group == 0; }));
    const double worth = own + kElsewhere * (static_cast<double>(samples.size()) - own);
    trust_ = worth / (worth + kHalf);
    trees_ = boost_logarithms(samples, [](const Sample& s) { return s.cost / s.estimate; });
  }
  double score(std::span<const float> row, double estimate) const override {
    return std::log(estimate) + trust_ * trees_(row);
  }

 private:
  Trees trees_;
  double trust_ = 0;  ///< trust in the trees, by how many samples they are from
};

/// Order of two by their costs: the logistic loss of pairs (C. Burges et al.: Learning to rank using gradient
/// descent, ICML 2005).
class BoostedRank final : public Model {
 public:
  void fit(const std::vector<Sample>& samples) override {
    if (samples.size() < 2) return;
    constexpr std::uint64_t kSeed = 7;
    std::mt19937_64 random(kSeed);
    const auto groups = groups_of(samples);
    const auto loss = [&](const std::vector<float>& scores) {
      constexpr int kPairs = 16;  // pairs of each row
      constexpr float kLeast = 1e-6f;
      Gradients g{std::vector<float>(scores.size()), std::vector<float>(scores.size(), kLeast)};
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::vector<std::size_t>& others = groups.at(samples[i].group);
        std::uniform_int_distribution<std::size_t> any(0, others.size() - 1);
        for (int pair = 0; pair < kPairs; ++pair) {
          const std::size_t j = others[any(random)];
          if (samples[i].cost == samples[j].cost) continue;
          const auto [dear, cheap] = samples[i].cost > samples[j].cost ? std::pair(i, j) : std::pair(j, i);
          const float wrong = 1 / (1 + std::exp(scores[dear] - scores[cheap])), h = wrong * (1 - wrong);
          g.first[dear] -= wrong;
          g.first[cheap] += wrong;
          g.second[dear] += h;
          g.second[cheap] += h;
        }
      }
      return g;
    };
    trees_ = boost(rows_of(samples), loss, {});
  }
  double score(std::span<const float> row, double) const override { return trees_(row); }

 private:
  Trees trees_;
};

template <class M>
std::unique_ptr<Model> make_model() {
  return std::make_unique<M>();
}

constexpr std::array kModels{
    ModelKind{"analytic", "the template's own estimate", false, make_model<Analytic>},
    ModelKind{"residual", "boosted trees over the estimate: what it is wrong by", true,
              make_model<BoostedResidual>},
    ModelKind{"regression", "boosted trees: the cost", true, make_model<BoostedRegression>},
    ModelKind{"rank", "boosted trees: which of two points costs less", true, make_model<BoostedRank>},
};

}  // namespace

std::span<const ModelKind> models() { return kModels; }

const ModelKind& model_named(std::string_view name) {
  const ModelKind& kind = row_named(models(), name, "model");
  VDLA_CHECK_USER(!kind.boosts || can_boost())
      << "model '" << name << "' needs XGBoost, which is not here: install libxgboost-dev (and build again, "
      << "where the kit was built without it), or take model 'analytic'";
  return kind;
}

}  // namespace vdla::tune
