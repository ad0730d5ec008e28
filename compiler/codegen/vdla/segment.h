// SPDX-License-Identifier: Apache-2.0
// Tensorized loop IR -> one program of the device, by the passes of compiler/codegen/vdla/pass.h. A segment
// is the straight-line stream of all consecutive device layers of a network, so that layers overlap: a
// layer's first loads run while the last one computes.
//
//   SegmentBuilder segment(geometry);
//   DramPlace weights = segment.add_constants(bytes);
//   segment.add({"conv1", "conv2d", ""}, func, {{Window::Input, 0}, weights, {Window::Act, 0}});
//   isa::Program program = segment.finish();
//
// What a function may contain (compiler/intrinsics/table.h and copy.h say what the calls mean):
//
// Parameters: buffers of scope global, in DRAM, with the strides that the buffer declares; i8, or i32 for
// par. Or of a scope as for allocations, in entries that keep() holds: activations that stay on chip from one
// layer to a later one.
//
// Allocations of scope inp, wgt, out (i8), acc, par (i32). The last dimensions make up whole entries: [.., K]
// and [.., N], [.., B, N] where B > 1 rows are used, [.., N, K] for wgt. Each run through an allocation is an
// instance with space of its own (expand), which place-sram finds.
//
// Loops. A perfect nest around one call becomes one instruction: loops that count on are merged; up to five
// are levels (gemm: further ones become micro-ops); loops beyond that, and those outside a loop with an index
// that is not affine in it or with an extent that depends on others, are run at compile time. What
// form::device_rules() rule out (threads, lanes, loops that are parallel or unrolled, marks) is refused.
//
// An `if` around the call of a nest, a conjunction of bounds on the loops, clips them; any other `if` is
// decided at compile time.
//
// Index expressions: + - * floor_div floor_mod min max select, over loops. No scalar stores.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/vdla/location.h"
#include "compiler/codegen/vdla/pass.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"
#include "isa/program/program.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

class SegmentBuilder {
 public:
  /// `own`: intrinsics that the caller declares, beside those of the device
  /// (intrinsics::device_intrinsics()). `rows`: of the array, that functions use (Stream::rows); 0: all.
  explicit SegmentBuilder(const isa::Geometry& geometry, const std::vector<intrinsics::Intrinsic>& own = {},
                          Latency latency = Latency::Hidden, unsigned rows = 0);
  SegmentBuilder(SegmentBuilder&&) noexcept;
  ~SegmentBuilder();

  /// Appends to window const; where the bytes begin.
  DramPlace add_constants(std::span<const std::uint8_t> bytes);

  /// Appends one layer, or goes on with the last one where `layer` is the same. `places` are in the order of
  /// func.params. UserError for a parameter in entries that nothing holds.
  void add(const isa::SourceLayer& layer, const loop::Func& func, const std::vector<Location>& places);

  /// Holds entries of `buffer` for parameters of the functions that are added until release(); they must be
  /// free. `name` is for people.
  void keep(isa::Buffer buffer, std::int64_t first, std::int64_t entries, const std::string& name = "kept");
  void release(isa::Buffer buffer, std::int64_t first);

  /// Stream that the passes will take.
  const Stream& stream() const;

  /// Runs the passes and encodes. UserError when a layer cannot be (names it, with buffer, need, have and a
  /// remedy). With an observer, the stream is verified before and after each pass and then shown. The builder
  /// is spent.
  isa::Program finish(const StreamObserver& observer = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vdla::codegen
