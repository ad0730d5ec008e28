// SPDX-License-Identifier: Apache-2.0
#include "kit/insn_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"

namespace vdla::kit {
namespace {

/// Number of an element in the order of the network's value.
std::size_t number_in_value(const ModelTensor& t, std::size_t element) {
  if (t.order.empty()) return element;
  const std::vector<std::int64_t> index = index_of(element, t.shape);
  std::int64_t number = 0;
  for (const int d : t.order)
    number = number * t.shape[static_cast<std::size_t>(d)] + index[static_cast<std::size_t>(d)];
  return static_cast<std::size_t>(number);
}

/// Byte of an element, by its number, in a place on the device.
std::uint64_t byte_of(const runtime::DeviceLayout& layout, const runtime::Tensor& t, std::size_t number) {
  const std::vector<std::int64_t> index = index_of(number, t.shape);
  const std::int64_t c = index.empty() ? 0 : index.back();
  std::int64_t at = c / layout.block * layout.block_stride +
                    c % layout.block * static_cast<std::int64_t>(runtime::bytes_of(t.type));
  for (std::size_t d = 0; d + 1 < index.size(); ++d) at += index[d] * layout.strides[d];
  return static_cast<std::uint64_t>(at);
}

/// Place of a byte: in a window, or in buffer inp.
struct BytePlace {
  std::size_t step;
  std::optional<isa::Window> window;
  std::uint64_t offset;
  std::vector<std::uint32_t> layers;  ///< layers that write there; empty: any
};

bool stands_for(const runtime::Tensor& t, const std::string& name) {
  return std::ranges::any_of(
      t.sources, [&](const SourceTensor& s) { return s.likeness <= Likeness::Reordered && s.name == name; });
}

std::optional<BytePlace> place_of(const runtime::Module& module, const ModelTensor& tensor,
                                  std::size_t number) {
  const std::size_t bytes = tensor.bytes.size();
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    const auto* step = std::get_if<runtime::DeviceStep>(&module.steps[i]);
    if (step == nullptr) continue;
    for (const runtime::InnerTensor& t : step->inner)
      if (stands_for(t.tensor, tensor.name) && t.tensor.bytes() == bytes)
        return BytePlace{i, t.window, t.offset + byte_of(t.layout, t.tensor, number), t.layers};
    for (const runtime::DeviceTensor& d : step->outputs)
      if (const runtime::Tensor& t = module.tensors[d.tensor];
          stands_for(t, tensor.name) && t.bytes() == bytes)
        return BytePlace{i, d.window, d.offset + byte_of(d.layout, t, number), {}};
  }
  return std::nullopt;
}

/// Finds the last instruction that writes a byte.
class LastWriter final : public RunProbe {
 public:
  LastWriter(const runtime::Module& module, BytePlace place)
      : program_(std::get<runtime::DeviceStep>(module.steps[place.step]).program), place_(std::move(place)) {}

  void tensor(const runtime::Tensor&, std::span<const std::byte>) override {}
  void insn(std::size_t step, std::uint32_t insn, const trace::Writes& writes) override {
    if (step == place_.step && is_of_layers(insn) && writes_place(insn, writes)) last_ = insn;
  }
  std::optional<std::uint32_t> last() const { return last_; }

 private:
  bool is_of_layers(std::uint32_t insn) const {
    const auto& insns = program_.source_map.insns;
    return place_.layers.empty() ||
           (insn < insns.size() &&
            std::ranges::find(place_.layers, insns[insn].layer) != place_.layers.end());
  }
  bool writes_place(std::uint32_t insn, const trace::Writes& writes) const {
    if (!place_.window)
      return std::ranges::any_of(writes.rows, [&](const trace::Writes::Row& row) {
        return row.buffer == isa::Buffer::Inp && place_.offset / row.count == row.row;
      });
    const auto* store = std::get_if<isa::MemoryInsn>(&program_.insns[insn]);
    if (store == nullptr || store->opcode != isa::Opcode::Store || store->window != *place_.window)
      return false;
    const std::uint64_t bytes = std::uint64_t{store->run} * isa::piece_bytes(*store, program_.geometry);
    bool found = false;
    isa::for_each_run(*store, program_.geometry, [&](const isa::MemoryRun& run) {
      found = place_.offset >= run.offset && place_.offset - run.offset < bytes;
      return !found;
    });
    return found;
  }

  const isa::Program& program_;
  const BytePlace place_;
  std::optional<std::uint32_t> last_;
};

/// Keeps the bytes that one instruction writes, by place.
class InsnBytes final : public RunProbe {
 public:
  InsnBytes(const isa::Geometry& geometry, const InsnPlace& place) : geometry_(geometry), place_(place) {}

  void tensor(const runtime::Tensor&, std::span<const std::byte>) override {}
  void insn(std::size_t step, std::uint32_t insn, const trace::Writes& writes) override {
    if (InsnPlace{step, insn} != place_) return;
    for (const trace::Writes::Row& row : writes.rows) {
      const unsigned rows = geometry_.rows(row.buffer);
      for (std::size_t i = 0; i < row.count; ++i)
        bytes_[fmt::format("entry {} of {}, byte {}", row.row / rows, isa::to_string(row.buffer),
                           row.row % rows * row.count + i)] =
            static_cast<unsigned>(writes.bytes[row.begin + i]);
    }
    for (const trace::Writes::Word& word : writes.words)
      for (unsigned i = 0; i < 8; ++i)
        if ((word.mask >> i & 1u) != 0)
          bytes_[fmt::format("memory at {:#x}", word.address + i)] = word.value >> (8 * i) & 0xffu;
  }
  const std::map<std::string, unsigned>& bytes() const { return bytes_; }

 private:
  const isa::Geometry& geometry_;
  const InsnPlace place_;
  std::map<std::string, unsigned> bytes_;
};

}  // namespace

std::optional<InsnPlace> first_insn_that_differs(const ReadTensors& left, const ReadTensors& right) {
  for (const auto& [place, digest] : left.digests()) {
    const auto other = right.digests().find(place);
    if (other == right.digests().end() || other->second != digest)
      return InsnPlace{place.first, place.second};
  }
  return std::nullopt;
}

std::optional<InsnPlace> writer_of(const runtime::Module& module, const ModelTensor& tensor,
                                   std::size_t element, const ProbedRun& run) {
  const std::optional<BytePlace> place = place_of(module, tensor, number_in_value(tensor, element));
  if (!place) return std::nullopt;
  LastWriter writer(module, *place);
  run(writer);
  return writer.last() ? std::optional(InsnPlace{place->step, *writer.last()}) : std::nullopt;
}

std::optional<WriteDifference> written_otherwise(const runtime::Module& module, const InsnPlace& insn,
                                                 const ProbedRun& left, const ProbedRun& right) {
  const isa::Geometry& geometry = module.variant.geometry;
  InsnBytes a(geometry, insn), b(geometry, insn);
  left(a);
  right(b);
  for (const auto& [place, byte] : a.bytes()) {
    const auto other = b.bytes().find(place);
    if (other != b.bytes().end() && other->second != byte) return WriteDifference{place, byte, other->second};
  }
  return std::nullopt;
}

}  // namespace vdla::kit
