// SPDX-License-Identifier: Apache-2.0
#include "isa/random/faulty.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/semantics/execute.h"
#include "isa/semantics/nest.h"
#include "isa/spec/errors.h"
#include "isa/spec/field.h"
#include "isa/verify/verify.h"
#include "support/bits.h"
#include "support/element_with.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

constexpr unsigned kKinds = 5;
constexpr unsigned kTries = 400;
/// Limit of an instruction at fault: it must not run for long before it fails.
constexpr std::uint64_t kMostWork = 5000;
/// Memory answers as a whole beat or not at all.
constexpr std::uint64_t kBeatBytes = 8;

void set_field(InsnWords& words, const Field& field, std::uint64_t value) {
  words[field.word()] = set_bits(words[field.word()], field.shift(), field.width, value);
}

/// Names on a side of a comparison are fields only where the side is made of fields: "block_in" of the
/// geometry is none.
bool is_of_fields(const Operand& operand) {
  return operand.kind == Operand::Kind::Fields || operand.kind == Operand::Kind::Bit;
}

/// A value at which something may happen: small, a depth, all ones, any.
std::uint64_t draw_value(Draw& draw, const Geometry& geometry, unsigned width) {
  switch (draw.between(0, 4)) {
    case 0:
      return 0;
    case 1:
      return static_cast<std::uint64_t>(draw.between(0, 15));
    case 2:
      return geometry.depth(static_cast<Buffer>(draw.between(0, kBuffers.size() - 1))) +
             static_cast<std::uint64_t>(draw.between(-3, 1));
    case 3:
      return low_mask(width);
    default:
      return draw.bits() & low_mask(width);
  }
}

/// Instructions of an opcode.
std::vector<std::uint32_t> places_of(const Program& program, Opcode opcode) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < program.insns.size(); ++i)
    if (opcode_of(program.insns[i]) == opcode) places.push_back(i);
  return places;
}

template <class T>
const T& pick(Draw& draw, const std::vector<T>& list) {
  return list[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(list.size()) - 1))];
}

bool make_illegal(FaultyProgram& f, Draw& draw) {
  const Program& p = f.random.program;
  const Rule& rule = rules()[f.rule - 1];
  const bool any = rule.count == 0;
  const Opcode opcode =
      any ? static_cast<Opcode>(kOpcodes[static_cast<std::size_t>(draw.between(0, kOpcodes.size() - 1))].code)
          : rule.opcode;
  const std::vector<std::uint32_t> places = places_of(p, opcode);
  if (places.empty()) return false;
  f.insn = pick(draw, places);
  f.words = break_rule(encode(p.insns[f.insn]), f.rule, p.geometry, draw);
  f.code = ErrorCode::IllegalInsn;
  f.unit = Unit::Fetch;
  f.what = "rule " + std::string(rule.name);
  return f.words.has_value();
}

/// The one kind of bounds that the program leaves, at one instruction; nothing else is wrong with it.
std::optional<FindingKind> only_finding(const Program& program, std::uint32_t insn) {
  VerifyOptions options;
  options.max_findings = 1000;
  std::optional<FindingKind> kind;
  for (const Finding& finding : verify(program, options).findings) {
    if (finding.kind == FindingKind::Unordered || finding.kind == FindingKind::Unwritten) continue;
    if (finding.insn != insn || (kind && *kind != finding.kind)) return std::nullopt;
    kind = finding.kind;
  }
  return kind;
}

/// Answers always.
class AnyMemory final : public Memory {
 public:
  bool read(std::uint64_t, std::span<std::byte> bytes) override {
    std::ranges::fill(bytes, std::byte{0});
    return true;
  }
  bool write(std::uint64_t, std::span<const std::byte>) override { return true; }
};

/// How an instruction ends, by the reference: what the verifier finds may wrap around and be inside after
/// all.
ErrorCode outcome(const Program& program, std::uint32_t insn) {
  Sram sram(program.geometry);
  const std::vector<Uop> image = expand(program.kernels);
  for (std::uint32_t i = 0; i < insn; ++i) {
    const auto* move = std::get_if<MemoryInsn>(&program.insns[i]);
    if (move == nullptr || move->buffer != Buffer::Uop) continue;
    for_each_run(*move, program.geometry, [&](const MemoryRun& run) {
      for (unsigned r = 0; r < move->run; ++r)
        sram.uop[run.entry + r] = encode_uop(image[run.offset / kUopBytes + r]);
      return true;
    });
  }
  Windows windows;
  for (const NamedCode& row : kWindows)
    windows[row.code] = {0, program.window_size(static_cast<vdla::isa::Window>(row.code))};
  AnyMemory memory;
  const std::optional<Fault> fault = execute(program.insns[insn], sram, windows, memory);
  return fault ? fault->code : ErrorCode::None;
}

