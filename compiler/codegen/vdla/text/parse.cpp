// SPDX-License-Identifier: Apache-2.0
// Lines of the kit's own are read one by one; what is assembler text in the others goes to the assembler in
// one piece, at the same lines and columns.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "compiler/codegen/vdla/text/text.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/parse.h"
#include "isa/asm/asm.h"
#include "isa/asm/cursor.h"
#include "isa/codec/codec.h"
#include "isa/variants/variants.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using nlohmann::ordered_json;

constexpr unsigned kEntryBits = 17;   // a count of entries, up to 2^16
constexpr unsigned kStrideBits = 40;  // bits of a stride of micro-kernels
constexpr unsigned kNumberBits = 31;

/// The text line by line.
class StreamLines {
 public:
  StreamLines(std::string_view text, std::string_view origin) : rest_(text), origin_(origin) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  unsigned number() const { return number_; }
  std::string_view origin() const { return origin_; }

  /// Cursor in the line at hand, from column `begin` on; until the next call.
  isa::Cursor cursor(std::size_t begin = 0) {
    padded_ = std::string(begin, ' ') + std::string(line_.substr(begin));
    return {padded_, origin_, number_};
  }

  /// Reads what stands in the line from the first `opening` on.
  template <class T>
  T json(char opening) const {
    const std::size_t at = std::min(line_.find(opening), line_.size());
    constexpr int kDeepest = 64;
    const auto shallow = [&](int depth, ordered_json::parse_event_t, const ordered_json&) {
      if (depth > kDeepest) fail(number_, fmt::format("JSON is nested deeper than {} levels", kDeepest));
      return true;
    };
    try {
      return ordered_json::parse(line_.substr(at), shallow).template get<T>();
    } catch (const ordered_json::exception& e) {
      throw UserError(fmt::format("{}:{}:{}: is no JSON of the kind that is needed here: {}", origin_,
                                  number_, at + 1, e.what()));
    }
  }

  [[noreturn]] void fail(unsigned number, const std::string& why) const {
    throw UserError(fmt::format("{}:{}:1: {}", origin_, number, why));
  }

 private:
  std::string_view rest_, line_, origin_;
  unsigned number_ = 0;
  std::string padded_;
};

void expect_end(isa::Cursor& c) {
  if (!c.at_end()) c.fail_here("more text than the line needs");
}

isa::Buffer parse_buffer(isa::Cursor& c) {
  const std::string_view name = c.word();
  const auto found = std::ranges::find(isa::kBuffers, name, &isa::NamedCode::text);
  if (found == isa::kBuffers.end()) c.fail_last(fmt::format("'{}' is no buffer", name));
  return static_cast<isa::Buffer>(found->code);
}

std::int64_t in_brackets(isa::Cursor& c, const char* what, unsigned bits) {
  c.expect("[");
  const std::int64_t value = c.number(what, bits);
  c.expect("]");
  return value;
}

/// "rows 1", or nothing where all are used.
bool takes_one_row(isa::Cursor& c) {
  const bool says = c.take("rows");
  if (says && c.number("rows", kNumberBits) != 1) c.fail_last("one row is used, or (without 'rows') all");
  return says;
}

/// "2 * (0, 35, 0), 3 * (5, 0, 9)"
MicroKernel parse_loops(isa::Cursor& c) {
  MicroKernel kernel;
  std::int64_t size = 1;
  while (!c.at_end()) {
    if (!kernel.empty()) c.expect(",");
    MicroKernelLoop loop{};
    loop.count = c.number("a count", kEntryBits);
    c.expect("*");
    const char* separator = "(";
    for (std::int64_t* stride : {&loop.acc, &loop.inp, &loop.wgt}) {
      c.expect(separator);
      *stride = c.number("a stride", kStrideBits, true);
      separator = ",";
    }
    c.expect(")");
    size *= loop.count;
    if (size < 1 || size > isa::kMaxDepth)
      c.fail_last(fmt::format("a micro-kernel has 1 to {} micro-ops", isa::kMaxDepth));
    kernel.push_back(loop);
  }
  return kernel;
}

class StreamParser {
 public:
  StreamParser(std::string_view text, std::string_view origin) : lines_(text, origin) {}

  Stream parse() {
    while (lines_.next()) {
      if (lines_.number() > 1) assembly_ += '\n';
      parse_line();
    }
    if (!has_header_) lines_.fail(1, "the text has no line, needs 'stream {...}'");
    take_instructions();
    return std::move(stream_);
  }

