// SPDX-License-Identifier: Apache-2.0
// A tensor intrinsic of one's own: what one step of the device means, as a tensor expression, and which
// instruction does it. A schedule asks for it by name, the compiler proves that the loops are that step,
// makes one instruction stream with DMA and tokens around it, and the simulated device runs it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "compiler/check/check.h"
#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/interpret.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/asm/asm.h"
#include "isa/spec/operations.h"
#include "isa/variants/variants.h"
#include "kit/device_function.h"
#include "kit/session.h"
#include "sim/functional/engine.h"

using namespace vdla;
using namespace vdla::expr;

namespace {

Value i32(std::int64_t value) { return Value(int_imm(value, DType::I32)); }

/// clamp(x * gain, -128, 127) as int8, of an int8 x.
Value amplified(const Value& x, const Value& gain) {
  return cast(DType::I8, clamp(cast(DType::I32, x) * gain, i32(-128), i32(127)));
}

/// "amplify": one entry of buffer out from one entry of buffer inp. The lowering rule is the vector unit's
/// multiplication by a constant; the gain, which a program chooses, goes to the instruction's field imm.
intrinsics::Intrinsic amplify(const isa::Geometry& g) {
  intrinsics::Intrinsic own;
  own.name = "amplify";
  own.variant = "amplify out <- inp";
  const VarPtr gain = make_var("gain", DType::I32);
  own.attributes = {{gain, -1000, 1000}};

  const Tensor x = placeholder("a", {g.block_in}, DType::I8);
  own.inputs = {{"a", isa::Buffer::Inp, x}};
  own.output = {"dst", isa::Buffer::Out, placeholder("dst", {g.block_out}, DType::I8)};
  const IterVar n("n", g.block_out, IterKind::Spatial);
  own.behaviour = {.axes = {n}, .body = amplified(x(n), gain)};

  const auto code = [](auto value) { return int_imm(static_cast<std::int64_t>(value)); };
  own.lowering = intrinsics::DeviceRule{isa::Opcode::Vector,
                                        {{"op", code(isa::operation_named("mac"))},
                                         {"dst_buffer", code(isa::Buffer::Out)},
                                         {"a_buffer", code(isa::Buffer::Inp)},
                                         {"b_kind", code(isa::VectorB::Imm)},
                                         {"imm", var_ref(gain)},
                                         {"clamp_min", code(-128)},
                                         {"clamp_max", code(127)}}};
  return own;
}

}  // namespace

int main() {
  const isa::Variant variant = isa::load_variant("paper");
  const isa::Geometry& g = variant.geometry;
  const std::int64_t rows = 40, lanes = g.block_out;

  // Generated cases first: does the lowering do what the declaration says?
  const std::unique_ptr<sim::Engine> engine = sim::make_functional_engine(variant);
  sim::Engine* const engines[] = {engine.get()};
  const check::CheckReport report = check::check_intrinsic(amplify(g), g, engines);
  if (report.mismatch) {
    std::printf("%s", report.mismatch->text().c_str());
    return EXIT_FAILURE;
  }
  std::printf("lowering equals declaration in %d cases\n", static_cast<int>(report.cases));

  // 40 rows of 16 numbers, times 3; loaded, computed and stored in tiles of 8 rows.
  const Tensor x = placeholder("x", {rows, lanes}, DType::I8);
  const Tensor y = compute("y", {rows, lanes}, [&](Value i, Value n) { return amplified(x(i, n), i32(3)); });
  schedule::Schedule s({y});
  const Tensor out = s.cache_write(y, "out");
  const Tensor inp = s.cache_read(x, "inp", {out});
  const auto [tile, row] = s[y].split(s[y].axis(0), 8);
  s[y].tensorize(row, "store");
  s[out].compute_at(s[y], tile).tensorize(s[out].axis(1), "amplify");
  s[inp].compute_at(s[y], tile).tensorize(s[inp].axis(0), "load");

  std::vector<intrinsics::Intrinsic> table = intrinsics::device_intrinsics(g);
  table.push_back(amplify(g));
  const loop::Func func = tensorize::tensorize(lower::lower(s, {x, y}, "amplify3"), table);
  std::printf("%s\n", loop::to_string(func).c_str());

  // As instructions, proven right before they run.
  const runtime::Module module = kit::device_module(func, variant, {amplify(g)});
  for (const isa::Insn& insn : std::get<runtime::DeviceStep>(module.steps[0]).program.insns)
    std::printf("%s\n", isa::to_text(insn).c_str());

  // Compares the declared meaning with the device's.
  std::vector<std::int8_t> in(static_cast<std::size_t>(rows * lanes)), meant(in.size()), got(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int8_t>(i * 7);
  const std::span<std::byte> memories[] = {std::as_writable_bytes(std::span(in)),
                                           std::as_writable_bytes(std::span(meant))};
  loop::Interpreter(func, tensorize::interpret_calls(table)).run(memories);

  kit::Session session(module, "functional");
  const runtime::Bytes output = session.run({{memories[0].begin(), memories[0].end()}}).outputs.at(0);
  std::ranges::copy(output, std::as_writable_bytes(std::span(got)).begin());

  for (std::size_t i = 0; i < in.size(); ++i) {
    const int needed = std::clamp(in[i] * 3, -128, 127);
    if (meant[i] != needed || got[i] != needed) {
      std::printf("element %zu: declared %d, device %d, needs %d\n", i, meant[i], got[i], needed);
      return EXIT_FAILURE;
    }
  }
  std::printf("declaration and device agree on %zu elements\n", in.size());
  return EXIT_SUCCESS;
}
