// SPDX-License-Identifier: Apache-2.0
// Forms that stand in a stream.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/codegen/vdla/pass.h"
#include "compiler/codegen/vdla/verify.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

[[noreturn]] void refuse_form(Form form, const std::string& where) {
  const StreamPass* remover = remover_of(form);
  throw UserError(fmt::format("{}{} is left{}", where, text_of(form),
                              remover ? fmt::format("; run {}", remover->name) : ""));
}

std::string at(const Stream& stream, std::size_t insn) {
  return fmt::format("instruction {}: {}", insn, describe_source(stream, insn));
}

}  // namespace

std::string_view text_of(Form form) {
  constexpr std::string_view kTexts[] = {
#define VDLA_TEXT(name, text) text,
      VDLA_STREAM_FORMS(VDLA_TEXT)
#undef VDLA_TEXT
  };
  return kTexts[static_cast<std::size_t>(form)];
}

void check_forms(const Stream& stream, Forms may) {
  for (const Mark& mark : stream.marks) {
    if (mark.kind == Mark::Kind::Call) {
      if (!may.has(Form::Function))
        refuse_form(Form::Function, fmt::format("function '{}': ", stream.calls.at(mark.id).func.name));
    } else if (!may.has(Form::Instance)) {
      refuse_form(Form::Instance, fmt::format("instance '{}': ", stream.instances.at(mark.id).name));
    }
  }
  for (std::size_t i = 0; i < stream.insns.size(); ++i) {
    const StreamInsn& s = stream.insns[i];
    const bool placed = std::ranges::all_of(s.storage, [](InstanceId id) { return id == kNoInstance; });
    if (!placed && !may.has(Form::Instance)) refuse_form(Form::Instance, at(stream, i));
    const bool refers = std::holds_alternative<isa::GemmInsn>(s.insn) && !s.loaded;
    if (refers && !may.has(Form::MicroKernel)) refuse_form(Form::MicroKernel, at(stream, i));
    if (s.after != kNoClock && !may.has(Form::Wait)) refuse_form(Form::Wait, at(stream, i));
    const bool tokens = isa::pops_of(s.insn) != 0 || isa::pushes_of(s.insn) != 0;
    if (tokens && !may.has(Form::Token)) refuse_form(Form::Token, at(stream, i));
  }
}

}  // namespace vdla::codegen
