// SPDX-License-Identifier: Apache-2.0
// A meaning (isa/spec/meaning.h) as text: C++ or the manual's formula.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isa/spec/meaning.h"

namespace vdla::isa::gen {

/// How a language writes terms.
struct Language {
  /// An operand, a field or a number.
  std::function<std::string(const Term&)> leaf;
  /// A term over the texts of its operands, each of which can stand anywhere.
  std::function<std::string(const Term&, const std::vector<std::string>&)> node;
};

/// A value in one language. Terms that are needed twice have names, and come first.
struct MeaningText {
  std::vector<std::pair<std::string, std::string>> named;  ///< name and what it is, in order
  std::string value;
};
MeaningText written(const Meaning& meaning, const Language& language);

/// Without the brackets around the whole.
std::string bare(std::string text);

/// "v = (x + p) >> 3; first ? v : c + v": what the manual says of each operation, by code.
std::vector<std::string> operation_formulas();

}  // namespace vdla::isa::gen
