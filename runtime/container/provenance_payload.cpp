// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/provenance_payload.h"

#include "runtime/container/payload_read.h"
#include "runtime/container/provenance_generated.h"

namespace vdla::runtime {

using payload::text;

std::optional<Bytes> encode_provenance(const Module& module) {
  const Provenance& p = module.provenance;
  if (p == Provenance{}) return std::nullopt;
  flatbuffers::FlatBufferBuilder b;
  b.Finish(fbs::CreateProvenanceDirect(b, p.producer.c_str(), p.command.c_str(), p.model_file.c_str(),
                                       p.model_sha256.c_str(), p.tuned_threads,
                                       p.tuned_device.empty() ? nullptr : p.tuned_device.c_str()));
  const auto* begin = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  return Bytes(begin, begin + b.GetSize());
}

void decode_provenance(std::span<const std::byte> bytes, const std::string& name, Module& module) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  VDLA_CHECK_USER(fbs::VerifyProvenanceBuffer(verifier))
      << "'" << name << "' is corrupt: the structure of its section 'provenance' cannot be read";
  const fbs::Provenance& p = *fbs::GetProvenance(data);
  module.provenance = {.producer = text(p.producer()),
                       .command = text(p.command()),
                       .model_file = text(p.model_file()),
                       .model_sha256 = text(p.model_sha256()),
                       .tuned_threads = p.tuned_threads(),
                       .tuned_device = text(p.tuned_device())};
}

}  // namespace vdla::runtime
