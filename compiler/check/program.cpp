// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/table.h"
#include "isa/spec/registers.h"
#include "isa/verify/verify.h"
#include "sim/lockstep/job.h"
#include "support/error.h"

namespace vdla::check {
namespace {

using expr::BufferPtr;
using expr::DType;
using intrinsics::Intrinsic;
using isa::Buffer;

constexpr int kPlanes = 4;  ///< planes of an accumulator that is put together
constexpr int kDigits = 5;  ///< digits of one that is taken apart
constexpr std::int64_t kDigitBase = 128;
constexpr const char* kChecked = "checked";  ///< beside the device's intrinsics, whose names it may have

loop::Region whole(const BufferPtr& buffer, std::int64_t skip = 0) {
  const auto shape = std::span(buffer->shape).subspan(skip);
  const std::vector<std::int64_t> extents(shape.begin(), shape.end());
  return {buffer, std::vector<expr::ExprPtr>(buffer->shape.size(), expr::int_imm(0)), extents,
          expr::dense_strides(extents)};
}

/// One plane of a buffer [planes, entries, ..].
loop::Region plane_of(const BufferPtr& buffer, int plane) {
  loop::Region region = whole(buffer, 1);
  region.origin[0] = expr::int_imm(plane);
  return region;
}

loop::StmtPtr copy(const char* name, loop::Region to, loop::Region from) {
  return loop::intrinsic_call({name, {std::move(to)}, {std::move(from)}, {}, nullptr});
}

/// to[i] = (accumulates: to[i] + ) op(from[i]) for all entries.
struct EntryLoop {
  const char* name;
  BufferPtr to, from;
  std::vector<std::pair<const char*, std::int64_t>> attributes;
  bool accumulates = false;
};

const DType* type_of(const Intrinsic& declared, std::string_view attribute) {
  for (const intrinsics::FreeAttribute& a : declared.attributes)
    if (a.variable->name == attribute) return &a.variable->dtype;
  return nullptr;
}

/// The declaration, which says of what type attributes are and what accumulates.
const Intrinsic& declaration_of(const EntryLoop& step, std::span<const Intrinsic> table) {
  const auto found = std::ranges::find_if(table, [&](const Intrinsic& i) {
    return i.name == step.name && i.output.scope() == step.to->scope &&
           i.inputs[0].scope() == step.from->scope && i.attributes.size() == step.attributes.size() &&
           std::ranges::all_of(step.attributes,
                               [&](const auto& a) { return type_of(i, a.first) != nullptr; });
  });
  VDLA_CHECK(found != table.end()) << "no intrinsic '" << step.name << "' from " << step.from->scope << " to "
                                   << step.to->scope;
  return *found;
}

/// Calls the intrinsic for each entry of its buffers. `table`: the intrinsics of the device.
loop::StmtPtr for_each_entry(const EntryLoop& step, std::span<const Intrinsic> table) {
  const Intrinsic& declared = declaration_of(step, table);
  const expr::VarPtr i = expr::make_var("i");
  const auto entry = [&](const BufferPtr& buffer) {
    loop::Region region = whole(buffer, 1);
    region.origin[0] = expr::var_ref(i);
    return region;
  };
  loop::IntrinsicCall call{step.name, {entry(step.to)}, {entry(step.from)}, {}, nullptr};
  for (const auto& [name, value] : step.attributes)
    call.attributes.push_back({name, expr::int_imm(value, *type_of(declared, name))});
  if (step.to->scope == intrinsics::scope_of(Buffer::Acc) && !step.accumulates)
    call.reset = declared.accumulates ? expr::bool_imm(true) : nullptr;
  return loop::make_for(i, step.to->shape[0], loop::intrinsic_call(std::move(call)));
}

/// Signed digits of base 256, lowest first, modulo 2^32.
std::int8_t plane_value(std::int64_t value, int plane) {
  for (int p = 0; p < plane; ++p) value = (value - static_cast<std::int8_t>(value)) / 256;
  return static_cast<std::int8_t>(value);
}

class CaseBuilder {
 public:
  CaseBuilder(const Case& c, const Intrinsic& intrinsic, const isa::Geometry& g)
      : case_(c), intrinsic_(intrinsic), geometry_(g), table_(intrinsics::device_intrinsics(g)) {
    intrinsic_.name = kChecked;
  }

