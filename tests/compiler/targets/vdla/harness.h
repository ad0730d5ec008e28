// SPDX-License-Identifier: Apache-2.0
// Runs a lowered layer on an image, by the interpreter: before tensorization, and after it by the
// declarations.
#pragma once

#include <optional>
#include <string>

#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "isa/program/program.h"
#include "isa/variants/variants.h"
#include "tests/compiler/targets/vdla/reference.h"

namespace vdla::pipeline::device {

isa::Geometry tiny();   ///< 1x4x4, small buffers
isa::Geometry paper();  ///< 1x16x16
/// 1x8x4: K != N, so element-wise operands go through the out buffer.
isa::Geometry oblong();
/// 1x4x8: the same.
isa::Geometry broad();
/// 2x4x4: two neighbouring pixels in an entry.
isa::Geometry pairs();
/// 4x8x8.
isa::Geometry quads();

/// Dense inputs, dense output. Lanes without a channel hold garbage on the way in.
Int8s interpret(const Op& op, const DeviceKernel& kernel, const std::vector<Int8s>& inputs,
                const isa::Geometry& geometry, bool tensorized);

/// The layer as a segment of its own: first input in window input, second in act, output in output. With a
/// `batch`, for a machine that has more rows than the layer uses.
isa::Program program_of(const Op& op, const DeviceKernel& kernel, const isa::Geometry& geometry,
                        unsigned batch = 0);
Int8s run_semantics(const Op& op, const isa::Program& program, const std::vector<Int8s>& inputs,
                    std::mt19937& random);
Int8s run_functional(const Op& op, const isa::Program& program, const std::vector<Int8s>& inputs);

/// What a program of several layers reads and writes: inputs in windows input, act, spare0, spare1, the
/// result in output.
struct Tensors {
  std::vector<Image> inputs;
  Image output;
  std::int64_t output_pixel = 0;  ///< bytes from pixel to pixel; 0: its padded channels
};
Int8s run_semantics(const Tensors& tensors, const isa::Program& program, const std::vector<Int8s>& inputs,
                    std::mt19937& random);
Int8s run_functional(const Tensors& tensors, const isa::Program& program, const std::vector<Int8s>& inputs);
isa::Window input_window(std::size_t input);

std::vector<Int8s> random_inputs(const Op& op, std::mt19937& random);
/// Lowers, runs every oracle that there is, expects the reference; where an entry holds one pixel, also of a
/// machine that has four rows for it.
void expect_exact(const Op& op, const isa::Geometry& geometry, std::mt19937& random, const Knobs& knobs = {});

}  // namespace vdla::pipeline::device
