// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/program_payload.h"

#include "isa/codec/codec.h"
#include "runtime/container/payload_read.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<flatbuffers::Vector<std::uint8_t>> bytes(FlatBufferBuilder& b, const std::vector<std::byte>& data) {
  return b.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
}

Offset<fbs::MicroKernel> kernel(FlatBufferBuilder& b, const isa::MicroKernel& k) {
  std::vector<fbs::MicroLoop> loops;
  for (const isa::MicroLoop& l : k.loops) loops.emplace_back(l.count, l.acc, l.inp, l.wgt);
  return fbs::CreateMicroKernel(b, isa::encode_uop(k.base), b.CreateVectorOfStructs(loops));
}

isa::MicroKernel kernel(const fbs::MicroKernel& k) {
  isa::MicroKernel made{.base = isa::decode_uop(k.base()), .loops = {}};
  if (k.loops() != nullptr)
    for (const fbs::MicroLoop* l : *k.loops())
      made.loops.push_back({l->count(), l->acc(), l->inp(), l->wgt()});
  return made;
}

isa::SourceMap source_map(const fbs::Program& p) {
  isa::SourceMap map;
  map.layers = payload::list<isa::SourceLayer>(p.layers(), [](const fbs::SourceLayer& l) {
    return isa::SourceLayer{payload::text(l.name()), payload::text(l.op()), payload::text(l.schedule()),
                            decode_sources(l.sources())};
  });
  if (p.loops() != nullptr)
    for (const flatbuffers::String* loop : *p.loops()) map.loops.push_back(payload::text(loop));
  if (p.sources() != nullptr)
    for (const fbs::Source* s : *p.sources()) map.insns.push_back({s->layer(), s->loop()});
  return map;
}

constexpr std::size_t kTable = 128;  // more than the table, lengths and alignment of any row

}  // namespace

std::size_t encoded_bytes(const Sources& sources) {
  std::size_t bytes = kTable;
  for (const SourceTensor& s : sources) bytes += kTable + s.name.size();
  return bytes;
}

Offset<flatbuffers::Vector<Offset<fbs::SourceTensor>>> encode_sources(FlatBufferBuilder& b,
                                                                      const Sources& sources) {
  std::vector<Offset<fbs::SourceTensor>> rows;
  for (const SourceTensor& s : sources)
    rows.push_back(fbs::CreateSourceTensor(b, b.CreateString(s.name), static_cast<std::uint8_t>(s.likeness)));
  return b.CreateVector(rows);
}

Sources decode_sources(const flatbuffers::Vector<Offset<fbs::SourceTensor>>* sources) {
  return payload::list<SourceTensor>(sources, [](const fbs::SourceTensor& s) {
    VDLA_CHECK_USER(s.likeness() <= static_cast<std::uint8_t>(Likeness::From))
        << "tensor '" << payload::text(s.name()) << "' of the model has unknown likeness "
        << unsigned{s.likeness()};
    return SourceTensor{payload::text(s.name()), static_cast<Likeness>(s.likeness())};
  });
}

std::size_t encoded_bytes(const isa::Program& p) {
  std::size_t bytes = kTable + p.insns.size() * isa::kInsnBytes + p.constants.size() +
                      p.source_map.insns.size() * sizeof(fbs::Source);
  for (const isa::MicroKernel& k : p.kernels) bytes += kTable + k.loops.size() * sizeof(fbs::MicroLoop);
  for (const isa::EntryPoint& e : p.entries) bytes += kTable + e.name.size();
  for (const isa::SourceLayer& l : p.source_map.layers)
    bytes += kTable + l.name.size() + l.op.size() + l.schedule.size() + encoded_bytes(l.sources);
  for (const std::string& loop : p.source_map.loops) bytes += kTable + loop.size();
  return bytes;
}

Offset<fbs::Program> encode_program(FlatBufferBuilder& b, const isa::Program& p) {
  std::vector<Offset<fbs::MicroKernel>> kernels;
  for (const isa::MicroKernel& k : p.kernels) kernels.push_back(kernel(b, k));
  std::vector<Offset<fbs::EntryPoint>> entries;
  for (const isa::EntryPoint& e : p.entries)
    entries.push_back(fbs::CreateEntryPoint(b, b.CreateString(e.name), e.first_insn, e.insn_count));
  std::vector<Offset<fbs::SourceLayer>> layers;
  for (const isa::SourceLayer& l : p.source_map.layers)
    layers.push_back(fbs::CreateSourceLayer(b, b.CreateString(l.name), b.CreateString(l.op),
                                            b.CreateString(l.schedule), encode_sources(b, l.sources)));
  std::vector<fbs::Source> sources;
  for (const isa::Source& s : p.source_map.insns) sources.emplace_back(s.layer, s.loop);
  const std::vector<std::uint64_t> sizes(p.data_window_sizes.begin(), p.data_window_sizes.end());
  return fbs::CreateProgram(b, bytes(b, isa::insn_image(p)), b.CreateVector(kernels), bytes(b, p.constants),
                            b.CreateVector(sizes), b.CreateVector(entries), b.CreateVector(layers),
                            b.CreateVectorOfStrings(p.source_map.loops), b.CreateVectorOfStructs(sources));
}

isa::Program decode_program(const fbs::Program& p, const isa::Geometry& geometry) {
  isa::Program made;
  made.geometry = geometry;
  made.insns = isa::decode_stream(payload::bytes(p.insns()), geometry);
  made.kernels =
      payload::list<isa::MicroKernel>(p.kernels(), [](const fbs::MicroKernel& k) { return kernel(k); });
  made.constants = payload::bytes(p.constants());
  const std::vector<std::uint64_t> sizes = payload::numbers(p.data_window_sizes());
  VDLA_CHECK_USER(sizes.size() == made.data_window_sizes.size())
      << "a program has " << sizes.size() << " window sizes, needs " << made.data_window_sizes.size();
  std::copy(sizes.begin(), sizes.end(), made.data_window_sizes.begin());
  made.entries = payload::list<isa::EntryPoint>(p.entries(), [](const fbs::EntryPoint& e) {
    return isa::EntryPoint{payload::text(e.name()), e.first_insn(), e.insn_count()};
  });
  made.source_map = source_map(p);
  return made;
}

}  // namespace vdla::runtime
