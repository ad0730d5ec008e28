// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/states_payload.h"

#include "runtime/container/module_payload.h"
#include "runtime/container/payload_read.h"
#include "runtime/container/states_generated.h"
#include "support/error.h"

namespace vdla::runtime {

std::optional<Bytes> encode_states(const Module& module) {
  if (module.states.empty()) return std::nullopt;
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<fbs::State>> states;
  for (const State& s : module.states) {
    const auto* initial = reinterpret_cast<const std::uint8_t*>(s.initial.data());
    states.push_back(fbs::CreateState(b, s.begin, s.end, b.CreateVector(initial, s.initial.size())));
  }
  b.Finish(fbs::CreateStates(b, b.CreateVector(states)));
  const auto* begin = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  return Bytes(begin, begin + b.GetSize());
}

void decode_states(std::span<const std::byte> bytes, const std::string& name, Module& module) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), 64, 1'000'000);
  const std::string where = "'" + name + "' is corrupt: its section 'states' ";
  VDLA_CHECK_USER(bytes.size() <= kMaxPayloadBytes && fbs::VerifyStatesBuffer(verifier))
      << where << "cannot be read";
  try {
    const payload::Room room(bytes.size());
    module.states = payload::list<State>(fbs::GetStates(data)->states(), [](const fbs::State& s) {
      return State{s.begin(), s.end(), payload::bytes(s.initial())};
    });
  } catch (const UserError& e) {
    throw UserError(where + "is: " + e.what());
  }
}

}  // namespace vdla::runtime
