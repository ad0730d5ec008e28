// SPDX-License-Identifier: Apache-2.0
// Every declared intrinsic: a random nest of calls leaves the same bytes in every buffer whether the
// declaration is interpreted or its lowering is executed by isa/semantics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/codegen/vdla/compute.h"
#include "compiler/codegen/vdla/folded_nest.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/interpret.h"
#include "isa/codec/codec.h"
#include "isa/program/micro_kernel.h"
#include "isa/semantics/execute.h"
#include "support/element_with.h"
#include "support/error.h"
#include "tests/compiler/codegen/vdla/geometries.h"

namespace vdla::codegen::testing {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;
using intrinsics::Intrinsic;
using ::testing::HasSubstr;

/// A loop of the nest with the entries that each operand moves by.
struct RandomLoop {
  expr::VarPtr var;
  std::int64_t extent;
  bool reduces;
};

class RandomNest {
 public:
  RandomNest(const Intrinsic& intrinsic, const isa::Geometry& g, std::mt19937& random)
      : intrinsic_(intrinsic), geometry_(g), random_(random) {
    for (const isa::NamedCode& row : isa::kBuffers) {
      const auto buffer = static_cast<isa::Buffer>(row.code);
      if (buffer == isa::Buffer::Uop) continue;
      buffers_.push_back(whole(buffer));
    }
    const std::int64_t loops = draw(0, 7);
    for (std::int64_t i = 0; i < loops; ++i) {
      loops_.push_back(
          {expr::make_var("i" + std::to_string(i)), draw(1, 2), intrinsic.accumulates && draw(0, 2) == 0});
    }
  }

  loop::Func func() {
    loop::IntrinsicCall call;
    call.name = intrinsic_.name;
    call.outputs.push_back(region(intrinsic_.output, destination()));
    for (const intrinsics::Operand& operand : intrinsic_.inputs)
      call.inputs.push_back(region(operand, source(operand)));
    for (const intrinsics::FreeAttribute& a : intrinsic_.attributes) {
      call.attributes.push_back({a.variable->name, expr::int_imm(attribute(a), a.variable->dtype)});
    }
    if (intrinsic_.accumulates && draw(0, 3) != 0) {
      call.reset = expr::bool_imm(true);
      for (const RandomLoop& l : loops_) {
        const ExprPtr start = expr::binary(expr::BinaryOp::Eq, expr::var_ref(l.var), expr::int_imm(0));
        if (l.reduces) call.reset = expr::binary(expr::BinaryOp::And, call.reset, start);
      }
    }
    loop::StmtPtr body = loop::intrinsic_call(std::move(call));
    for (auto it = loops_.rbegin(); it != loops_.rend(); ++it)
      body = loop::make_for(it->var, it->extent, body);
    loop::Func func{"nest", {}, body};
    for (const BufferPtr& buffer : buffers_) func.params.push_back({buffer, loop::Direction::InOut});
    return func;
  }

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  /// All of one buffer of the device: [depth][entry].
  BufferPtr whole(isa::Buffer buffer) const {
    const std::int64_t elements = geometry_.entry_bytes(buffer) / expr::bytes(intrinsics::dtype_of(buffer));
    return expr::make_buffer(std::string(isa::to_string(buffer)), intrinsics::dtype_of(buffer),
                             {geometry_.depth(buffer), elements}, intrinsics::scope_of(buffer));
  }

  BufferPtr buffer_of(isa::Buffer buffer) const {
    return element_with(buffers_, intrinsics::scope_of(buffer), [](const BufferPtr& b) { return b->scope; });
  }

  loop::Region region(const intrinsics::Operand& operand, ExprPtr entry) const {
    return {buffer_of(operand.device_buffer()),
            {std::move(entry), expr::int_imm(0)},
            operand.tensor.shape(),
            expr::dense_strides(operand.tensor.shape())};
  }

  ExprPtr sum(std::int64_t base, const std::vector<std::int64_t>& strides) const {
    ExprPtr e = expr::int_imm(base);
    for (std::size_t l = 0; l < loops_.size(); ++l) {
      e = expr::binary(
          expr::BinaryOp::Add, e,
          expr::binary(expr::BinaryOp::Mul, expr::var_ref(loops_[l].var), expr::int_imm(strides[l])));
    }
    return e;
  }

