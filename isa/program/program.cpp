// SPDX-License-Identifier: Apache-2.0
#include "isa/program/program.h"

#include "isa/codec/codec.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

void check_entries(const Program& program) {
  const std::size_t count = program.insns.size();
  const auto check_end = [&](std::size_t last, const std::string& what) {
    VDLA_CHECK_USER(std::holds_alternative<FinishInsn>(program.insns[last]))
        << what << " ends with " << to_string(opcode_of(program.insns[last])) << " (instruction " << last
        << "), needs finish";
  };
  VDLA_CHECK_USER(count != 0) << "the program has no instruction, needs at least finish";
  check_end(count - 1, "the program");
  for (const EntryPoint& e : program.entries) {
    VDLA_CHECK_USER(e.insn_count >= 1 && std::uint64_t{e.first_insn} + e.insn_count <= count)
        << "entry '" << e.name << "' is instructions " << e.first_insn << " to "
        << std::uint64_t{e.first_insn} + e.insn_count << ", the program has " << count;
    check_end(std::size_t{e.first_insn} + e.insn_count - 1, "entry '" + e.name + "'");
  }
}

void check_source_map(const Program& program) {
  const SourceMap& map = program.source_map;
  VDLA_CHECK_USER(map.insns.empty() || map.insns.size() == program.insns.size())
      << "the source map has " << map.insns.size() << " instructions, the program " << program.insns.size();
  for (std::size_t i = 0; i < map.insns.size(); ++i) {
    const Source& s = map.insns[i];
    VDLA_CHECK_USER((s.layer == Source::kNone || s.layer < map.layers.size()) &&
                    (s.loop == Source::kNone || s.loop < map.loops.size()))
        << "the source map of instruction " << i << " names layer " << s.layer << " of " << map.layers.size()
        << " and loop " << s.loop << " of " << map.loops.size();
  }
}

class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (std::byte b : bytes) value_ = (value_ ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3ull;
  }
  void add(std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    store_le(std::span<std::byte>(bytes), value);
    add(bytes);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace

const SourceLayer* SourceMap::layer_of(std::size_t insn) const {
  if (insn >= insns.size() || insns[insn].layer >= layers.size()) return nullptr;
  return &layers[insns[insn].layer];
}

std::string SourceMap::describe(std::size_t insn) const {
  const SourceLayer* layer = layer_of(insn);
  if (layer == nullptr) return {};
  std::string text = "layer '" + layer->name + "'";
  if (!layer->op.empty()) text += " (" + layer->op + ")";
  if (stands_for_one(layer->sources)) text += ", tensor '" + layer->sources.front().name + "' of the model";
  if (insns[insn].loop < loops.size()) text += ", loop " + loops[insns[insn].loop];
  return text;
}

std::uint64_t Program::uop_count() const {
  std::uint64_t total = 0;
  for (const MicroKernel& kernel : kernels) total += kernel.size();
  return total;
}

std::uint64_t Program::window_size(Window window) const {
  switch (window) {
    case Window::Insn:
      return insns.size() * kInsnBytes;
    case Window::Uop:
      return uop_count() * kUopBytes;
    case Window::Const:
      return constants.size();
    default:
      return data_window_sizes[static_cast<std::size_t>(window)];
  }
}

std::vector<std::byte> insn_image(const Program& program) { return encode_stream(program.insns); }

std::vector<std::byte> uop_image(const Program& program) { return encode_uops(expand(program.kernels)); }

void check(const Program& program) {
  validate(program.geometry);
  for (std::size_t i = 0; i < program.insns.size(); ++i)
    if (const Rule* rule = find_broken_rule(program.insns[i], program.geometry)) {
      const std::string source = program.source_map.describe(i);
      throw UserError("instruction " + std::to_string(i) + (source.empty() ? "" : " of " + source) +
                      " is illegal: " + describe_rule(number_of(*rule)));
    }
  check_entries(program);
  check_source_map(program);
  for (std::size_t k = 0; k < program.kernels.size(); ++k)
    VDLA_CHECK_USER(program.kernels[k].size() >= 1 && program.kernels[k].size() <= kMaxDepth)
        << "micro-kernel " << k << " expands to none or more than " << kMaxDepth << " micro-ops";
}

std::uint64_t content_hash(const Program& program) {
  Hash hash;
  hash.add(geometry_hash(program.geometry));
  hash.add(insn_image(program));
  hash.add(uop_image(program));
  hash.add(program.constants);
  for (std::uint64_t size : program.data_window_sizes) hash.add(size);
  return hash.value();
}

}  // namespace vdla::isa