  CaseProgram build() {
    std::vector<BufferPtr> buffers;
    for (std::size_t o = 0; o < case_.values.size(); ++o) {
      const Buffer buffer = operand_of(intrinsic_, o).device_buffer();
      buffers.push_back(on_chip(fmt::format("o{}", o), buffer, span_of(case_, intrinsic_, o, geometry_)));
      bring(buffers.back(), buffer, case_.values[o]);
    }
    body_.push_back(nest_of(case_, intrinsic_, buffers));
    take(buffers[0]);
    loop::StmtPtr body = loop::seq(body_);
    for (const BufferPtr& buffer : buffers) body = loop::allocate(buffer, body);
    func_.body = body;

    codegen::SegmentBuilder segment(geometry_, {intrinsic_});
    segment.add({"check", kChecked, ""}, func_, places_);
    CaseProgram result{segment.finish(), std::move(input_), {}};
    isa::VerifyOptions options;
    options.defined = {{isa::Window::Input, 0, result.input.size()}};
    isa::require_verified(result.program, options);
    const isa::SourceMap& map = result.program.source_map;
    for (std::size_t i = 0; i < result.program.insns.size(); ++i) {
      if (map.insns[i].loop == isa::Source::kNone ||
          map.loops[map.insns[i].loop].find(kChecked) == std::string::npos)
        continue;
      isa::Insn insn = result.program.insns[i];
      isa::set_tokens(insn, 0, 0);
      result.calls.push_back(insn);
    }
    return result;
  }

 private:
  BufferPtr on_chip(const std::string& name, Buffer buffer, std::int64_t entries) const {
    std::vector<std::int64_t> shape = entry_shape(buffer, geometry_);
    shape.insert(shape.begin(), entries);
    return expr::make_buffer(name, intrinsics::dtype_of(buffer), shape, intrinsics::scope_of(buffer));
  }

  BufferPtr parameter(DType type, std::vector<std::int64_t> shape, isa::Window window, std::uint64_t offset) {
    const bool in = window == isa::Window::Input;
    BufferPtr buffer = expr::make_buffer(fmt::format("p{}", func_.params.size()), type, std::move(shape));
    func_.params.push_back({buffer, in ? loop::Direction::In : loop::Direction::Out});
    places_.push_back({window, offset});
    return buffer;
  }

  template <class T>
  void append(const std::vector<std::int64_t>& values) {
    for (const std::int64_t v : values) {
      const T value = static_cast<T>(v);
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      input_.insert(input_.end(), bytes, bytes + sizeof(T));
    }
  }

  /// Fills the buffer from window input.
  void bring(const BufferPtr& buffer, Buffer kind, const std::vector<std::int64_t>& values) {
    constexpr std::size_t kAlignment = 64;
    input_.resize((input_.size() + kAlignment - 1) / kAlignment * kAlignment);
    const std::uint64_t at = input_.size();
    if (kind != Buffer::Acc) {
      buffer->dtype == DType::I8 ? append<std::int8_t>(values) : append<std::int32_t>(values);
      const BufferPtr from = parameter(buffer->dtype, buffer->shape, isa::Window::Input, at);
      body_.push_back(copy(intrinsics::kLoad, whole(buffer), whole(from)));
      return;
    }
    std::vector<std::int64_t> shape = buffer->shape;
    shape.insert(shape.begin(), kPlanes);
    const BufferPtr from = parameter(DType::I8, shape, isa::Window::Input, at);
    for (int plane = 0; plane < kPlanes; ++plane) {
      std::vector<std::int64_t> bytes(values.size());
      std::ranges::transform(values, bytes.begin(), [&](std::int64_t v) { return plane_value(v, plane); });
      append<std::int8_t>(bytes);
      const BufferPtr stage = on_chip("plane", Buffer::Out, buffer->shape[0]);
      const EntryLoop step{
          "mac", buffer, stage, {{"a_offset", 0}, {"imm", std::int64_t{1} << 8 * plane}}, plane > 0};
      body_.push_back(
          loop::allocate(stage, loop::seq({copy(intrinsics::kLoad, whole(stage), plane_of(from, plane)),
                                           for_each_entry(step, table_)})));
    }
  }

