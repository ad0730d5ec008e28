// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/pass.h"

#include <utility>

#include "compiler/loop/simplify.h"
#include "compiler/loop/verify.h"
#include "compiler/passes/double_buffer.h"
#include "compiler/passes/flatten_storage.h"
#include "compiler/passes/insert_barriers.h"
#include "compiler/passes/lower_vthreads.h"
#include "compiler/passes/partition_loops.h"
#include "compiler/passes/rewrite_storage.h"
#include "compiler/passes/unroll.h"
#include "compiler/passes/vectorize.h"
#include "compiler/tensorize/host_table.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::passes {
namespace {

constexpr Pass kPasses[] = {
    {"simplify", loop::simplify,
     "folds and decides what ranges tell; drops loops of one iteration and guards that hold"},
    {"tensorize", tensorize::tensorize_for_host,
     "replaces marked loops by calls of a CPU's tensor intrinsics"},
    {"double-buffer", double_buffer,
     "fills the next half of an 'alloc ... double' while the other one is read"},
    {"lower-vthreads", lower_vthreads, "interleaves the iterations of vthread loops statement by statement"},
    {"partition-loops", partition_loops,
     "cuts loops where guards begin or cease to hold; the main part has none"},
    {"vectorize", vectorize, "moves vectorized loops inwards until each is around stores only"},
    {"unroll", unroll, "writes out unrolled loops"},
    {"rewrite-storage", rewrite_storage, "gives one memory to allocations whose lives do not overlap"},
    {"insert-barriers", insert_barriers, "separates accesses of threads to memory @shared by barriers"},
    {"flatten-storage", flatten_storage, "makes every buffer one-dimensional, addresses explicit"},
};

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass& find_pass(std::string_view name) {
  std::vector<std::string> known;
  std::string listed;
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return pass;
    known.emplace_back(pass.name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  throw UserError("no pass '" + std::string(name) + "'; there are " + listed + did_you_mean(name, known));
}

loop::Func run_passes(loop::Func func, std::span<const std::string> names,
                      const std::function<void(const Pass&, const loop::Func&)>& observe) {
  std::vector<const Pass*> passes;
  for (const std::string& name : names) passes.push_back(&find_pass(name));
  loop::verify(func);
  for (const Pass* pass : passes) {
    const loop::Func before = std::exchange(func, pass->run(func));
    try {
      loop::verify(func);
    } catch (const UserError& error) {
      loop::verify_guarded(before);  // a fault that a condition hid is the caller's
      throw InternalError("pass '" + std::string(pass->name) + "' breaks its function: " + error.what());
    }
    if (observe) observe(*pass, func);
  }
  return func;
}

}  // namespace vdla::passes
