// SPDX-License-Identifier: Apache-2.0
// How the next points of a task are chosen. A search sees a space and the costs of what it proposed; what a
// point is measured on, and how many trials there are, is the tuner's affair (compiler/tune/tuner.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/knobs/space.h"
#include "compiler/tune/draft.h"
#include "compiler/tune/model.h"

namespace vdla::tune {

class Search {
 public:
  virtual ~Search() = default;
  /// At most `most` legal points to try next, none of them twice in a search. None: there is nothing left.
  virtual std::vector<pipeline::Point> propose(std::size_t most) = 0;
  /// Takes the cost of one of them, less is better; nothing: there is no program for it, or it did not end.
  virtual void told(const pipeline::Point& point, std::optional<double> cost) = 0;
};

struct SearchOptions {
  std::uint64_t seed = 1;
  std::span<const Drafted> draft;              ///< draft of the space, for searches that begin there
  const ModelKind* model = &models().front();  ///< for those that ask one
  std::span<const Sample> known;               ///< for its model: what was measured elsewhere
};

struct SearchKind {
  std::string_view name;
  std::string_view what;   ///< for people, a line
  std::string_view model;  ///< model that it asks unless another one is named; empty: it asks none
  std::unique_ptr<Search> (*make)(const pipeline::KnobSpace& space, const SearchOptions& options);
};

inline std::ostream& operator<<(std::ostream& out, const SearchKind& kind) { return out << kind.name; }

/// All there are; the first one is what a user gets who names none. The space of a search must outlive it.
std::span<const SearchKind> searches();
/// UserError lists the known ones.
const SearchKind& search_named(std::string_view name);
/// The search's own model. Where this build cannot fit it, the estimate, with a sentence in `notes`.
const ModelKind& model_of(const SearchKind& search, std::vector<std::string>& notes);

// Each in a file of its own, search_NAME.cpp.
std::unique_ptr<Search> anneal_search(const pipeline::KnobSpace& space, const SearchOptions& options);
std::unique_ptr<Search> genetic_search(const pipeline::KnobSpace& space, const SearchOptions& options);
std::unique_ptr<Search> hybrid_search(const pipeline::KnobSpace& space, const SearchOptions& options);
std::unique_ptr<Search> local_search(const pipeline::KnobSpace& space, const SearchOptions& options);
std::unique_ptr<Search> random_search(const pipeline::KnobSpace& space, const SearchOptions& options);

}  // namespace vdla::tune
