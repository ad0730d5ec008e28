// SPDX-License-Identifier: Apache-2.0
// Operators over variables that have a name: they hold one value from one run to the next.
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

std::string text(const flatbuffers::String* s) { return s ? s->str() : ""; }

void var_handle(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_VarHandleOptions);
  c.require(o.shared_name() && o.shared_name()->size() > 0, "names no variable, needs a shared name");
  c.set_resource(text(o.container()), text(o.shared_name()));
}

void read_variable(const Operation& c) { c.set(c.read_resource()); }

void assign_variable(const Operation& c) { c.assign_resource(c.in(1)); }

void call_once(const Operation& c) {
  c.call_once(c.options(&Operator::builtin_options_as_CallOnceOptions).init_subgraph_index());
}

constexpr Row kVariableRows[] = {
    {"ASSIGN_VARIABLE", assign_variable, Takes::Moved},
    {"CALL_ONCE", call_once, Takes::Moved},
    {"READ_VARIABLE", read_variable, Takes::Moved},
    {"VAR_HANDLE", var_handle, Takes::Moved},
};

}  // namespace

std::span<const Row> variable_rows() { return kVariableRows; }

}  // namespace vdla::import::tflite