/// Steps or pieces.
std::uint64_t work_of(const Insn& insn) {
  return std::visit(
      overloaded{
          [](const MemoryInsn& i) { return std::uint64_t{i.run} * i.x_total() * i.y_total() * i.z_count; },
          [](const FinishInsn&) { return std::uint64_t{0}; },
          [](const auto& i) {
            std::uint64_t steps = 1;
            for (const auto& level : i.levels) steps *= level.count;
            if constexpr (requires { i.uop_count; }) steps *= i.uop_count;
            return steps;
          },
      },
      insn);
}

bool loads_micro_ops(const Insn& insn) {
  const auto* move = std::get_if<MemoryInsn>(&insn);
  return move != nullptr && move->buffer == Buffer::Uop;
}

/// Changes fields of one instruction until it leaves its window (its buffer) and does nothing else wrong.
/// What it writes before that may disturb others, but no fault of theirs: only micro-ops become indices, and
/// loads of them stay as they are.
bool make_bounds(FaultyProgram& f, Draw& draw) {
  const FindingKind wanted =
      f.kind == FaultKind::Window ? FindingKind::WindowBounds : FindingKind::SramBounds;
  for (unsigned i = 0; i < kTries; ++i) {
    Program program = f.random.program;
    const auto at =
        static_cast<std::uint32_t>(draw.between(0, static_cast<std::int64_t>(program.insns.size()) - 2));
    if (loads_micro_ops(program.insns[at])) continue;
    InsnWords words = encode(program.insns[at]);
    const std::span<const Field> fields = fields_of(opcode_of(program.insns[at]));
    const Field& field =
        fields[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(fields.size()) - 1))];
    if (field.name == "opcode" || field.name == "pop" || field.name == "push") continue;
    set_field(words, field, draw_value(draw, program.geometry, field.width));
    if (find_broken_rule(words, program.geometry) != nullptr) continue;
    program.insns[at] = *try_decode(words);
    if (loads_micro_ops(program.insns[at]) || work_of(program.insns[at]) > kMostWork) continue;
    f.code = f.kind == FaultKind::Window ? ErrorCode::Window : ErrorCode::SramBounds;
    if (only_finding(program, at) != wanted || outcome(program, at) != f.code) continue;
    f.insn = at;
    f.unit = unit_of(program.insns[at]);
    f.what = "field " + std::string(field.name);
    f.words = words;
    return true;
  }
  return false;
}

/// Whether any byte of the instruction lies at or behind `end` of the window.
bool reaches(const Insn& insn, Window window, std::uint64_t end, const Geometry& geometry) {
  const auto* move = std::get_if<MemoryInsn>(&insn);
  if (move == nullptr || move->window != window) return false;
  const std::uint64_t bytes = std::uint64_t{move->run} * piece_bytes(*move, geometry);
  return !for_each_run(*move, geometry,
                       [&](const MemoryRun& run) { return run.pad || run.offset + bytes <= end; });
}

/// Memory ends before an instruction: fetch is at fault when its turn comes.
void end_stream(FaultyProgram& f, Draw& draw) {
  f.window = Window::Insn;
  f.insn = static_cast<std::uint32_t>(draw.between(0, static_cast<std::int64_t>(f.insn_count) - 1));
  f.window_end = std::uint64_t{f.insn} * kInsnBytes;
  f.unit = Unit::Fetch;
  f.code = ErrorCode::BusRead;
  f.what = "window insn ends in memory at byte " + std::to_string(f.window_end);
}