  /// Stores the output to window output.
  void take(const BufferPtr& buffer) {
    const bool acc = intrinsic_.output.device_buffer() == Buffer::Acc;
    std::vector<std::int64_t> shape = buffer->shape;
    shape.insert(shape.begin(), acc ? kDigits : 1);
    const BufferPtr to = parameter(DType::I8, shape, isa::Window::Output, 0);
    if (intrinsic_.output.device_buffer() == Buffer::Out) {
      body_.push_back(copy(intrinsics::kStore, plane_of(to, 0), whole(buffer)));
      return;
    }
    BufferPtr rest = buffer;
    std::vector<BufferPtr> rests;
    for (int digit = 0; digit < (acc ? kDigits : 1); ++digit) {
      BufferPtr next;
      if (acc && digit + 1 < kDigits) {
        next = on_chip(fmt::format("rest{}", digit), Buffer::Acc, buffer->shape[0]);
        rests.push_back(next);
        body_.push_back(for_each_entry(
            {"avg", next, rest, {{"a_offset", 0}, {"half", 0}, {"imm", 1}, {"shift", 7}}}, table_));
        body_.push_back(
            for_each_entry({"mac", rest, next, {{"a_offset", 0}, {"imm", -kDigitBase}}, true}, table_));
      }
      const BufferPtr stage = on_chip("digit", Buffer::Out, buffer->shape[0]);
      const EntryLoop step{
          "add", stage, rest, {{"imm", 0}, {"out_zero", 0}, {"clamp_min", -128}, {"clamp_max", 127}}};
      body_.push_back(
          loop::allocate(stage, loop::seq({for_each_entry(step, table_),
                                           copy(intrinsics::kStore, plane_of(to, digit), whole(stage))})));
      rest = next;
    }
    loop::StmtPtr body = loop::seq(body_);
    for (const BufferPtr& each : rests) body = loop::allocate(each, body);
    body_ = {body};
  }

  const Case& case_;
  Intrinsic intrinsic_;
  const isa::Geometry& geometry_;
  const std::vector<Intrinsic> table_;
  loop::Func func_{"check", {}, nullptr};
  std::vector<codegen::Location> places_;
  std::vector<loop::StmtPtr> body_;
  std::vector<std::byte> input_;
};

std::uint32_t read(sim::Engine& engine, isa::Register r) {
  return engine.read_register(static_cast<std::uint32_t>(r));
}

}  // namespace

CaseProgram make_program(const Case& c, const Intrinsic& intrinsic, const isa::Geometry& geometry) {
  return CaseBuilder(c, intrinsic, geometry).build();
}

DeviceResult run_program(sim::Engine& engine, const CaseProgram& program, const Case& c,
                         const Intrinsic& intrinsic) {
  constexpr std::uint64_t kCycleLimit = 10'000'000;
  sim::Job job;
  job.program = program.program;
  job.contents[static_cast<std::size_t>(isa::Window::Input)] = program.input;
  const isa::Windows windows = sim::place_windows(engine, job);
  sim::start_job(engine, job, windows);
  const sim::Stop stop = engine.run(kCycleLimit);
  DeviceResult result;
  const std::uint32_t status = read(engine, isa::Register::STATUS);
  if (stop != sim::Stop::Interrupt) {
    result.fault = stop == sim::Stop::Deadlock ? "stands still: " + sim::describe(engine.unit_states())
                                               : fmt::format("has not ended after {} cycles", kCycleLimit);
  } else if ((status & isa::kStatusError) != 0) {
    result.fault =
        fmt::format("stopped with error code {} at instruction {}", read(engine, isa::Register::ERROR_CODE),
                    read(engine, isa::Register::ERROR_INSN));
  }
  if (!result.fault.empty()) return result;
  const isa::WindowRange& window = windows[static_cast<std::size_t>(isa::Window::Output)];
  std::vector<std::byte> bytes(window.size);
  engine.read_memory(window.base, bytes);
  result.output.assign(c.values[0].size(), 0);
  const std::size_t planes = intrinsic.output.device_buffer() == Buffer::Acc ? kDigits : 1;
  for (std::size_t plane = planes; plane-- > 0;) {
    for (std::size_t i = 0; i < result.output.size(); ++i) {
      const auto digit = static_cast<std::int8_t>(bytes[plane * result.output.size() + i]);
      result.output[i] = result.output[i] * kDigitBase + digit;
    }
  }
  return result;
}

}  // namespace vdla::check
