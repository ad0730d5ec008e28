// SPDX-License-Identifier: Apache-2.0
// A drawn graph on this kit, and its outputs beside those of another implementation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "tests/compiler/import/random_graphs/oracle.h"

namespace vdla::random_graphs {

enum class Place : std::uint8_t { Interpreter, MachineCode, Functional };

struct Ran {
  std::vector<import::Array> outputs;
  std::string refused;  ///< a UserError
  std::string broken;   ///< any other exception: a fault of the kit
};

/// Value of the module's input of this place.
using InputOf = std::function<import::Array(const runtime::Port& port, std::size_t place)>;
/// Import, all passes, and as many runs, of which the last one's outputs count.
Ran run_here(const std::function<graph::Graph()>& import, const InputOf& input, Place place, int runs = 1);
/// Runs a drawn graph, whose inputs that the compiler must know are bound to their values.
Ran run_here(const Drawn& drawn, Place place);

double element_of(const import::Array& array, std::size_t i);
std::size_t elements_of(const import::Array& array);
/// Largest magnitude of the elements that are finite.
double largest_of(const import::Array& array);

/// Distance by which rounding alone may make an element miss: for floats 1e-5 of the largest.
double near_of(const import::Array& want);

/// Distance by which an output may miss the right one.
struct Allowed {
  double amount = 0;        ///< of each element
  std::size_t flipped = 0;  ///< whole numbers and truths that may be any others
};

struct Difference {
  std::size_t output = 0;
  std::string text;
};

/// Empty where all outputs agree: in type and shape, floats to 1e-5 of the largest, others exactly. `allowed`
/// widens that.
std::optional<Difference> compare(const std::vector<import::Array>& have,
                                  const std::vector<std::pair<std::string, import::Array>>& want,
                                  const std::vector<Allowed>& allowed = {});

/// Distances by which the outputs move when each quantisation on the way moves by a step, and floats by their
/// rounding: the largest of several runs of the oracle with such noise.
std::vector<Allowed> allowance(Oracle& oracle, const Drawn& drawn, const Answer& answer);

/// Names and values of all results of nodes.
Answer reveal(Oracle& oracle, const Drawn& drawn);

struct Verdict {
  enum class Kind : std::uint8_t { Equal, WithinSteps, Differs, Refused, Broken, NoAnswer };
  Kind kind = Kind::Equal;
  std::string text;  ///< why it is not equal
  std::size_t output = 0;
};
Verdict judge(Oracle& oracle, const Drawn& drawn, Place place);
/// Compares with an answer that is known.
Verdict judge(Oracle& oracle, const Drawn& drawn, const Answer& answer, Place place);

/// A smaller graph with the same kind of verdict, whose text holds the sentence.
Drawn shrink(Oracle& oracle, Drawn drawn, Place place, const std::string& sentence = "");

/// One line for each node, constants and inputs with their values.
std::string describe(const Drawn& drawn);

}  // namespace vdla::random_graphs
