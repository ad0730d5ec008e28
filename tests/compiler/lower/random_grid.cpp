// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_grid.h"

#include <algorithm>
#include <random>

#include "compiler/schedule/schedule.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::Tensor;
using schedule::Schedule;
using schedule::Stage;

/// The grid of a stage, and where what it needs can be computed.
struct Grid {
  std::vector<std::pair<ForKind, std::int64_t>> threads;  ///< with their numbers, outermost first
  std::vector<IterVar> blocks, thread_axes;
};

class GridDrawer {
 public:
  GridDrawer(const Problem& problem, unsigned seed) : random_(seed), schedule_(problem.outputs) {
    std::vector<Tensor> inputs = problem.inputs;
    cache(inputs);
  }

  Candidate run() {
    const std::vector<const Stage*> stages = schedule_.stages();
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) place(schedule_[(*stage)->tensor()]);
    return {schedule_.log(), {}};
  }

 private:
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  std::int64_t up_to(int most) {
    return 1 + static_cast<std::int64_t>(random_() % static_cast<unsigned>(most));
  }

  template <class F>
  bool attempt(const F& request) {
    try {
      request();
      return true;
    } catch (const UserError&) {
      return false;
    }
  }

  /// Tiles of what is read, and sums of a thread's own.
  void cache(const std::vector<Tensor>& inputs) {
    for (const Stage* stage : schedule_.stages()) {
      const Tensor tensor = stage->tensor();
      if (schedule_[tensor].has_reduction() && chance(60))
        attempt([&] { schedule_.cache_write(tensor, "local"); });
    }
    for (const Tensor& input : inputs)
      for (const Stage* reader : schedule_.readers_of(input)) {
        if (!chance(75)) continue;
        const Tensor tensor = reader->tensor();
        attempt([&] { schedule_.cache_read(input, expr::kSharedScope, {tensor}); });
        break;
      }
  }

  /// At a loop of a stage that has its place, or at the root with a grid of its own.
  void place(Stage& stage) {
    const std::vector<const Stage*> readers = schedule_.readers_of(stage.tensor());
    if (!readers.empty() && chance(10) && attempt([&] { stage.compute_inline(); })) return;
    const auto grid = readers.empty() || chance(10) ? grids_.end() : grids_.find(readers[0]);
    if (grid == grids_.end()) return place_at_root(stage);
    const Grid around = grid->second;
    const bool shared = stage.scope() == expr::kSharedScope || chance(35);
    const Stage& reader = *readers[0];
    if (shared) {
      attempt([&] { stage.set_scope(expr::kSharedScope); });
      if (!compute_at_one_of(stage, reader, {reduction_of(reader), around.thread_axes, around.blocks}))
        return;
      if (chance(30)) attempt([&] { stage.pad_stride(stage.axis(0), up_to(3)); });
      fill_together(stage, around);
      if (chance(20)) attempt([&] { stage.double_buffer(); });
      if (stage.is_double_buffered() && chance(50)) attempt([&] { stage.hold(); });
      return;
    }
    attempt([&] { stage.set_scope("local"); });
    if (!compute_at_one_of(stage, reader, {around.thread_axes})) return place_at_root(stage);
    split_reduction(stage);
    grids_[&stage] = around;
  }

  void place_at_root(Stage& stage) {
    if (stage.scope() == expr::kSharedScope) attempt([&] { stage.set_scope(expr::kGlobalScope); });
    attempt([&] { bind(stage); });
  }

  bool compute_at_one_of(Stage& stage, const Stage& reader, const std::vector<std::vector<IterVar>>& lists) {
    for (const std::vector<IterVar>& list : lists) {
      if (list.empty() || chance(20)) continue;
      if (attempt([&] { stage.compute_at(reader, list.back()); })) return true;
    }
    return false;
  }

  std::vector<IterVar> reduction_of(const Stage& stage) const {
    std::vector<IterVar> axes;
    for (const IterVar& leaf : stage.leaves())
      if (leaf.is_reduce()) axes.push_back(leaf);
    return {axes.begin(), axes.begin() + std::min<std::ptrdiff_t>(1, std::ssize(axes))};
  }

  /// The outer part stands in front of all other loops, so that tiles can be fetched there.
  void split_reduction(Stage& stage) {
    if (!stage.has_reduction() || stage.compute().reduce_axes().empty()) return;
    attempt([&] {
      const auto [outer, inner] = stage.split(stage.compute().reduce_axes()[0], 1 + up_to(3));
      std::vector<IterVar> order{outer};
      for (const IterVar& leaf : stage.leaves())
        if (!(leaf == outer)) order.push_back(leaf);
      stage.reorder(order);
    });
  }

  /// Loops over the threads around do the work together.
  void fill_together(Stage& stage, const Grid& around) {
    attempt([&] {
      IterVar all = stage.leaves()[0];
      for (std::size_t n = stage.leaves().size(); n > 1; --n) all = stage.fuse(all, stage.leaves()[1]);
      if (chance(40)) {
        const auto [rest, few] = stage.split(all, chance(50) ? 4 : 2);
        attempt([&] { chance(70) ? stage.vectorize(few) : stage.unroll(few); });
        all = rest;
      }
      for (auto t = around.threads.rbegin(); t != around.threads.rend(); ++t) {
        if (around.threads.size() > 1 && chance(15)) continue;
        const auto [rest, mine] =
            stage.split(all, chance(85) ? t->second : up_to(static_cast<int>(t->second)));
        stage.bind(mine, t->first);
        all = rest;
      }
      if (chance(30)) stage.unroll(all);
    });
  }

  /// A grid of its own: some of the axes cut into blocks, virtual threads, threads and what is left to each.
  void bind(Stage& stage) {
    constexpr ForKind kBlocks[] = {ForKind::BlockX, ForKind::BlockY},
                      kThreads[] = {ForKind::ThreadX, ForKind::ThreadY};
    Grid grid;
    std::vector<IterVar> virtual_threads, inner, spatial;
    for (const IterVar& leaf : stage.leaves())
      if (!leaf.is_reduce()) spatial.push_back(leaf);
    const std::size_t used = std::min<std::size_t>(spatial.size(), 1 + (chance(70) ? 1 : 0));
    for (std::size_t i = 0; i < used; ++i) {
      IterVar rest = spatial[spatial.size() - 1 - i];
      if (chance(85)) {
        const auto [block, tile] = stage.split(rest, up_to(16));
        stage.bind(block, kBlocks[i]);
        grid.blocks.insert(grid.blocks.begin(), block);
        rest = tile;
      }
      if (chance(30)) {
        const auto [tile, one] = stage.split_into(rest, 2);
        stage.bind(tile, ForKind::VThread);
        virtual_threads.push_back(tile);
        rest = one;
      }
      const auto [thread, own] = stage.split(rest, up_to(3));
      stage.bind(thread, kThreads[i]);
      grid.thread_axes.insert(grid.thread_axes.begin(), thread);
      grid.threads.insert(grid.threads.begin(), {kThreads[i], thread.extent()});
      inner.insert(inner.begin(), own);
    }
    std::vector<IterVar> order = grid.blocks;
    for (const auto& list : {virtual_threads, grid.thread_axes})
      order.insert(order.end(), list.begin(), list.end());
    for (const IterVar& leaf : stage.leaves())
      if (std::ranges::find(order, leaf) == order.end()) order.push_back(leaf);
    attempt([&] { stage.reorder(order); });
    if (!inner.empty() && chance(40))
      attempt([&] { chance(50) ? stage.vectorize(inner.back()) : stage.unroll(inner.back()); });
    grids_[&stage] = grid;
  }

  std::mt19937 random_;
  Schedule schedule_;
  std::unordered_map<const Stage*, Grid> grids_;
};

}  // namespace

Candidate draw_grid_candidate(const Problem& problem, unsigned seed) {
  return GridDrawer(problem, seed).run();
}

}  // namespace vdla::lower
