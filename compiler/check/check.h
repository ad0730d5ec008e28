// SPDX-License-Identifier: Apache-2.0
// Whether an intrinsic's lowering does what its declaration says, on any engine: generated cases (loops and
// strides around the call, boundary values in entries and attributes) are interpreted as declared and run as
// lowered; the first difference is shrunk.
//
//   const CheckReport report = check_intrinsic(own, variant.geometry, engines);
//   if (report.mismatch) fmt::print("{}", report.mismatch->text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/check/case.h"
#include "isa/codec/insn.h"
#include "sim/contract.h"

namespace vdla::check {

struct CheckOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 20;         ///< cases
  std::size_t max_shrinks = 1'000;  ///< cases that shrinking may try
};

/// The smallest case that was found.
struct Mismatch {
  intrinsics::Intrinsic intrinsic;
  isa::Geometry geometry;
  std::string engine;
  std::uint64_t seed = 0, number = 0;  ///< the case before it was shrunk
  std::size_t shrinks = 0;             ///< cases that shrinking tried
  Case smallest{};
  std::vector<std::int64_t> expected{};  ///< the output's entries, as declared
  std::vector<std::int64_t> seen{};      ///< and of the engine; empty where it did not end
  std::string fault{};                   ///< why the lowering has no result; empty where it has
  std::vector<isa::Insn> insns{};        ///< instructions that the call was lowered to

  /// Expected beside seen, the operands, the loops, the declaration and the instructions.
  std::string text() const;
  /// Elements of the output that differ, as indices into `expected`.
  std::vector<std::size_t> differing() const;
};

struct CheckReport {
  std::uint64_t cases = 0;  ///< run on every engine
  std::optional<Mismatch> mismatch;
};

/// Stops at the first case that differs on an engine. Engines are of that geometry; what they do is dropped.
/// UserError for a declaration that no case can be made of (see draw_case()).
CheckReport check_intrinsic(const intrinsics::Intrinsic& intrinsic, const isa::Geometry& geometry,
                            std::span<sim::Engine* const> engines, const CheckOptions& options = {});

}  // namespace vdla::check
