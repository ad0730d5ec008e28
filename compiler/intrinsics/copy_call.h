// SPDX-License-Identifier: Apache-2.0
// Copies between DRAM and a buffer of the device have no declaration of their own: a whole nest of loops
// becomes ONE call, "load" or "store" (compiler/tensorize/copy.h says which nests).
//
// The call: outputs[0] and inputs[0] (none where nothing is read) have one extent per loop of the nest, in
// order. Attributes: pad (load only; with the source's type); for each condition c of `inside` a bound<c>
// (I64) with coefficients bound<c>.<d> (I64 constants, absent when 0): inside means bound<c> +
// sum(bound<c>.<d> * e_d) >= 0 for every c. Elsewhere a load writes pad. guard<c> for `present` likewise:
// elsewhere nothing is copied. Regions are virtual there.
#pragma once

namespace vdla::intrinsics {

inline constexpr const char* kLoad = "load";
inline constexpr const char* kStore = "store";

inline constexpr const char* kBound = "bound";
inline constexpr const char* kGuard = "guard";

}  // namespace vdla::intrinsics
