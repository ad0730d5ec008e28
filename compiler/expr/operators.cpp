// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/operators.h"

namespace vdla::expr {
namespace {

struct BinaryFacts {
  std::string_view text;
  bool infix;
};
constexpr BinaryFacts kBinary[] = {
#define VDLA_ROW(name, text, infix) {text, infix},
    VDLA_BINARY_OPS(VDLA_ROW)
#undef VDLA_ROW
};
struct FunctionFacts {
  std::string_view text;
  int arity;
};
constexpr FunctionFacts kFunctions[] = {
#define VDLA_ROW(name, text, arity) {text, arity},
    VDLA_FUNCTIONS(VDLA_ROW)
#undef VDLA_ROW
};
constexpr std::string_view kReducers[] = {
#define VDLA_ROW(name, text) text,
    VDLA_REDUCERS(VDLA_ROW)
#undef VDLA_ROW
};

}  // namespace

std::string_view name(BinaryOp op) { return kBinary[static_cast<std::size_t>(op)].text; }
std::string_view name(Function function) { return kFunctions[static_cast<std::size_t>(function)].text; }
std::string_view name(Reducer reducer) { return kReducers[static_cast<std::size_t>(reducer)]; }
bool is_infix(BinaryOp op) { return kBinary[static_cast<std::size_t>(op)].infix; }
bool is_comparison(BinaryOp op) { return op >= BinaryOp::Eq; }
int arity(Function function) { return kFunctions[static_cast<std::size_t>(function)].arity; }

}  // namespace vdla::expr
