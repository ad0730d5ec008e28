// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/share_storage.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unordered_set>

#include "compiler/expr/visit.h"
#include "compiler/lower/region.h"
#include "compiler/lower/storage.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using expr::Affine;
using expr::ExprPtr;

using Loops = std::vector<const Loop*>;  // outermost first

/// The first `count` loops of `p`, behind those in `loops`.
void append(Loops& loops, const StagePlan& p, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) loops.push_back(&p.loops[i]);
}

std::vector<ExprPtr> indices_of(const StagePlan& p) {
  std::vector<ExprPtr> indices;
  for (const expr::IterVar& axis : p.compute.axes) indices.push_back(p.axis_values.at(axis.var()));
  return indices;
}

std::unordered_set<expr::VarPtr> loops_inside(const StagePlan& p, const Loops& around) {
  Loops all = loops_around(p);
  append(all, p, p.loops.size());
  std::unordered_set<expr::VarPtr> inside;
  for (std::size_t i = around.size(); i < all.size(); ++i) inside.insert(all[i]->var);
  return inside;
}

/// How two different stages stand to each other.
struct Order {
  Loops around;         ///< both
  bool first_is_first;  ///< one iteration of those finishes with the first before it begins with the second
};

class Sharing {
 public:
  explicit Sharing(Plan& plan) : plan_(plan) {}

  void run() {
    for (const auto& p : plan_.stages) {
      if (!p->has_own_storage) check(*p, earlier_of(*p));
    }
    for (const auto& p : plan_.stages) {
      if (!p->has_own_storage) move_in(*p);
    }
  }

 private:
  StagePlan& earlier_of(const StagePlan& p) const {
    const schedule::Stage* wanted = p.stage->shares_with();
    StagePlan* found = find_plan(plan_, wanted);
    VDLA_CHECK_USER(found) << prefix(p) << "'" << wanted->name()
                           << "', which is computed inline and has no storage";
    return *found;
  }

  static std::string prefix(const StagePlan& p) {
    return "share_storage: stage '" + p.stage->name() + "' takes the place of ";
  }
  static std::string prefix(const StagePlan& later, const StagePlan& earlier) {
    return prefix(later) + "'" + earlier.stage->name() + "', ";
  }

  void move_in(StagePlan& p) const {
    const StagePlan* holder = &p;
    while (!holder->has_own_storage) holder = &earlier_of(*holder);
    lie_in(plan_, p, *holder, holder->min);
  }

  void check(const StagePlan& later, const StagePlan& earlier) const {
    check_alone(later, earlier);
    check_place(later, earlier);
    check_region(later, earlier);
    for (const auto& reader : plan_.stages) {
      if (reader.get() == &earlier || !reads(*reader, earlier)) continue;
      if (reader.get() == &later) {
        check_in_place(later, earlier);
      } else {
        check_reader(*reader, later, earlier);
      }
    }
  }

  void check_alone(const StagePlan& later, const StagePlan& earlier) const {
    VDLA_CHECK_USER(later.stage->scope() == earlier.stage->scope())
        << prefix(later, earlier) << "which is in memory '" << earlier.stage->scope() << "', but is in '"
        << later.stage->scope() << "'; set the same scope";
    for (const StagePlan* p : {&later, &earlier}) {
      VDLA_CHECK_USER(!p->stage->is_double_buffered())
          << prefix(later, earlier) << "but '" << p->stage->name()
          << "' is double buffered, where an iteration has a half of its own; leave one of them out";
      VDLA_CHECK_USER(p->stage->places() == 0)
          << prefix(later, earlier) << "but '" << p->stage->name()
          << "' has a rolling buffer, where an iteration has a place of its own; leave one of them out";
    }
    for (const auto& other : plan_.stages) {
      VDLA_CHECK_USER(other.get() == &later || other->stage->shares_with() != earlier.stage)
          << prefix(later, earlier) << "which '" << other->stage->name()
          << "' takes already; share the storage of that one";
    }
  }

  void check_place(const StagePlan& later, const StagePlan& earlier) const {
    const Order order = order_of(earlier, later);
    const std::size_t around = loops_around(earlier).size();
    VDLA_CHECK_USER(order.first_is_first && order.around.size() == around &&
                    loops_around(later).size() >= around)
        << prefix(later, earlier) << "and must be computed behind it, inside of the loop that it is computed "
        << "at; choose another place or another stage";
  }

