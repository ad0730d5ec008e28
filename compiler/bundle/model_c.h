// SPDX-License-Identifier: Apache-2.0
// The C files of a bundle as text. Private to this folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

/// NAME.h: what firmware includes.
std::string header_c(const Plan& plan);
/// NAME.c: tables of steps and tensors, and the typed functions.
std::string model_c(const Plan& plan);

/// NAME_data.h and NAME_data.c: what windows hold at first, and constants of kernels.
struct DataFiles {
  std::string header, source;
  std::uint64_t bytes = 0;
};
DataFiles data_c(const Plan& plan);

/// "/* NAME: 'model.tflite' for variant paper ... */": the first lines of each.
std::string banner(const Plan& plan, const std::string& what);

/// Integers of `bytes` bytes each, low byte first, as elements of an array, in lines that fit a page.
void append_numbers(std::string& text, std::span<const std::byte> data, std::size_t bytes, bool is_signed);

/// Of C99: "0.5", "2.0".
std::string literal(double value);

/// A string literal of C99 without trigraphs; what is not printable becomes "_".
std::string c_string(const std::string& text);

/// Symbol of what a window of a step holds at first.
std::string image_symbol(const Plan& plan, std::size_t step, isa::Window window);
/// Symbol of a constant that kernels read.
std::string constant_symbol(const Plan& plan, runtime::TensorIndex tensor);

}  // namespace vdla::bundle
