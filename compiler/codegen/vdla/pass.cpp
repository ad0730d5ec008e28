// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/pass.h"

#include <fmt/format.h>

#include "compiler/codegen/vdla/passes.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::codegen {
namespace {

constexpr StreamPass kStreamPasses[] = {
#define VDLA_ROW(id, name, shows, run, only, ...) {name, run, {__VA_ARGS__}, only},
    VDLA_STREAM_PASSES(VDLA_ROW)
#undef VDLA_ROW
};

/// Forms in a stream of functions that have their places.
constexpr Forms kBefore{Form::Function, Form::Instance};

/// Forms that a pass can take: those that the one before it leaves.
Forms taken_by(const StreamPass& pass) {
  Forms before = kBefore;
  for (const StreamPass& row : kStreamPasses) {
    if (row.name == pass.name) return before;
    before = row.leaves;
  }
  return Forms::all();
}

}  // namespace

std::span<const StreamPass> stream_passes() { return kStreamPasses; }

std::vector<StreamPass> stream_passes(Latency latency) {
  std::vector<StreamPass> passes;
  for (const StreamPass& pass : kStreamPasses)
    if (!pass.only || latency == pass.only) passes.push_back(pass);
  return passes;
}

const StreamPass& find_stream_pass(std::string_view name) {
  std::vector<std::string> known;
  std::string listed;
  for (const StreamPass& pass : kStreamPasses) {
    if (pass.name == name) return pass;
    known.emplace_back(pass.name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  throw UserError(fmt::format("no pass '{}' over streams; there are {}{}", name, listed,
                              did_you_mean(std::string(name), known)));
}

const StreamPass* remover_of(Form form) {
  const StreamPass* remover = nullptr;
  Forms before = kBefore;
  for (const StreamPass& row : kStreamPasses) {
    if (before.has(form) && !row.leaves.has(form)) remover = &row;
    before = row.leaves;
  }
  return remover;
}

void run_verified(const StreamPass& pass, Stream& stream) {
  try {
    verify(stream, taken_by(pass));
  } catch (const UserError& error) {
    throw UserError(fmt::format("'{}' cannot run: {}", pass.name, error.what()));
  }
  const bool had_functions = !stream.calls.empty();
  pass.run(stream);
  try {
    verify(stream, pass.leaves);
  } catch (const UserError& error) {
    // Places of a function's operands are known when it is expanded only.
    if (had_functions && dynamic_cast<const OperandOutside*>(&error) != nullptr)
      throw UserError(fmt::format("'{}': a function leaves its buffers: {}", pass.name, error.what()));
    throw InternalError(fmt::format("pass '{}' breaks its stream: {}", pass.name, error.what()));
  }
}

}  // namespace vdla::codegen