  /// Loops that do not reduce each go to entries of their own, in the lower half of the buffer.
  ExprPtr destination() {
    std::vector<std::int64_t> strides(loops_.size(), 0);
    std::int64_t stride = draw(1, 2);
    for (std::size_t l = loops_.size(); l-- > 0;) {
      if (loops_[l].reduces) continue;
      strides[l] = stride;
      stride *= loops_[l].extent;
    }
    return sum(draw(0, 3), strides);
  }

  /// Anywhere in the upper half (par: anywhere).
  ExprPtr source(const intrinsics::Operand& operand) {
    const std::int64_t depth = geometry_.depth(operand.device_buffer());
    const std::int64_t most =
        std::max<std::int64_t>(
            depth / 4 / std::max<std::int64_t>(1, static_cast<std::int64_t>(loops_.size())), 1) -
        1;
    std::vector<std::int64_t> strides;
    for (std::size_t l = 0; l < loops_.size(); ++l)
      strides.push_back(draw(0, std::min<std::int64_t>(most, 9)));
    return sum(depth / 2 + draw(0, depth / 8), strides);
  }

  std::int64_t attribute(const intrinsics::FreeAttribute& a) {
    const std::string& name = a.variable->name;
    if (name == "clamp_min") return draw(-128, 0);
    if (name == "clamp_max") return draw(0, 127);
    if (name == "shift") return draw(20, 40);
    return draw(a.min, a.max);
  }

