// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "compiler/loop/interpret.h"
#include "compiler/tensorize/interpret.h"
#include "support/error.h"

namespace vdla::check {
namespace {

using expr::BinaryOp;
using expr::ExprPtr;
using intrinsics::Intrinsic;
using intrinsics::Operand;
using isa::Buffer;

std::int64_t product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t entries_of(const Operand& operand, const isa::Geometry& g) {
  const std::int64_t elements = product(operand.tensor.shape()),
                     entry = entry_elements(operand.device_buffer(), g);
  VDLA_CHECK_USER(elements % entry == 0 && elements > 0)
      << "operand '" << operand.role << "' has " << elements << " elements, needs whole entries of buffer "
      << operand.scope() << ", which have " << entry << "; declare it over one entry";
  return elements / entry;
}

/// Entries that a case uses at most: several operands may live in one buffer, beside what brings them there.
std::int64_t most_entries(Buffer buffer, const isa::Geometry& g) {
  return std::min<std::int64_t>(16, g.depth(buffer) / 8);
}

std::int64_t draw_value(isa::Draw& draw, std::int64_t low, std::int64_t high, bool boundary) {
  if (!boundary && !draw.one_in(4))
    return draw.one_in(2) ? draw.between(low, high)
                          : std::clamp<std::int64_t>(draw.between(-9, 9), low, high);
  const std::int64_t candidates[] = {low, low + 1, -1, 0, 1, high - 1, high};
  return std::clamp(draw.pick(candidates), low, high);
}

void draw_attributes(Case& c, const Intrinsic& intrinsic, bool boundary, isa::Draw& draw) {
  std::int64_t* clamp_min = nullptr;
  std::int64_t* clamp_max = nullptr;
  c.attributes.resize(intrinsic.attributes.size());
  for (std::size_t i = 0; i < c.attributes.size(); ++i) {
    const intrinsics::FreeAttribute& a = intrinsic.attributes[i];
    c.attributes[i] = draw_value(draw, a.min, a.max, boundary);
    if (a.variable->name == "clamp_min") clamp_min = &c.attributes[i];
    if (a.variable->name == "clamp_max") clamp_max = &c.attributes[i];
  }
  // The one relation between fields of an instruction.
  if (clamp_min && clamp_max && *clamp_min > *clamp_max) std::swap(*clamp_min, *clamp_max);
}

/// The type's range as the buffer holds it.
std::pair<std::int64_t, std::int64_t> range_of(Buffer buffer) {
  if (intrinsics::dtype_of(buffer) == expr::DType::I8) return {-128, 127};
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

/// Loops that do not reduce go to output entries of their own.
void draw_loops(Case& c, const Intrinsic& intrinsic, const isa::Geometry& g, isa::Draw& draw) {
  const std::size_t operands = 1 + intrinsic.inputs.size();
  const auto room = [&](std::size_t o) {
    return most_entries(operand_of(intrinsic, o).device_buffer(), g) - span_of(c, intrinsic, o, g);
  };
  std::int64_t output_stride = draw.between(1, 2);
  const std::int64_t loops = draw.between(0, 4);
  for (std::int64_t l = 0; l < loops; ++l) {
    CaseLoop next{draw.between(1, 3), intrinsic.accumulates && draw.one_in(3), {}};
    for (std::size_t o = 0; o < operands; ++o) {
      const std::int64_t most =
          std::max<std::int64_t>(room(o) / std::max<std::int64_t>(1, next.extent - 1), 0);
      next.strides.push_back(draw.between(0, std::min<std::int64_t>(most, 3)));
    }
    if (next.reduces) {
      next.strides[0] = 0;
    } else if ((next.extent - 1) * output_stride > room(0)) {
      continue;
    } else {
      next.strides[0] = output_stride;
      output_stride *= next.extent;
    }
    c.loops.insert(c.loops.begin(), std::move(next));
  }
}

template <class T>
std::vector<std::byte> packed(const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<std::int64_t> unpacked(const std::vector<std::byte>& bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

}  // namespace

const Operand& operand_of(const Intrinsic& intrinsic, std::size_t operand) {
  return operand == 0 ? intrinsic.output : intrinsic.inputs[operand - 1];
}

std::vector<std::int64_t> entry_shape(Buffer buffer, const isa::Geometry& g) {
  if (buffer == Buffer::Wgt) return {g.block_out, g.block_in};
  const std::int64_t lanes = buffer == Buffer::Inp ? g.block_in : g.block_out;
  return g.rows(buffer) > 1 ? std::vector<std::int64_t>{g.batch, lanes} : std::vector<std::int64_t>{lanes};
}

std::int64_t entry_elements(Buffer buffer, const isa::Geometry& g) { return product(entry_shape(buffer, g)); }

std::int64_t span_of(const Case& c, const Intrinsic& intrinsic, std::size_t operand, const isa::Geometry& g) {
  std::int64_t span = c.bases[operand] + entries_of(operand_of(intrinsic, operand), g);
  for (const CaseLoop& l : c.loops) span += (l.extent - 1) * l.strides[operand];
  return span;
}

Case draw_case(const Intrinsic& intrinsic, const isa::Geometry& g, std::uint64_t number, isa::Draw& draw) {
  const Buffer to = intrinsic.output.device_buffer();
  VDLA_CHECK_USER(to == Buffer::Acc || to == Buffer::Out || (to == Buffer::Inp && g.block_in == g.block_out))
      << "the output of intrinsic '" << intrinsic.name << "' is in buffer " << intrinsics::scope_of(to)
      << ", needs acc, out, or inp where block_in and block_out are equal: steps write no other";
  const std::size_t operands = 1 + intrinsic.inputs.size();
  const bool boundary = number < 2;
  Case c;
  c.bases.assign(operands, 0);
  for (std::size_t o = 0; o < operands; ++o) {
    const std::int64_t room =
        most_entries(operand_of(intrinsic, o).device_buffer(), g) - span_of(c, intrinsic, o, g);
    c.bases[o] = draw.between(0, std::clamp<std::int64_t>(room, 0, 2));
  }
  if (number > 0) draw_loops(c, intrinsic, g, draw);
  c.reset = intrinsic.accumulates && !draw.one_in(3);
  draw_attributes(c, intrinsic, boundary, draw);
  for (std::size_t o = 0; o < operands; ++o) {
    const Operand& operand = operand_of(intrinsic, o);
    const auto [low, high] = range_of(operand.device_buffer());
    auto& values =
        c.values.emplace_back(span_of(c, intrinsic, o, g) * entry_elements(operand.device_buffer(), g));
    for (std::int64_t& value : values) value = draw_value(draw, low, high, boundary);
  }
  return c;
}

void trim(Case& c, const Intrinsic& intrinsic, const isa::Geometry& g) {
  for (std::size_t o = 0; o < c.values.size(); ++o) {
    c.values[o].resize(static_cast<std::size_t>(span_of(c, intrinsic, o, g) *
                                                entry_elements(operand_of(intrinsic, o).device_buffer(), g)));
  }
}

loop::StmtPtr nest_of(const Case& c, const Intrinsic& intrinsic,
                      const std::vector<expr::BufferPtr>& buffers) {
  std::vector<expr::VarPtr> vars;
  for (std::size_t l = 0; l < c.loops.size(); ++l) vars.push_back(expr::make_var(fmt::format("i{}", l)));
  const auto region = [&](std::size_t o) {
    ExprPtr entry = expr::int_imm(c.bases[o]);
    for (std::size_t l = 0; l < vars.size(); ++l) {
      entry = expr::binary(
          BinaryOp::Add, entry,
          expr::binary(BinaryOp::Mul, expr::var_ref(vars[l]), expr::int_imm(c.loops[l].strides[o])));
    }
    std::vector<ExprPtr> origin(buffers[o]->shape.size(), expr::int_imm(0));
    origin[0] = entry;
    const auto& shape = operand_of(intrinsic, o).tensor.shape();
    return loop::Region{buffers[o], origin, shape, expr::dense_strides(shape)};
  };
  loop::IntrinsicCall call{intrinsic.name, {region(0)}, {}, {}, nullptr};
  for (std::size_t o = 1; o < buffers.size(); ++o) call.inputs.push_back(region(o));
  for (std::size_t i = 0; i < c.attributes.size(); ++i) {
    const expr::VarPtr& variable = intrinsic.attributes[i].variable;
    call.attributes.push_back({variable->name, expr::int_imm(c.attributes[i], variable->dtype)});
  }
  if (c.reset) {
    call.reset = expr::bool_imm(true);
    for (std::size_t l = 0; l < vars.size(); ++l) {
      if (!c.loops[l].reduces) continue;
      const ExprPtr first = expr::binary(BinaryOp::Eq, expr::var_ref(vars[l]), expr::int_imm(0));
      const auto* only = call.reset->as<expr::IntImm>();
      call.reset = only ? first : expr::binary(BinaryOp::And, call.reset, first);
    }
  }
  loop::StmtPtr body = loop::intrinsic_call(std::move(call));
  for (std::size_t l = vars.size(); l-- > 0;) body = loop::make_for(vars[l], c.loops[l].extent, body);
  return body;
}

std::vector<std::int64_t> declared_result(const Case& c, const Intrinsic& intrinsic, const isa::Geometry& g) {
  std::vector<expr::BufferPtr> buffers;
  std::vector<std::vector<std::byte>> memories;
  loop::Func func{"declared", {}, nullptr};
  for (std::size_t o = 0; o < c.values.size(); ++o) {
    const Operand& operand = operand_of(intrinsic, o);
    std::vector<std::int64_t> shape = entry_shape(operand.device_buffer(), g);
    shape.insert(shape.begin(), span_of(c, intrinsic, o, g));
    const expr::DType type = intrinsics::dtype_of(operand.device_buffer());
    buffers.push_back(expr::make_buffer(operand.role, type, shape, operand.scope()));
    func.params.push_back({buffers.back(), o == 0 ? loop::Direction::InOut : loop::Direction::In});
    memories.push_back(type == expr::DType::I8 ? packed<std::int8_t>(c.values[o])
                                               : packed<std::int32_t>(c.values[o]));
  }
  func.body = nest_of(c, intrinsic, buffers);
  const std::vector<std::span<std::byte>> arguments(memories.begin(), memories.end());
  loop::Interpreter(func, tensorize::interpret_calls({intrinsic})).run(arguments);
  return intrinsics::dtype_of(intrinsic.output.device_buffer()) == expr::DType::I8
             ? unpacked<std::int8_t>(memories[0])
             : unpacked<std::int32_t>(memories[0]);
}

}  // namespace vdla::check