 private:
  void parse_line() {
    const std::size_t begin = lines_.line().find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || lines_.line()[begin] == '#') return;
    isa::Cursor c = lines_.cursor();
    if (!has_header_) {
      c.expect("stream");
      const bool one = takes_one_row(c);
      stream_.geometry = geometry();
      stream_.rows = one ? 1 : stream_.geometry.batch;
      stream_.intrinsics = intrinsics::device_intrinsics(stream_.used());
      has_header_ = true;
    } else if (c.take("kernel")) {
      parse_kernel(c);
    } else if (c.take("layer")) {
      parse_layer(c);
    } else if (c.take("loops")) {
      if (stream_.layers.empty()) c.fail_last("loops stand behind a layer");
      stream_.sources.push_back({stream_.layers.size() - 1, lines_.json<std::string>('"')});
    } else if (c.take("begin")) {
      parse_begin(c);
    } else if (c.take("end")) {
      mark(Mark::Kind::End, parse_instance(c));
      expect_end(c);
    } else if (c.take("call")) {
      parse_call(c);
    } else {
      parse_instruction(c);
    }
  }

  isa::Geometry geometry() {
    const ordered_json variant{{"name", "stream"}, {"geometry", lines_.json<ordered_json>('{')}};
    const std::string where = fmt::format("{}:{}", lines_.origin(), lines_.number());
    return isa::parse_variant(variant.dump(), where, false).geometry;
  }

  void parse_kernel(isa::Cursor& c) {
    const std::size_t at = stream_.kernels.size();
    if (c.number("a micro-kernel", kNumberBits) != static_cast<std::int64_t>(at))
      c.fail_last(fmt::format("micro-kernels are numbered from 0; this is number {}", at));
    if (stream_.kernels.add(parse_loops(c)) != at) c.fail_last("this micro-kernel stands above already");
  }

  void parse_layer(isa::Cursor& c) {
    const auto parts = lines_.json<std::vector<std::string>>('[');
    if (parts.size() != 3) c.fail_last("a layer has a name, an operator and a schedule");
    stream_.layers.push_back({parts[0], parts[1], parts[2]});
  }

  void parse_begin(isa::Cursor& c) {
    c.expect("%");
    const std::int64_t number = c.number("an instance", kNumberBits);
    const auto id = static_cast<InstanceId>(stream_.instances.size());
    if (!instances_.try_emplace(number, id).second) c.fail_last("this instance has begun before");
    Instance instance{};
    instance.buffer = parse_buffer(c);
    instance.entries = in_brackets(c, "entries", kEntryBits);
    if (c.take("at")) instance.first = c.number("an entry", kEntryBits);
    instance.name = lines_.json<std::string>('"');
    stream_.instances.push_back(std::move(instance));
    mark(Mark::Kind::Begin, id);
  }

  InstanceId parse_instance(isa::Cursor& c) {
    c.expect("%");
    const auto found = instances_.find(c.number("an instance", kNumberBits));
    if (found == instances_.end()) c.fail_last("no such instance has begun");
    return found->second;
  }

  void mark(Mark::Kind kind, std::size_t id) {
    stream_.marks.push_back({kind, static_cast<std::uint32_t>(id), stream_.insns.size()});
  }

  void parse_call(isa::Cursor& c) {
    if (stream_.layers.empty()) c.fail_last("a call stands behind a layer");
    FunctionCall call{stream_.layers.size() - 1, {}, {}};
    while (!c.at_end()) {
      if (!call.places.empty()) c.expect(",");
      call.places.push_back(parse_place(c));
    }
    std::string text;
    const unsigned first = lines_.number() + 1;
    while (lines_.next()) {
      assembly_ += '\n';
      text += std::string(lines_.line()) + "\n";
      if (lines_.line() == "}") break;
    }
    try {
      call.func = loop::parse(text);
    } catch (const UserError& error) {
      lines_.fail(first, fmt::format("in the function that begins here: {}", error.what()));
    }
    mark(Mark::Kind::Call, stream_.calls.size());
    stream_.calls.push_back(std::move(call));
  }

  std::variant<DramPlace, StoragePlace> parse_place(isa::Cursor& c) {
    const std::string_view name = c.word();
    const auto window = std::ranges::find(isa::kWindows, name, &isa::NamedCode::text);
    if (window != isa::kWindows.end())
      return DramPlace{static_cast<isa::Window>(window->code),
                       static_cast<std::uint64_t>(in_brackets(c, "an offset", 48))};
    if (std::ranges::find(isa::kBuffers, name, &isa::NamedCode::text) == isa::kBuffers.end())
      c.fail_last(fmt::format("'{}' is no window and no buffer", name));
    const InstanceId id = parse_instance(c);
    return StoragePlace{id, in_brackets(c, "an entry", kEntryBits)};
  }

  void parse_instruction(isa::Cursor& c) {
    if (stream_.sources.empty())
      c.fail_here("instructions stand behind the line 'loops' that they come from");
    const std::string_view line = lines_.line();
    std::size_t begin = 0;
    if (c.at_number()) {
      const std::int64_t number = c.number("the number of an instruction", kNumberBits);
      if (!numbers_.try_emplace(number, stream_.insns.size()).second)
        c.fail_last("an instruction above has this number");
      c.expect(":");
      begin = line.find(':') + 1;
    }
    StreamInsn s{};
    s.source = stream_.sources.size() - 1;
    std::size_t end = std::min({line.find(';'), line.find("//"), line.size()});
    for (const std::string_view clause : {" in ", " kernel ", " after "})
      end = std::min(end, line.substr(0, end).find(clause));
    assembly_ += std::string(begin, ' ') + std::string(line.substr(begin, end - begin));
    isa::Cursor clauses = lines_.cursor(end);
    parse_clauses(clauses, s);
    line_of_insn_.push_back(lines_.number());
    stream_.insns.push_back(s);
  }

  void parse_clauses(isa::Cursor& c, StreamInsn& s) {
    if (c.take("in")) {
      std::size_t operand = 0;
      do {
        if (operand == s.storage.size()) c.fail_last("an instruction has at most three operands");
        if (!c.take("-")) s.storage[operand] = parse_instance(c);
        ++operand;
      } while (c.take(","));
    }
    if (c.take("kernel")) {
      s.kernel = static_cast<std::size_t>(c.number("a micro-kernel", kNumberBits));
      if (s.kernel >= stream_.kernels.size()) c.fail_last("no such micro-kernel stands above");
      s.loaded = c.take("loaded");
    }
    if (c.take("after")) {
      do {
        const auto found = numbers_.find(c.number("the number of an instruction", kNumberBits));
        if (found == numbers_.end()) c.fail_last("no instruction above has this number");
        waits_.emplace_back(stream_.insns.size(), found->second);
      } while (c.take(","));
    }
    expect_end(c);
  }

  /// Takes what the assembler makes of all lines.
  void take_instructions() {
    const isa::Assembly assembly = isa::assemble(assembly_, lines_.origin());
    for (std::size_t i = 0; i < line_of_insn_.size(); ++i) {
      if (i >= assembly.lines.size() || assembly.lines[i] != line_of_insn_[i])
        lines_.fail(line_of_insn_[i], "this line has no instruction");
      const auto insn = isa::try_decode(assembly.insns[i]);
      if (!insn) lines_.fail(line_of_insn_[i], "these words are no instruction");
      if (std::holds_alternative<isa::FinishInsn>(*insn))
        lines_.fail(line_of_insn_[i], "finish comes when the stream is encoded; leave it out");
      stream_.insns[i].insn = *insn;
    }
    for (const auto& [to, from] : waits_) {
      std::int32_t& latest =
          stream_.insns[to].after[static_cast<std::size_t>(isa::unit_of(stream_.insns[from].insn))];
      latest = std::max(latest, static_cast<std::int32_t>(from));
    }
  }

  StreamLines lines_;
  bool has_header_ = false;
  Stream stream_;
  std::map<std::int64_t, InstanceId> instances_;            ///< instances by their numbers in the text
  std::map<std::int64_t, std::size_t> numbers_;             ///< instructions that others wait for, by number
  std::vector<std::pair<std::size_t, std::size_t>> waits_;  ///< instruction, what it waits for
  std::string assembly_;                                    ///< a line for each of the text
  std::vector<unsigned> line_of_insn_;                      ///< lines of the instructions
};

}  // namespace

Stream parse(std::string_view text, std::string_view origin) { return StreamParser(text, origin).parse(); }

bool is_stream_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!line.empty() && line[0] != '#') return line.starts_with("stream ") || line.starts_with("stream{");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace vdla::codegen
