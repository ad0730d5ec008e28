// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/proposed.h"
#include "compiler/tune/search.h"

namespace vdla::tune {
namespace {

class RandomSearch final : public Search {
 public:
  RandomSearch(const pipeline::KnobSpace& space, const SearchOptions& options)
      : space_(space), random_(options.seed) {}

  std::vector<pipeline::Point> propose(std::size_t most) override {
    std::vector<pipeline::Point> points;
    while (points.size() < most) {
      auto point = proposed_.draw(space_, random_);
      if (!point) break;
      points.push_back(std::move(*point));
    }
    return points;
  }

  void told(const pipeline::Point&, std::optional<double>) override {}

 private:
  const pipeline::KnobSpace& space_;
  pipeline::Random random_;
  Proposed proposed_;
};

}  // namespace

std::unique_ptr<Search> random_search(const pipeline::KnobSpace& space, const SearchOptions& options) {
  return std::make_unique<RandomSearch>(space, options);
}

}  // namespace vdla::tune