/// Memory ends inside a window, so that instructions of one unit alone meet the end: the first is at fault.
bool make_bus(FaultyProgram& f, Draw& draw) {
  const Program& p = f.random.program;
  constexpr Window kWindows[] = {Window::Uop,    Window::Const,  Window::Act,   Window::Input,
                                 Window::Output, Window::Spare0, Window::Spare1};
  if (draw.one_in(4)) {
    end_stream(f, draw);
    return true;
  }
  for (unsigned i = 0; i < kTries; ++i) {
    f.window = draw.pick(kWindows);
    const std::uint64_t size = p.window_size(f.window);
    f.window_end = static_cast<std::uint64_t>(draw.between(0, static_cast<std::int64_t>(size))) / kBeatBytes *
                   kBeatBytes;
    std::vector<std::uint32_t> at_fault;
    for (std::uint32_t k = 0; k < p.insns.size(); ++k)
      if (reaches(p.insns[k], f.window, f.window_end, p.geometry)) at_fault.push_back(k);
    if (at_fault.empty()) continue;
    f.insn = at_fault.front();
    f.unit = unit_of(p.insns[f.insn]);
    if (!std::ranges::all_of(at_fault, [&](std::uint32_t k) { return unit_of(p.insns[k]) == f.unit; }))
      continue;
    f.code = f.unit == Unit::Load ? ErrorCode::BusRead : ErrorCode::BusWrite;
    f.what = "window " + std::string(to_string(f.window)) + " ends in memory at byte " +
             std::to_string(f.window_end);
    return true;
  }
  return false;
}

bool make_no_finish(FaultyProgram& f, Draw& draw) {
  f.insn_count = static_cast<std::uint32_t>(draw.between(0, static_cast<std::int64_t>(f.insn_count) - 1));
  f.insn = f.insn_count;
  f.unit = Unit::Fetch;
  f.code = ErrorCode::NoFinish;
  f.what = "only " + std::to_string(f.insn_count) + " instructions";
  return true;
}

bool make_fault(FaultyProgram& f, Draw& draw) {
  switch (f.kind) {
    case FaultKind::Illegal:
      return make_illegal(f, draw);
    case FaultKind::Window:
    case FaultKind::Sram:
      return make_bounds(f, draw);
    case FaultKind::Bus:
      return make_bus(f, draw);
    case FaultKind::NoFinish:
      return make_no_finish(f, draw);
  }
  return false;
}

}  // namespace

std::optional<InsnWords> break_rule(const InsnWords& words, unsigned rule, const Geometry& geometry,
                                    Draw& draw) {
  const auto opcode = static_cast<Opcode>(words[0] & 0xf);
  const std::span<const Field> fields = fields_of(opcode);
  VDLA_CHECK(rule >= 1 && rule <= rules().size()) << "there is no rule " << rule;
  VDLA_CHECK(!fields.empty() && (rules()[rule - 1].count == 0 || rules()[rule - 1].opcode == opcode))
      << "rule " << rule << " is none of opcode " << static_cast<unsigned>(opcode);
  for (unsigned i = 0; i < kTries; ++i) {
    InsnWords broken = words;
    if (rule == kRuleOpcode) {
      set_field(broken, fields[0], draw.bits());
    } else if (rule == kRuleReserved) {
      const auto bit = static_cast<unsigned>(draw.between(0, kInsnWords * 64 - 1));
      broken[bit / 64] |= std::uint64_t{1} << (bit % 64);
    } else {
      // Fields that the rule speaks of; another one now and then, as a condition of the rule may need it.
      for (const Comparison& c : rules()[rule - 1].any_of())
        for (const std::string_view name : c.left.names)
          if (is_of_fields(c.left) && !name.empty() && draw.one_in(2)) {
            const Field& field = element_with(fields, name, &Field::name);
            set_field(broken, field, draw_value(draw, geometry, field.width));
          }
      if (draw.one_in(3)) {
        const Field& field =
            fields[static_cast<std::size_t>(draw.between(1, static_cast<std::int64_t>(fields.size()) - 1))];
        set_field(broken, field, draw_value(draw, geometry, field.width));
      }
    }
    const Rule* lowest = find_broken_rule(broken, geometry);
    if (lowest != nullptr && number_of(*lowest) == rule) return broken;
  }
  return std::nullopt;
}

FaultyProgram random_faulty_program(const Geometry& geometry, const RandomOptions& options) {
  FaultyProgram f;
  Draw draw(options.seed ^ 0xfa017);
  RandomOptions tried = options;
  while (true) {
    // Illegal words have the most ways to go wrong.
    f.kind = draw.one_in(2) ? FaultKind::Illegal : static_cast<FaultKind>(draw.between(1, kKinds - 1));
    f.rule = f.kind == FaultKind::Illegal
                 ? 1 + static_cast<unsigned>(draw.between(0, static_cast<std::int64_t>(rules().size()) - 1))
                 : 0;
    f.random = random_program(geometry, tried);
    f.insn_count = static_cast<std::uint32_t>(f.random.program.insns.size());
    if (make_fault(f, draw)) return f;
    tried.seed = draw.bits();
  }
}

}  // namespace vdla::isa
