// SPDX-License-Identifier: Apache-2.0
// Schedules: how the tensors of a computation are computed. A schedule never changes what a tensor is;
// compiler/lower turns it into loop IR. A request that breaks a rule is refused with a UserError naming the
// axis, the value and the rule.
//
//   Schedule s({c});                                 // c = sum(a(i, k) * b(k, j), {k})
//   Tensor acc = s.cache_write(c, "acc");            // acc computes the sum, c copies it
//   auto [io, jo, ii, ji] = s[c].tile(s[c].axis(0), s[c].axis(1), 16, 16);
//   s[acc].compute_at(s[c], jo);                     // one 16x16 tile of acc inside jo
//   auto [ko, ki] = s[acc].split(k, 8);              // k went with the sum to acc
//   s[acc].reorder({ko, s[acc].axis(0), s[acc].axis(1), ki});
//   Tensor tile_a = s.cache_read(a, "inp", {acc});   // acc now reads tile_a, which copies a
//   s[tile_a].compute_at(s[acc], ko);                // 16x8 elements per ko
//   s[acc].tensorize(s[acc].axis(0), "gemm");        // that loop and all inside become one intrinsic
//   loop::Func f = lower::lower(s, {a, b, c}, "matmul");
//
// Every compute that the outputs need, directly or not, is a stage; each starts as one loop per axis, spatial
// axes first, at the root of the program.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/stage.h"

namespace vdla::schedule {

// Long: a method for each primitive that makes or joins stages, over one list of them.
class Schedule {
 public:
  explicit Schedule(std::vector<Tensor> outputs);

  /// The stage that computes `tensor`; refuses placeholders and tensors that the outputs do not need.
  Stage& operator[](const Tensor& tensor);
  const Stage& operator[](const Tensor& tensor) const;
  bool has_stage(const Tensor& tensor) const;

  /// A copy of `tensor` (placeholder or computed) in memory `scope`, which `readers` then read instead. The
  /// copy is a stage of its own, called <tensor>.<scope>.
  Tensor cache_read(const Tensor& tensor, const std::string& scope, const std::vector<Tensor>& readers);
  /// A new tensor in memory `scope` takes over the computation of `tensor`, reduce axes included; `tensor`
  /// becomes a copy of it. Only before the loops of `tensor` are touched.
  Tensor cache_write(const Tensor& tensor, const std::string& scope);

  /// Factors the reduction of `tensor`: a new tensor <tensor>.rf with `axis` (a reduce loop) as its first
  /// dimension takes over the source and reduces over the other reduce loops, and `tensor` reduces what is
  /// left over `axis` alone. The partial results can then be computed in parallel. Reduce loops may be split
  /// and fused before, spatial ones not touched.
  Tensor rfactor(const Tensor& tensor, const IterVar& axis);

  const std::vector<Tensor>& outputs() const { return outputs_; }
  bool is_output(const Tensor& tensor) const;
  /// Log of what was done, as lines that compiler/schedule/script.h reads.
  const std::vector<std::string>& log() const { return *log_; }
  /// Producers before their readers.
  std::vector<const Stage*> stages() const;
  /// Stages whose body reads `tensor`.
  std::vector<const Stage*> readers_of(const Tensor& tensor) const;

 private:
  Stage* find(const Tensor& tensor) const;
  void add_stage(const Tensor& tensor, const std::string& scope);
  std::string unique_name(const std::string& wanted) const;
  /// The label of a stage for a tensor of that name, beside those that there are.
  std::string label_for(const std::string& name) const;
  /// The tensor's name in scripts.
  std::string label_of(const Tensor& tensor) const;
  std::vector<std::string> part_names(const Tensor& tensor, const std::string& suffix) const;

  std::vector<Tensor> outputs_;
  Log log_ = std::make_shared<std::vector<std::string>>();
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace vdla::schedule