  /// No index of the later one lies outside of what the earlier one has room for.
  void check_region(const StagePlan& later, const StagePlan& earlier) const {
    const std::vector<std::int64_t>& shape = earlier.stage->tensor().shape();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (earlier.extent[d] == shape[d]) continue;
      VDLA_CHECK_USER(lies_within(plan_, later, d, earlier.min[d], earlier.extent[d]))
          << prefix(later, earlier) << "which is computed over " << earlier.extent[d]
          << " elements of dimension " << d << ", but needs others, too; compute both at the same loop";
    }
  }

  void check_in_place(const StagePlan& later, const StagePlan& earlier) const {
    VDLA_CHECK_USER(!later.compute.reduction())
        << prefix(later, earlier) << "which its reduction reads after the first step has stored; use another";
    const std::vector<ExprPtr> own = indices_of(later);
    for (const std::vector<ExprPtr>& read : reads_of(later, earlier.stage->tensor())) {
      const bool same =
          std::ranges::equal(own, read, [](const auto& a, const auto& b) { return expr::equal(a, b); });
      VDLA_CHECK_USER(same || is_kept(later, earlier, own, read))
          << prefix(later, earlier) << "of which it reads other elements than the one that it stores over";
    }
    check_apart(later, later, earlier, loops_around(later), own);
  }

  /// Whether the later stage stores none of the elements that it reads at `read`, as long as the earlier
  /// one's are there: along one dimension they lie apart.
  bool is_kept(const StagePlan& later, const StagePlan& earlier, const std::vector<ExprPtr>& own,
               const std::vector<ExprPtr>& read) const {
    const auto running = loops_inside(later, loops_around(earlier));
    for (std::size_t d = 0; d < own.size(); ++d) {
      const auto stores = range_of(own[d], plan_.ranges, running),
                 reads = range_of(read[d], plan_.ranges, running);
      if (!stores || !reads) continue;
      const Affine distance = reads->min - stores->min;
      if (!distance.is_constant()) continue;
      if (distance.constant > stores->span || -distance.constant > reads->span) return true;
    }
    return false;
  }

  void check_reader(const StagePlan& reader, const StagePlan& later, const StagePlan& earlier) const {
    const Order order = order_of(reader, later);
    VDLA_CHECK_USER(order.first_is_first && !reader.compute.recurrence)
        << prefix(later, earlier) << "which '" << reader.stage->name()
        << "' reads, and not before; compute that one before it, or give it storage of its own";
    for (const std::vector<ExprPtr>& read : reads_of(reader, earlier.stage->tensor()))
      check_apart(reader, later, earlier, order.around, read);
  }

  /// Checks that the later stage stores in no other iteration of the loops around both what the reader reads
  /// at `indices` in one.
  void check_apart(const StagePlan& reader, const StagePlan& later, const StagePlan& earlier,
                   const Loops& around, const std::vector<ExprPtr>& indices) const {
    const Loops between(around.begin() + static_cast<std::ptrdiff_t>(loops_around(earlier).size()),
                        around.end());
    const auto running_read = loops_inside(reader, around), running_store = loops_inside(later, around);
    std::vector<Box> boxes;
    const std::vector<ExprPtr> own = indices_of(later);
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (const auto box = box_around(own[d], running_store, indices[d], running_read)) boxes.push_back(*box);
    }
    for (std::size_t i = 0; i < between.size(); ++i) {
      if (between[i]->extent == 1) continue;
      VDLA_CHECK_USER(std::ranges::any_of(boxes, [&](const Box& box) { return moves_on(box, between, i); }))
          << prefix(later, earlier) << "of which '" << reader.stage->name()
          << "' may read in one iteration of "
          << "loop '" << between[i]->axis.name() << "' what is stored over in another one; compute both "
          << "stages at that loop";
    }
  }

  /// The indices min, ..., min + size - 1 of one dimension, `min` in the loops around.
  struct Box {
    Affine min;
    std::int64_t size;
  };

  std::optional<Box> box_around(const ExprPtr& a, const std::unordered_set<expr::VarPtr>& running_a,
                                const ExprPtr& b, const std::unordered_set<expr::VarPtr>& running_b) const {
    const auto first = range_of(a, plan_.ranges, running_a), second = range_of(b, plan_.ranges, running_b);
    if (!first || !second || !first->min.is_linear()) return std::nullopt;
    const Affine distance = second->min - first->min;
    if (!distance.is_constant()) return std::nullopt;
    const std::int64_t low = std::min<std::int64_t>(0, distance.constant);
    const std::int64_t high = std::max(first->span, distance.constant + second->span);
    return Box{first->min + Affine{{}, low}, high - low + 1};
  }

  /// Boxes of two iterations that differ in loop `i` first do not meet.
  static bool moves_on(const Box& box, const Loops& loops, std::size_t i) {
    std::int64_t least = std::abs(box.min.coefficient(loops[i]->var));
    for (std::size_t inner = i + 1; inner < loops.size(); ++inner)
      least -= std::abs(box.min.coefficient(loops[inner]->var)) * (loops[inner]->extent - 1);
    return least >= box.size;
  }

  static bool reads(const StagePlan& reader, const StagePlan& p) {
    return !reads_of(reader, p.stage->tensor()).empty();
  }

  std::size_t index_of(const StagePlan* p) const {
    const auto found =
        std::ranges::find_if(plan_.stages, [&](const auto& other) { return other.get() == p; });
    return static_cast<std::size_t>(found - plan_.stages.begin());
  }

  Order order_of(const StagePlan& first, const StagePlan& second) const {
    const std::vector<const StagePlan*> a = nest_of(first), b = nest_of(second);
    Loops around;
    for (std::size_t i = 0;; ++i) {
      if (a[i] != b[i]) return {std::move(around), index_of(a[i]) < index_of(b[i])};
      // Stages at a loop are computed before what is further inside.
      const std::size_t body = a[i]->loops.size();
      const std::size_t place_a = i + 1 < a.size() ? a[i + 1]->depth : body;
      const std::size_t place_b = i + 1 < b.size() ? b[i + 1]->depth : body;
      append(around, *a[i], std::min({place_a + 1, place_b + 1, body}));
      if (place_a != place_b) return {std::move(around), place_a < place_b};
    }
  }

  Plan& plan_;
};

}  // namespace

void share_storage(Plan& plan) { Sharing(plan).run(); }

}  // namespace vdla::lower
