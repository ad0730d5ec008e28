// SPDX-License-Identifier: Apache-2.0
// Pieces of C99 that all files of a bundle are written with. Private to this folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

/// "/* NAME: 'model.tflite' for variant paper ... */": the first lines of each.
std::string banner(const Plan& plan, const std::string& what);

/// Integers of `bytes` bytes each, low byte first, as elements of an array, in lines that fit a page.
void append_numbers(std::string& text, std::span<const std::byte> data, std::size_t bytes, bool is_signed);

/// Literal of C99: "0.5", "2.0".
std::string literal(double value);

/// Text in quotes, between comment marks: it neither ends the comment nor begins another one.
std::string in_comment(const std::string& text);

/// A string literal of C99 (support/inert.h).
std::string c_string(const std::string& text);

/// Symbol of what a window of a step holds at first.
std::string image_symbol(const Plan& plan, std::size_t step, isa::Window window);
/// Symbol of a constant that kernels read.
std::string constant_symbol(const Plan& plan, runtime::TensorIndex tensor);
/// Symbol of what a state begins with; empty where that is zeros.
std::string initial_symbol(const Plan& plan, const runtime::State& state);

}  // namespace vdla::bundle
