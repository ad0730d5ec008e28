// SPDX-License-Identifier: Apache-2.0
// Which knobs give a program, without the templates' own prediction of room, and what a space says of drawn
// points against that.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/targets/vdla/templates/lower.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Whether one layer with these knobs is a program of `g` that is proven right: the code generator finds room
/// for it and the verifier has no finding. Loops are made for buffers that hold anything.
bool legal(const Op& op, const Knobs& knobs, const isa::Geometry& g);

/// Three ragged layers on the variant (a name, or a file): so many points of each that its space draws are
/// programs, and it holds 95 % of those programs among as many points that are drawn without it.
void compare_drawn(const std::string& variant, int points, std::uint64_t seed);

}  // namespace vdla::pipeline::device