  const Intrinsic& intrinsic_;
  const isa::Geometry& geometry_;
  std::mt19937& random_;
  std::vector<BufferPtr> buffers_;
  std::vector<RandomLoop> loops_;
};

void randomize(auto& values, std::mt19937& random) {
  for (auto& value : values) value = static_cast<std::remove_reference_t<decltype(value)>>(random());
}

isa::Sram random_sram(const isa::Geometry& g, std::mt19937& random) {
  isa::Sram sram(g);
  randomize(sram.inp, random);
  randomize(sram.wgt, random);
  randomize(sram.acc, random);
  randomize(sram.out, random);
  randomize(sram.par, random);
  return sram;
}

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

void interpret(const loop::Func& func, const std::vector<Intrinsic>& table, isa::Sram& sram) {
  const std::vector<std::span<std::byte>> arguments{
      bytes_of(sram.inp), bytes_of(sram.wgt), bytes_of(sram.acc), bytes_of(sram.out), bytes_of(sram.par)};
  loop::Interpreter(func, tensorize::interpret_calls(table)).run(arguments);
}

class NoMemory : public isa::Memory {
 public:
  bool read(std::uint64_t, std::span<std::byte>) override { return false; }
  bool write(std::uint64_t, std::span<const std::byte>) override { return false; }
};

/// Returns the number of instructions.
std::size_t execute(const loop::Func& func, const std::vector<Intrinsic>& table, const isa::Geometry& g,
                    isa::Sram& sram) {
  Environment environment;
  std::vector<const loop::Stmt*> outside;
  const auto task = fold_nest(func.body, table, environment, outside);
  EXPECT_TRUE(task && outside.empty());
  std::vector<SramPlace> places;
  for (const FoldedOperand& operand : task->operands) {
    places.push_back({0, operand.buffer->shape[1]});
  }
  NestInstance nest = instantiate(*task, environment);
  EXPECT_TRUE(normalize(nest));
  Stream stream;
  stream.geometry = g;
  stream.sources.push_back({0, task->text});
  emit_compute(*task, nest, places, stream);
  NoMemory memory;
  for (StreamInsn& s : stream.insns) {
    if (s.kernel != kNoKernel) {
      isa::MicroKernel kernel;
      for (const MicroKernelLoop& l : stream.kernels[s.kernel]) {
        kernel.loops.push_back({static_cast<std::uint16_t>(l.count), static_cast<std::uint16_t>(l.acc),
                                static_cast<std::uint16_t>(l.inp), static_cast<std::uint16_t>(l.wgt)});
      }
      const std::vector<isa::Uop> uops = isa::expand(kernel);
      std::ranges::transform(uops, sram.uop.begin(), isa::encode_uop);
    }
    EXPECT_EQ(isa::find_broken_rule(s.insn, g), nullptr);
    EXPECT_FALSE(isa::execute(s.insn, sram, {}, memory));
  }
  std::ranges::fill(sram.uop, 0);
  return stream.insns.size();
}

class EveryIntrinsic : public ::testing::TestWithParam<isa::Geometry> {};

TEST_P(EveryIntrinsic, LoweringEqualsDeclaration) {
  isa::Geometry g = GetParam();
  g.inp_depth = g.acc_depth = g.out_depth = 1024;
  g.wgt_depth = g.par_depth = 256;
  const auto table = intrinsics::device_intrinsics(g);
  std::mt19937 random(7);
  std::size_t folded = 0, nests = 0;
  for (const Intrinsic& intrinsic : table) {
    for (int i = 0; i < 6; ++i) {
      const loop::Func func = RandomNest(intrinsic, g, random).func();
      isa::Sram declared = random_sram(g, random), executed = declared;
      interpret(func, table, declared);
      folded += execute(func, table, g, executed) == 1;
      ++nests;
      ASSERT_EQ(declared, executed) << intrinsic.variant << "\n" << loop::to_string(func);
    }
  }
  EXPECT_GT(folded * 10, nests * 7) << "most nests of up to seven short loops become one instruction";
}

INSTANTIATE_TEST_SUITE_P(Geometries, EveryIntrinsic,
                         ::testing::Values(small_geometry(), small_geometry(2, 4, 8),
                                           small_geometry(2, 8, 8)),
                         [](const auto& info) {
                           const isa::Geometry& g = info.param;
                           return "array" + std::to_string(g.batch) + "x" + std::to_string(g.block_in) + "x" +
                                  std::to_string(g.block_out);
                         });

/// What refuses an intrinsic of the table, to whose lowering a rule is added.
std::string refusal(const std::string& field, std::int64_t value) {
  const isa::Geometry g = small_geometry();
  const auto table = intrinsics::device_intrinsics(g);
  Intrinsic own = element_with(table, "mac acc <- inp, imm", &Intrinsic::variant);
  auto& fields = std::get<intrinsics::DeviceRule>(own.lowering).fields;
  std::erase_if(fields, [&](const intrinsics::FieldRule& rule) { return rule.field == field; });
  fields.push_back({field, expr::int_imm(value)});
  std::mt19937 random(1);
  const loop::Func func = RandomNest(own, g, random).func();
  isa::Sram sram = random_sram(g, random);
  try {
    execute(func, {own}, g, sram);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(LoweringRule, AFieldThatNoInstructionHasIsNotIgnored) {
  EXPECT_THAT(
      refusal("immediate", 3),
      HasSubstr("intrinsic 'mac acc <- inp, imm': its lowering sets field 'immediate' of vector, needs "
                "one of op, dst_buffer, a_buffer, b_kind, shift, half, a_offset, imm,"));
}

TEST(LoweringRule, AFieldOfTheCodeGeneratorIsNotOverwritten) {
  EXPECT_THAT(refusal("dst_base", 3), HasSubstr("sets field 'dst_base' of vector, needs one of op"));
  EXPECT_THAT(refusal("push", 2), HasSubstr("sets field 'push' of vector, needs one of op"));
}

TEST(LoweringRule, AValueThatItsFieldCannotHoldIsNotTruncated) {
  EXPECT_THAT(refusal("imm", std::int64_t{1} << 33),
              HasSubstr("field 'imm' is 8589934592, needs -2147483648..2147483647"));
  EXPECT_THAT(refusal("a_offset", 40000), HasSubstr("field 'a_offset' is 40000, needs -32768..32767"));
  EXPECT_THAT(refusal("shift", 64), HasSubstr("field 'shift' is 64, needs 0..63"));
  EXPECT_THAT(refusal("op", 9), HasSubstr("field 'op' is 9, needs one of 0 (scale), 1 (mac), 2 (add)"));
  EXPECT_THAT(refusal("dst_buffer", 1),
              HasSubstr("field 'dst_buffer' is 1, needs one of 0 (inp), 2 (acc), 3 (out)"));
  EXPECT_EQ(refusal("imm", -5), "");
}

TEST(IntrinsicTable, VariantsAreUniqueAndFound) {
  const auto table = intrinsics::device_intrinsics(small_geometry());
  for (const Intrinsic& intrinsic : table) {
    EXPECT_EQ(std::ranges::count(table, intrinsic.variant, &Intrinsic::variant), 1) << intrinsic.variant;
  }
}

}  // namespace
}  // namespace vdla::codegen::testing
