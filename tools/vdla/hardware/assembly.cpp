// SPDX-License-Identifier: Apache-2.0
// vdla asm and vdla disasm: instruction streams as text and back.
#include <fmt/core.h>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/inert.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/trust.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void assemble_file(const std::string& source, const std::string& output, const std::string& uops,
                   const Context& context) {
  const isa::Assembly assembly = isa::assemble(read_text_of(source, "assembler text"), source);
  VDLA_CHECK_USER(assembly.uops.empty() || !uops.empty())
      << source << ": has " << assembly.uops.size()
      << " micro-ops (.uop), which are no part of the stream in " << output
      << "; give --uops FILE for their image";
  std::string bytes;
  for (const isa::InsnWords& words : assembly.insns) {
    std::string one(isa::kInsnBytes, '\0');
    for (std::size_t w = 0; w < words.size(); ++w)
      for (unsigned b = 0; b < 8; ++b) one[8 * w + b] = static_cast<char>(words[w] >> (8 * b));
    bytes += one;
  }
  write_file(output, bytes);
  if (!uops.empty()) write_file(uops, text_of(isa::encode_uops(assembly.uops)));
  ordered_json out{
      {"instructions", assembly.insns.size()}, {"micro_ops", assembly.uops.size()}, {"output", output}};
  if (!uops.empty()) out["uops"] = uops;
  context.report(out, [&] {
    fmt::print("{} instructions to {}\n", assembly.insns.size(), output);
    if (!uops.empty()) fmt::print("{} micro-ops to {}\n", assembly.uops.size(), uops);
  });
}

std::vector<isa::InsnWords> raw_words(const std::string& path) {
  const auto bytes = read_file(path);
  VDLA_CHECK_USER(!bytes.empty() && bytes.size() % isa::kInsnBytes == 0)
      << path << ": has " << bytes.size() << " bytes, an instruction stream needs a multiple of "
      << isa::kInsnBytes << " (or a .vdla module)";
  std::vector<isa::InsnWords> stream(bytes.size() / isa::kInsnBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    stream[i / isa::kInsnBytes][i % isa::kInsnBytes / 8] |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])}
                                                            << (8 * (i % 8));
  return stream;
}

std::vector<isa::Uop> raw_uops(const std::string& path) {
  const auto bytes = read_file(path);
  VDLA_CHECK_USER(bytes.size() % isa::kUopBytes == 0)
      << path << ": has " << bytes.size() << " bytes, an image of micro-ops needs a multiple of "
      << isa::kUopBytes;
  std::vector<isa::Uop> uops;
  for (std::size_t at = 0; at < bytes.size(); at += isa::kUopBytes) {
    std::uint64_t word = 0;
    for (unsigned b = 0; b < isa::kUopBytes; ++b)
      word |= std::uint64_t{static_cast<std::uint8_t>(bytes[at + b])} << (8 * b);
    uops.push_back(isa::decode_uop(word));
  }
  return uops;
}

void disassemble_file(const std::string& path, const std::string& uops, const TrustFlag& trust,
                      const Context& context) {
  ordered_json out = ordered_json::array();
  std::string text;
  auto add = [&](std::size_t index, const std::string& insn, const std::string& source) {
    out.push_back({{"index", index}, {"insn", insn}, {"source", source}});
    text += fmt::format("{}  ; {}{}\n", insn, index, source.empty() ? "" : ": " + comment_text(source));
  };
  const auto add_uop = [&](const isa::Uop& uop) {
    out.push_back({{"uop", isa::to_text(uop)}});
    text += isa::to_text(uop) + "\n";
  };
  if (kit::is_module(path)) {
    const runtime::Module module = trust.load(path);
    for (const auto& step : module.steps) {
      const auto* device = std::get_if<runtime::DeviceStep>(&step);
      if (device == nullptr) continue;
      const auto& program = device->program;
      for (std::size_t i = 0; i < program.insns.size(); ++i)
        add(i, isa::to_text(program.insns[i]), program.source_map.describe(i));
      for (const isa::Uop& uop : isa::expand(program.kernels)) add_uop(uop);
    }
    VDLA_CHECK_USER(uops.empty()) << path << ": --uops is for raw streams; a module brings its micro-ops";
  } else {
    trust.refuse_for(path);
    const auto stream = raw_words(path);
    for (std::size_t i = 0; i < stream.size(); ++i) add(i, isa::to_text(stream[i]), "");
    if (!uops.empty())
      for (const isa::Uop& uop : raw_uops(uops)) add_uop(uop);
  }
  context.report(out, [&] { fmt::print("{}", text); });
}

}  // namespace

void add_asm(CLI::App& app, Context& context) {
  auto source = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  auto uops = std::make_shared<std::string>();
  CLI::App* c =
      add_command(app, context, "asm", "Assemble text into an instruction stream",
                  "The syntax is in docs/isa. example: vdla asm program.s -o program.bin --uops program.uop",
                  [=, &context] { assemble_file(*source, *output, *uops, context); });
  c->add_option("source", *source, "Assembler text")->required();
  c->add_option("-o,--output", *output, "Instruction stream, 64 bytes each")->required();
  c->add_option("--uops", *uops, "Image of the micro-ops (.uop), 8 bytes each: what window uop holds");
}

void add_disasm(CLI::App& app, Context& context) {
  auto path = std::make_shared<std::string>();
  auto uops = std::make_shared<std::string>();
  auto trust = std::make_shared<TrustFlag>();
  CLI::App* c =
      add_command(app, context, "disasm", "Print the instructions of a module or of a raw stream",
                  "Each instruction carries its number, those of a module the layer and the loops that "
                  "they came from,\nas comments that asm skips.\n"
                  "example: vdla disasm net.vdla | less",
                  [=, &context] { disassemble_file(*path, *uops, *trust, context); });
  c->add_option("file", *path, "Compiled module (.vdla) or instruction stream")->required();
  c->add_option("--uops", *uops, "Image of the micro-ops that belong to an instruction stream");
  trust->add_to(*c);
}

}  // namespace vdla::tools
