// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/program.h"
#include "compiler/check/shrink.h"
#include "compiler/loop/print.h"
#include "isa/asm/asm.h"
#include "support/error.h"

namespace vdla::check {
namespace {

using intrinsics::Intrinsic;

/// A case as it goes to every engine.
struct Prepared {
  std::vector<std::int64_t> expected;
  std::optional<CaseProgram> program;
  std::string fault;  ///< why there is no program
};

Prepared prepare(const Case& c, const Intrinsic& intrinsic, const isa::Geometry& g) {
  Prepared prepared{declared_result(c, intrinsic, g), std::nullopt, {}};
  try {
    prepared.program = make_program(c, intrinsic, g);
  } catch (const UserError& e) {
    prepared.fault = std::string("no legal program: ") + e.what();
  }
  return prepared;
}

DeviceResult run_on(sim::Engine& engine, const Prepared& prepared, const Case& c,
                    const Intrinsic& intrinsic) {
  if (!prepared.program) return {prepared.fault, {}};
  return run_program(engine, *prepared.program, c, intrinsic);
}

bool differs(const Prepared& prepared, const DeviceResult& result) {
  return !result.fault.empty() || result.output != prepared.expected;
}

Mismatch shrunk(const Case& failing, bool fault, const Intrinsic& intrinsic, const isa::Geometry& g,
                sim::Engine& engine, const CheckOptions& options) {
  // A fault stays a fault and a wrong value a wrong value: the case shows what was found.
  const auto fails = [&](const Case& c) {
    const Prepared prepared = prepare(c, intrinsic, g);
    const DeviceResult result = run_on(engine, prepared, c, intrinsic);
    return differs(prepared, result) && result.fault.empty() != fault;
  };
  Mismatch found{
      .intrinsic = intrinsic, .geometry = g, .engine = std::string(engine.name()), .seed = options.seed};
  found.smallest = shrink(failing, intrinsic, g, fails, options.max_shrinks, found.shrinks);
  Prepared prepared = prepare(found.smallest, intrinsic, g);
  DeviceResult result = run_on(engine, prepared, found.smallest, intrinsic);
  found.expected = std::move(prepared.expected);
  found.seen = std::move(result.output);
  found.fault = std::move(result.fault);
  if (prepared.program) found.insns = std::move(prepared.program->calls);
  return found;
}

/// "dst[1, 0, 3]" of an element of the operand's entries.
std::string element_name(const std::string& role, std::size_t element, std::vector<std::int64_t> shape) {
  std::string text;
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t d = shape.size(); d-- > 0;) {
    text = fmt::format(", {}{}", rest % shape[d], text);
    rest /= shape[d];
  }
  return fmt::format("{}[{}{}]", role, rest, text);
}

constexpr std::size_t kShown = 16;  ///< lines of a list

}  // namespace

std::vector<std::size_t> Mismatch::differing() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != expected[i]) result.push_back(i);
  }
  return result;
}

std::string Mismatch::text() const {
  std::string out = fmt::format(
      "intrinsic '{}': the lowering differs from the declaration on engine {} "
      "(seed {}, case {}, {} smaller ones tried)\n",
      intrinsic.variant, engine, seed, number, shrinks);
  std::vector<expr::BufferPtr> buffers;
  for (std::size_t o = 0; o < smallest.values.size(); ++o) {
    const intrinsics::Operand& operand = operand_of(intrinsic, o);
    std::vector<std::int64_t> shape = entry_shape(operand.device_buffer(), geometry);
    shape.insert(shape.begin(), span_of(smallest, intrinsic, o, geometry));
    buffers.push_back(expr::make_buffer(operand.role, intrinsics::dtype_of(operand.device_buffer()), shape,
                                        operand.scope()));
  }
  out += fmt::format("call:\n{}", loop::to_string(nest_of(smallest, intrinsic, buffers)));
  out += fmt::format(
      "declared as: {}{}\n",
      intrinsic.accumulates ? fmt::format("{} over steps of ", expr::name(*intrinsic.accumulates)) : "",
      expr::to_string(intrinsic.behaviour.body));
  for (const isa::Insn& insn : insns) out += fmt::format("lowered to: {}\n", isa::to_text(insn));
  const auto name = [&](std::size_t o, std::size_t element) {
    const intrinsics::Operand& operand = operand_of(intrinsic, o);
    return element_name(operand.role, element, entry_shape(operand.device_buffer(), geometry));
  };
  if (!fault.empty()) {
    out += fmt::format("no result: {}\n", fault);
  } else {
    out += fmt::format("{:<20} {:>12} {:>12}\n", "output", "expected", "seen");
    const std::vector<std::size_t> elements = differing();
    for (std::size_t i = 0; i < std::min(elements.size(), kShown); ++i)
      out += fmt::format("{:<20} {:>12} {:>12}\n", name(0, elements[i]), expected[elements[i]],
                         seen[elements[i]]);
    if (elements.size() > kShown) out += fmt::format("and {} more\n", elements.size() - kShown);
  }
  out += "operands before the call, what is not 0:";
  std::size_t shown = 0;
  for (std::size_t o = 0; o < smallest.values.size(); ++o) {
    for (std::size_t i = 0; i < smallest.values[o].size(); ++i) {
      if (smallest.values[o][i] == 0) continue;
      if (++shown <= kShown) out += fmt::format(" {} = {}", name(o, i), smallest.values[o][i]);
    }
  }
  if (shown == 0) out += " nothing";
  if (shown > kShown) out += fmt::format(" and {} more", shown - kShown);
  return out + "\n";
}

CheckReport check_intrinsic(const Intrinsic& intrinsic, const isa::Geometry& geometry,
                            std::span<sim::Engine* const> engines, const CheckOptions& options) {
  CheckReport report;
  isa::Draw draw(options.seed);
  for (std::uint64_t number = 0; number < options.count; ++number) {
    const Case c = draw_case(intrinsic, geometry, number, draw);
    const Prepared prepared = prepare(c, intrinsic, geometry);
    for (sim::Engine* engine : engines) {
      const DeviceResult result = run_on(*engine, prepared, c, intrinsic);
      if (!differs(prepared, result)) continue;
      report.mismatch = shrunk(c, !result.fault.empty(), intrinsic, geometry, *engine, options);
      report.mismatch->number = number;
      return report;
    }
    ++report.cases;
  }
  return report;
}

}  // namespace vdla::check
