// SPDX-License-Identifier: Apache-2.0
// One layer, alone on an idle machine: compiled, and timed on the SystemC engine over memory that is all zero
// (no time depends on values).
#pragma once

#include <cstdint>

#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "isa/program/program.h"
#include "sim/contract.h"
#include "sim/trace/event.h"

namespace vdla::bench {

/// A convolution of a square image with "same" padding, all weights zero.
struct ConvShape {
  std::int64_t size, in, out, kernel, stride;
};
pipeline::device::Conv2d conv_layer(const ConvShape& shape);

isa::Program compile_layer(const pipeline::device::Op& op, const isa::Variant& variant,
                           const pipeline::device::Knobs& knobs = {});

/// Cycles from start to done on `engine`, an idle machine of the program's geometry.
std::uint64_t measure_layer(const pipeline::device::Op& op, const isa::Program& program, sim::Engine& engine);

/// Cycles on a SystemC engine. A sink receives the events of the run.
std::uint64_t measure_layer(const pipeline::device::Op& op, const isa::Program& program,
                            const isa::Variant& variant, trace::Sink* sink = nullptr);

}  // namespace vdla::bench
