// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "compiler/codegen/vdla/text/text.h"
#include "compiler/loop/print.h"
#include "isa/asm/asm.h"
#include "isa/variants/variants.h"

namespace vdla::codegen {
namespace {

using nlohmann::ordered_json;

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string geometry_text(const isa::Geometry& geometry) {
  return json_line(ordered_json::parse(isa::to_json({"stream", geometry, {}}))["geometry"]);
}

std::string kernel_text(const MicroKernel& kernel) {
  std::vector<std::string> loops;
  for (const MicroKernelLoop& l : kernel)
    loops.push_back(fmt::format("{} * ({}, {}, {})", l.count, l.acc, l.inp, l.wgt));
  return loops.empty() ? "" : fmt::format(" {}", fmt::join(loops, ", "));
}

class StreamPrinter {
 public:
  explicit StreamPrinter(const Stream& stream)
      : stream_(stream), instances_(stream.instances.size()), numbers_(stream.insns.size(), 0) {
    unsigned begun = 0;
    for (const Mark& mark : stream.marks)
      if (mark.kind == Mark::Kind::Begin) instances_[mark.id] = begun++;
    std::vector<bool> waited_for(stream.insns.size());
    for (const StreamInsn& s : stream.insns)
      for (const std::int32_t from : s.after)
        if (from != kNever) waited_for[static_cast<std::size_t>(from)] = true;
    unsigned next = 1;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (waited_for[i]) numbers_[i] = next++;
  }

  std::string print() {
    text_ = fmt::format("stream {}{}\n", stream_.rows == stream_.geometry.batch ? "" : "rows 1 ",
                        geometry_text(stream_.geometry));
    for (std::size_t k = 0; k < stream_.kernels.size(); ++k)
      text_ += fmt::format("kernel {}{}\n", k, kernel_text(stream_.kernels[k]));
    for_each_item(
        stream_.marks, stream_.insns, [&](const Mark& mark) { print(mark); },
        [&](std::size_t i) { print(stream_.insns[i], numbers_[i]); });
    return std::move(text_);
  }

 private:
  void print(const Mark& mark) {
    switch (mark.kind) {
      case Mark::Kind::Begin: {
        // The source of an instance that expand made is that of the instruction behind it.
        const Instance& i = stream_.instances[mark.id];
        if (!i.first && mark.at < stream_.insns.size()) take_source(stream_.insns[mark.at].source);
        text_ += fmt::format("begin %{} {}[{}]{} {}\n", instances_[mark.id], isa::to_string(i.buffer),
                             i.entries, i.first ? fmt::format(" at {}", *i.first) : "", json_line(i.name));
        return;
      }
      case Mark::Kind::End:
        text_ += fmt::format("end %{}\n", instances_[mark.id]);
        return;
      case Mark::Kind::Call:
        return print(stream_.calls[mark.id]);
    }
  }

  void print(const FunctionCall& call) {
    take_layer(call.layer);
    std::vector<std::string> places;
    for (const auto& place : call.places) {
      if (const auto* dram = std::get_if<DramPlace>(&place)) {
        places.push_back(fmt::format("{}[{}]", isa::to_string(dram->window), dram->offset));
      } else {
        const auto& [id, first] = std::get<StoragePlace>(place);
        places.push_back(
            fmt::format("{} %{}[{}]", isa::to_string(stream_.instances[id].buffer), instances_[id], first));
      }
    }
    text_ += fmt::format("call{}{}\n{}", places.empty() ? "" : " ", fmt::join(places, ", "),
                         loop::to_string(call.func));
  }

  void print(const StreamInsn& s, unsigned number) {
    take_source(s.source);
    if (number != 0) text_ += fmt::format("{}: ", number);
    text_ += isa::to_text(s.insn);
    std::size_t operands = s.storage.size();
    while (operands > 0 && s.storage[operands - 1] == kNoInstance) --operands;
    for (std::size_t o = 0; o < operands; ++o) {
      text_ += o == 0 ? " in " : ", ";
      text_ += s.storage[o] == kNoInstance ? "-" : fmt::format("%{}", instances_[s.storage[o]]);
    }
    if (s.kernel != kNoKernel) text_ += fmt::format(" kernel {}{}", s.kernel, s.loaded ? " loaded" : "");
    const char* separator = " after ";
    for (const std::int32_t from : s.after) {
      if (from == kNever) continue;
      text_ += fmt::format("{}{}", separator, numbers_[static_cast<std::size_t>(from)]);
      separator = ", ";
    }
    text_ += "\n";
  }

  void take_source(std::size_t source) {
    if (source_ == source) return;
    source_ = source;
    take_layer(stream_.sources[source].layer);
    text_ += fmt::format("loops {}\n", json_line(stream_.sources[source].loops));
  }

  void take_layer(std::size_t layer) {
    if (layer_ == layer) return;
    layer_ = layer;
    const isa::SourceLayer& l = stream_.layers[layer];
    text_ += fmt::format("layer {}\n", json_line(ordered_json::array({l.name, l.op, l.schedule})));
  }

  const Stream& stream_;
  std::vector<unsigned> instances_;  ///< their numbers in the text: in the order in which they begin
  std::vector<unsigned> numbers_;    ///< numbers of instructions that others wait for; 0: none does
  std::optional<std::size_t> source_, layer_;
  std::string text_;
};

}  // namespace

std::string print(const Stream& stream) { return StreamPrinter(stream).print(); }

}  // namespace vdla::codegen
