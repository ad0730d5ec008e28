// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/tune/boosting.h"
#include "compiler/tune/row_named.h"

namespace vdla::tune {
namespace {

constexpr std::array kSearches{
    SearchKind{"hybrid", "a draft by the template's own estimate, then descent by a model that learns",
               "residual", hybrid_search},
    SearchKind{"local", "descent from the points that the template's own estimate likes best", "",
               local_search},
    SearchKind{"anneal", "simulated annealing over a model that learns from nothing, as in the TVM paper",
               "rank", anneal_search},
    SearchKind{"genetic", "points bred from the best ones so far: knobs of two parents, some changed", "",
               genetic_search},
    SearchKind{"random", "legal points, each as likely as any other", "", random_search},
};

}  // namespace

std::span<const SearchKind> searches() { return kSearches; }

const SearchKind& search_named(std::string_view name) { return row_named(searches(), name, "search"); }

const ModelKind& model_of(const SearchKind& search, std::vector<std::string>& notes) {
  if (search.model.empty()) return models().front();
  const ModelKind& own = *std::ranges::find(models(), search.model, &ModelKind::name);
  if (!own.boosts || can_boost()) return own;
  notes.push_back(
      fmt::format("search '{}' goes without its model '{}': XGBoost is not here (libxgboost-dev); "
                  "the template's estimate takes its place",
                  search.name, own.name));
  return models().front();
}

}  // namespace vdla::tune
