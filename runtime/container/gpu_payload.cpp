// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/gpu_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/container/gpu_generated.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/payload_read.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using payload::copied;
using payload::list;
using payload::numbers;
using payload::structs;
using payload::text;

/// Sizes that no memory of this machine could hold stay too large, which the check of modules refuses.
std::size_t size(std::uint64_t n) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(n, std::numeric_limits<std::size_t>::max()));
}
std::vector<std::size_t> sizes(std::span<const std::uint64_t> list) {
  std::vector<std::size_t> made;
  for (const std::uint64_t n : list) made.push_back(size(n));
  return made;
}

fbs::GpuGrid grid(const std::array<std::size_t, 3>& n) { return {n[0], n[1], n[2]}; }
std::array<std::size_t, 3> grid(const fbs::GpuGrid* n) {
  return n ? std::array<std::size_t, 3>{size(n->x()), size(n->y()), size(n->z())}
           : std::array<std::size_t, 3>{};
}

std::vector<fbs::GpuTensor> tensors(const std::vector<GpuTensor>& list) {
  std::vector<fbs::GpuTensor> made;
  for (const GpuTensor& t : list) made.emplace_back(t.tensor, static_cast<std::uint32_t>(t.buffer));
  return made;
}
std::vector<GpuTensor> tensors(const flatbuffers::Vector<const fbs::GpuTensor*>* list) {
  std::vector<GpuTensor> made;
  for (const fbs::GpuTensor& t : structs(list)) made.push_back({t.tensor(), t.buffer()});
  return made;
}

std::size_t text_bytes(const GpuSegment& s) {
  std::size_t bytes = 0;
  for (const gpu::Part& part : s.program.parts) bytes += part.text.size() + part.loop_ir.size();
  return bytes;
}

template <class T, class Make>
auto tables(FlatBufferBuilder& b, const std::vector<T>& values, Make make) {
  std::vector<decltype(make(values.front()))> offsets;
  for (const T& value : values) offsets.push_back(make(value));
  return b.CreateVector(offsets);
}

Offset<fbs::GpuSegment> segment(FlatBufferBuilder& b, const GpuSegment& s) {
  const auto layers = tables(b, s.layers, [&](const GpuLayer& l) {
    return fbs::CreateGpuLayerDirect(b, static_cast<std::uint32_t>(l.launches), l.by.c_str(),
                                     l.knobs.c_str());
  });
  const auto parts = tables(b, s.program.parts, [&](const gpu::Part& p) {
    const auto bytes = b.CreateVector(reinterpret_cast<const std::uint8_t*>(p.text.data()), p.text.size());
    return fbs::CreateGpuPart(b, bytes, b.CreateString(p.loop_ir));
  });
  const auto launches = tables(b, s.program.launches, [&](const gpu::Launch& l) {
    const auto kernel = b.CreateString(l.kernel);
    const auto arguments = b.CreateVector(std::vector<std::uint32_t>(l.arguments.begin(), l.arguments.end()));
    const fbs::GpuGrid blocks = grid(l.blocks), threads = grid(l.threads);
    return fbs::CreateGpuLaunch(b, kernel, &blocks, &threads, arguments, l.shared_bytes,
                                static_cast<std::uint32_t>(l.part));
  });
  const auto buffer_bytes = b.CreateVector(
      std::vector<std::uint64_t>(s.program.buffer_bytes.begin(), s.program.buffer_bytes.end()));
  const auto offsets =
      b.CreateVector(std::vector<std::uint64_t>(s.program.offsets.begin(), s.program.offsets.end()));
  const auto inputs = b.CreateVectorOfStructs(tensors(s.inputs));
  const auto outputs = b.CreateVectorOfStructs(tensors(s.outputs));
  const auto constants = b.CreateVectorOfStructs(tensors(s.constants));
  return fbs::CreateGpuSegment(b, b.CreateString(s.kind), static_cast<std::uint32_t>(s.first_step), layers,
                               parts, buffer_bytes, launches, inputs, outputs, constants, offsets);
}

gpu::Launch launch(const fbs::GpuLaunch& l) {
  const auto arguments = numbers(l.arguments());
  return {.kernel = text(l.kernel()),
          .blocks = grid(l.blocks()),
          .threads = grid(l.threads()),
          .arguments = {arguments.begin(), arguments.end()},
          .shared_bytes = size(l.shared_bytes()),
          .part = l.part()};
}

gpu::Part part(const fbs::GpuPart& p) {
  const auto bytes = payload::bytes(p.text());
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, text(p.loop_ir())};
}

GpuSegment segment(const fbs::GpuSegment& s) {
  GpuSegment made;
  made.kind = text(s.kind());
  made.first_step = s.first_step();
  made.layers = list<GpuLayer>(s.layers(), [](const fbs::GpuLayer& l) {
    return GpuLayer{l.launches(), text(l.by()), text(l.knobs())};
  });
  made.program.parts = list<gpu::Part>(s.parts(), part);
  made.program.buffer_bytes = sizes(numbers(s.buffer_bytes()));
  made.program.offsets = sizes(numbers(s.offsets()));
  made.program.launches = list<gpu::Launch>(s.launches(), launch);
  made.inputs = tensors(s.inputs());
  made.outputs = tensors(s.outputs());
  made.constants = tensors(s.constants());
  return made;
}

}  // namespace

std::optional<Bytes> encode_gpu(const Module& module) {
  if (module.gpu.empty()) return std::nullopt;
  std::size_t bytes = 0;
  for (const GpuSegment& s : module.gpu) bytes += text_bytes(s);
  // All but the texts is small beside them.
  VDLA_CHECK_USER(bytes <= kMaxPayloadBytes / 2)
      << "the kernels of the GPU need " << bytes << " bytes of text, a module has room for "
      << kMaxPayloadBytes / 2 << "; split the network";
  FlatBufferBuilder b(1 << 16);
  const auto segments = tables(b, module.gpu, [&](const GpuSegment& s) { return segment(b, s); });
  b.Finish(fbs::CreateGpu(b, segments));
  const auto* begin = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  return Bytes(begin, begin + b.GetSize());
}

void decode_gpu(std::span<const std::byte> bytes, const std::string& name, Module& module) {
  VDLA_CHECK_USER(bytes.size() <= kMaxPayloadBytes)
      << "'" << name << "' is corrupt: its section 'gpu' has " << bytes.size() << " bytes, at most "
      << kMaxPayloadBytes << " can be read";
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), 64, 10'000'000);
  VDLA_CHECK_USER(fbs::VerifyGpuBuffer(verifier))
      << "'" << name << "' is corrupt: the structure of its section 'gpu' cannot be read";
  try {
    const payload::Room room(bytes.size());
    module.gpu =
        list<GpuSegment>(fbs::GetGpu(data)->segments(), [](const fbs::GpuSegment& s) { return segment(s); });
  } catch (const UserError& e) {
    throw UserError("'" + name + "' is corrupt: its section 'gpu' is: " + e.what());
  }
}

}  // namespace vdla::runtime
