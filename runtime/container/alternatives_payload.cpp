// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/alternatives_payload.h"

#include "runtime/container/alternatives_generated.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/payload_read.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using payload::list;
using payload::numbers;
using payload::text;

Offset<fbs::AlternativeKnob> knob(FlatBufferBuilder& b, const KnobRange& k) {
  return fbs::CreateAlternativeKnob(b, b.CreateString(k.name), k.values, b.CreateVectorOfStrings(k.names));
}

Offset<fbs::AlternativeKernel> other_kernel(FlatBufferBuilder& b, const Alternative& a) {
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint8_t> types;
  for (const KernelParameter& p : a.step.parameters) {
    bytes.push_back(p.bytes);
    types.push_back(static_cast<std::uint8_t>(p.type));
  }
  return fbs::CreateAlternativeKernel(b, b.CreateString(a.step.kernel), b.CreateString(a.step.loop_ir),
                                      b.CreateVector(a.step.arguments), b.CreateVector(bytes),
                                      b.CreateVector(types), b.CreateString(a.knobs), a.estimate);
}

Offset<fbs::StepAlternatives> step(FlatBufferBuilder& b, const StepAlternatives& s) {
  std::vector<Offset<fbs::AlternativeKnob>> space;
  for (const KnobRange& k : s.space) space.push_back(knob(b, k));
  std::vector<Offset<fbs::AlternativeKernel>> others;
  for (const Alternative& a : s.others) others.push_back(other_kernel(b, a));
  return fbs::CreateStepAlternatives(b, static_cast<std::uint32_t>(s.step), b.CreateString(s.task),
                                     b.CreateString(s.context), b.CreateVector(space), s.layers,
                                     b.CreateString(s.knobs), s.estimate, b.CreateVector(others));
}

KnobRange knob(const fbs::AlternativeKnob& k) {
  KnobRange made{text(k.name()), k.values(), {}};
  if (k.names())
    for (const flatbuffers::String* name : *k.names()) made.names.push_back(text(name));
  return made;
}

Alternative other_kernel(const fbs::AlternativeKernel& k, const std::vector<TensorIndex>& results) {
  Alternative made{{text(k.kernel()), text(k.loop_ir()), {}, numbers(k.arguments()), results},
                   text(k.knobs()),
                   k.estimate()};
  const auto bytes = numbers(k.parameter_bytes());
  const auto types = numbers(k.parameter_types());
  VDLA_CHECK_USER(bytes.size() == types.size()) << "kernel '" << made.step.kernel << "' has " << types.size()
                                                << " types of parameters and " << bytes.size() << " sizes";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    made.step.parameters.push_back({payload::data_type(types[i]), bytes[i]});
  return made;
}

StepAlternatives step(const fbs::StepAlternatives& s, const Module& module) {
  StepAlternatives made{s.step(),   text(s.task()),  text(s.context()), {},
                        s.layers(), text(s.knobs()), s.estimate(),      {}};
  const auto* own =
      made.step < module.steps.size() ? std::get_if<HostStep>(&module.steps[made.step]) : nullptr;
  VDLA_CHECK_USER(own != nullptr) << "step " << made.step << " of the module is none of the CPU";
  made.space = list<KnobRange>(s.space(), [](const fbs::AlternativeKnob& k) { return knob(k); });
  made.others = list<Alternative>(
      s.others(), [&](const fbs::AlternativeKernel& k) { return other_kernel(k, own->results); });
  return made;
}

}  // namespace

std::optional<Bytes> encode_alternatives(const Module& module) {
  if (module.alternatives.empty()) return std::nullopt;
  std::size_t bytes = 0;
  for (const StepAlternatives& s : module.alternatives)
    for (const Alternative& a : s.others) bytes += a.step.loop_ir.size();
  // All but the texts is small beside them.
  VDLA_CHECK_USER(bytes <= kMaxPayloadBytes / 2)
      << "the other kernels of the CPU need " << bytes << " bytes of text, a module has room for "
      << kMaxPayloadBytes / 2 << "; leave --adapt out";
  FlatBufferBuilder b(1 << 16);
  std::vector<Offset<fbs::StepAlternatives>> steps;
  for (const StepAlternatives& s : module.alternatives) steps.push_back(step(b, s));
  b.Finish(fbs::CreateAlternatives(b, b.CreateVector(steps)));
  const auto* begin = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  return Bytes(begin, begin + b.GetSize());
}

void decode_alternatives(std::span<const std::byte> bytes, const std::string& name, Module& module) {
  const std::string where = "'" + name + "' is corrupt: its section 'alternatives' ";
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), 64, 1'000'000);
  VDLA_CHECK_USER(bytes.size() <= kMaxPayloadBytes && fbs::VerifyAlternativesBuffer(verifier))
      << where << "cannot be read";
  try {
    const payload::Room room(bytes.size());
    module.alternatives = list<StepAlternatives>(
        fbs::GetAlternatives(data)->steps(), [&](const fbs::StepAlternatives& s) { return step(s, module); });
  } catch (const UserError& e) {
    throw UserError(where + "is: " + e.what());
  }
}

}  // namespace vdla::runtime
