// SPDX-License-Identifier: Apache-2.0
#include "compiler/form/form.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/grid/thread.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::form {
namespace {

using loop::For;
using loop::ForKind;
using loop::StmtPtr;

const For* loop_of(const StmtPtr& s, ForKind kind) {
  const auto* n = s->as<For>();
  return n && n->kind == kind ? n : nullptr;
}

bool is_unmarked(const StmtPtr& s, const Around&) { return !s->as<loop::Tensorize>(); }

bool is_single(const StmtPtr& s, const Around&) {
  const auto* n = s->as<loop::Allocate>();
  return !n || n->parts == 1;
}

bool is_no_vthread(const StmtPtr& s, const Around&) { return !loop_of(s, ForKind::VThread); }

bool runs_in_order(const StmtPtr& s, const Around& around) {
  if (const auto* call = s->as<loop::IntrinsicCall>()) return !loop::is_barrier(*call);
  const auto* n = s->as<For>();
  if (!n) return true;
  return !expr::is_block(n->kind) && !expr::is_thread(n->kind) &&
         !(around.parallel && n->kind == ForKind::Parallel);
}

bool is_line(const loop::Buffer& buffer) { return buffer.shape.size() == 1 && buffer.strides[0] == 1; }

/// Whether it fits lanes: stores, conditions, and loops that all lanes run alike.
bool fits_lanes(const StmtPtr& s, const Around& around) {
  if (const auto* n = loop_of(s, ForKind::Vectorized)) {
    const auto lanes = expr::as_constant(n->extent);
    return !around.lanes && lanes && *lanes > 1 && *lanes <= kMostLanes &&
           std::has_single_bit(static_cast<std::uint64_t>(*lanes));
  }
  if (!around.lanes) return true;
  if (const auto* n = s->as<For>()) return n->kind == ForKind::Serial || n->kind == ForKind::Unrolled;
  return !s->as<loop::Allocate>() && !s->as<loop::IntrinsicCall>();
}

bool is_rolled(const StmtPtr& s, const Around&) { return !loop_of(s, ForKind::Unrolled); }

bool is_unmarked_for_kernels(const StmtPtr& s, const Around&) {
  const auto* n = s->as<loop::Tensorize>();
  return !n || !grid::is_operation(n->intrinsic);
}

bool fits_a_kernel(const StmtPtr& s, const Around&) {
  const auto* call = s->as<loop::IntrinsicCall>();
  return (!call || loop::is_barrier(*call) || grid::is_operation(*call)) && !s->as<loop::Tensorize>() &&
         !loop_of(s, ForKind::Parallel);
}

/// The device has no lanes, no threads, and nothing to write out: its nests are instructions.
bool runs_on_the_device(const StmtPtr& s, const Around&) {
  const auto* n = s->as<For>();
  return !n || n->kind == ForKind::Serial || n->kind == ForKind::VThread;
}

// Rules that several tables have.
constexpr Rule kUnmarked{"tensorize", "no loops are marked for an intrinsic", is_unmarked};
constexpr Rule kSingle{"double-buffer", "no allocation waits to be doubled", is_single};
constexpr Rule kNoVthreads{"lower-vthreads", "there are no virtual threads", is_no_vthread};
constexpr Rule kLines{"flatten-storage", "buffers have one dimension", nullptr, is_line};
constexpr Rule kLanes{"vectorize",
                      "a vectorized loop has 2, 4, ... 64 lanes, and around stores, conditions and serial "
                      "loops only",
                      fits_lanes};
constexpr Rule kRolled{"unroll", "no loop is unrolled", is_rolled};

constexpr Rule kCpuRules[] = {
    kUnmarked,
    kSingle,
    kNoVthreads,
    {"serialise-threads",
     "no loop is one of a grid or parallel inside of a parallel one, and there are no barriers",
     runs_in_order},
    kLines,
    kLanes,
    kRolled,
};

constexpr Rule kGridRules[] = {
    {"tensorize-grid", "no loops are marked for an operation of a thread or warp", is_unmarked_for_kernels},
    kSingle,
    kNoVthreads,
    kLines,
    kLanes,
    kRolled,
    {"place-threads", "no loop is parallel, and calls are barriers and operations of threads and warps",
     fits_a_kernel},
};

constexpr Rule kDeviceRules[] = {
    {"", "loops on the device are serial or of virtual threads", runs_on_the_device, nullptr,
     "leave its axis as it is"},
    {"", "no allocation on the device is doubled", is_single, nullptr,
     "place-sram gives each run through an allocation entries of its own, leave it out"},
    kUnmarked,
    kNoVthreads,
};

class Finder {
 public:
  explicit Finder(std::span<const Rule> rules) : rules_(rules) {}

  const Rule* broken_by(const loop::Buffer& buffer) const {
    const auto rule =
        std::ranges::find_if(rules_, [&](const Rule& r) { return r.takes && !r.takes(buffer); });
    return rule == rules_.end() ? nullptr : &*rule;
  }

  std::optional<Breach> in(const StmtPtr& s, Around around) const {
    if (const Rule* rule = broken_by(s, around)) return Breach{*rule, first_line(loop::to_string(s))};
    if (const auto* n = s->as<For>()) {
      around.lanes |= n->kind == ForKind::Vectorized;
      around.parallel |= n->kind == ForKind::Parallel;
    }
    for (const StmtPtr& child : loop::children(s))
      if (auto found = in(child, around)) return found;
    return std::nullopt;
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

 private:
  const Rule* broken_by(const StmtPtr& s, const Around& around) const {
    for (const Rule& rule : rules_)
      if (rule.holds && !rule.holds(s, around)) return &rule;
    const auto* n = s->as<loop::Allocate>();
    return n ? broken_by(*n->buffer) : nullptr;
  }

  std::span<const Rule> rules_;
};

}  // namespace

std::span<const Rule> cpu_rules() { return kCpuRules; }
std::span<const Rule> device_rules() { return kDeviceRules; }
std::span<const Rule> grid_rules() { return kGridRules; }

void require_given(std::span<const Rule> rules, const loop::Func& func) {
  std::vector<Rule> given;
  std::ranges::copy_if(rules, std::back_inserter(given), [](const Rule& rule) { return rule.row.empty(); });
  if (!given.empty()) refuse(given, func);
}

void refuse(std::span<const Rule> rules, const loop::Func& func) {
  const auto breach = find_breach(rules, func);
  if (!breach) return;
  const Rule& rule = breach->rule;
  throw UserError("'" + breach->where + "' in '" + func.name + "': needs that " + std::string(rule.text) +
                  "; " + (rule.row.empty() ? std::string(rule.remedy) : "run " + std::string(rule.row)));
}

std::optional<Breach> find_breach(std::span<const Rule> rules, const loop::Func& func) {
  const Finder finder(rules);
  for (const loop::Param& param : func.params)
    if (const Rule* rule = finder.broken_by(*param.buffer))
      return Breach{*rule, Finder::first_line(loop::to_string(func))};
  return finder.in(func.body, {});
}

void require(std::span<const Rule> rules, const loop::Func& func) {
  const auto breach = find_breach(rules, func);
  if (!breach) return;
  VDLA_CHECK(false) << "code generation of '" << func.name << "' meets '" << breach->where << "', needs that "
                    << breach->rule.text << ": run row '" << breach->rule.row
                    << "' of the table of lowering first (compiler/passes/target.h)";
}

}  // namespace vdla::form
