// SPDX-License-Identifier: Apache-2.0
// Tensor expressions that the templates share: the padded input of a window, and the way out of the
// accumulator.
#pragma once

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/tiles.h"

namespace vdla::pipeline::device {

/// The window as its reader in SRAM sees it: along a kernel extent of 1 the stride is 1, and dilation, where
/// it means nothing, too.
Window dense_window(const Window& window);

/// The part of `in` ([H][W][blocks][lanes]) that the windows of `out` touch, padding filled with `pad`. Where
/// the kernel's extent is 1 along a dimension, only the pixels that are used are in it.
expr::Tensor padded_input(const expr::Tensor& in, const Image& out, const Window& window, std::int32_t pad);

/// Spatial position (y, x) and kernel position (ky, kx) to an index of padded_input().
expr::Value padded_row(const Window& window, const expr::Value& y, const expr::Value& ky);
expr::Value padded_column(const Window& window, const expr::Value& x, const expr::Value& kx);

/// int8 of requantised `x`, with parameters params[block][0..2][n].
expr::Value scaled_int8(const expr::Value& x, const expr::Tensor& params, const expr::Value& block,
                        const expr::Value& n, const OutputStage& stage);
/// Clamped to int8.
expr::Value clamped_int8(const expr::Value& x, std::int32_t zero, std::int32_t min, std::int32_t max);

expr::Value i32(std::int64_t value);
expr::Value widened(const expr::Value& int8_value);

}  // namespace vdla::pipeline::device
