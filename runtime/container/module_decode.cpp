// SPDX-License-Identifier: Apache-2.0
// FlatBuffers -> Module. Absent fields take their defaults, as FlatBuffers has it; codes out of range are
// refused.
#include "isa/spec/version.h"
#include "runtime/container/module_generated.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/payload_read.h"
#include "runtime/container/program_payload.h"
#include "support/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace vdla::runtime {
namespace {

using payload::bytes;
using payload::data_type;
using payload::list;
using payload::numbers;
using payload::structs;
using payload::text;

Rounding rounding(std::uint8_t code) {
  VDLA_CHECK_USER(code <= static_cast<std::uint8_t>(Rounding::HalfAwayFromZero))
      << "unknown rounding " << unsigned{code};
  return static_cast<Rounding>(code);
}

isa::Window window(std::uint8_t code) {
  VDLA_CHECK_USER(code < isa::kWindows.size()) << "unknown window " << unsigned{code};
  return static_cast<isa::Window>(code);
}

Tensor tensor(const fbs::Tensor& t) {
  Tensor made{.name = text(t.name()),
              .type = data_type(t.type()),
              .shape = numbers(t.shape()),
              .quantization = {},
              .data = bytes(t.data()),
              .sources = decode_sources(t.sources())};
  if (const auto* q = t.quantization())
    made.quantization = {
        .scale = numbers(q->scale()), .zero_point = numbers(q->zero_point()), .axis = q->axis()};
  return made;
}

DeviceLayout layout(const fbs::Layout* l) {
  VDLA_CHECK_USER(l != nullptr) << "a device tensor has no layout";
  return {.strides = numbers(l->strides()),
          .block = l->block(),
          .block_stride = l->block_stride(),
          .bytes = l->bytes()};
}

DeviceTensor place(const fbs::DeviceTensor& d) {
  return {
      .tensor = d.tensor(), .window = window(d.window()), .offset = d.offset(), .layout = layout(d.layout())};
}

InnerTensor inner(const fbs::InnerTensor& t) {
  VDLA_CHECK_USER(t.tensor() != nullptr) << "an inner tensor of a step has no shape";
  return {.tensor = tensor(*t.tensor()),
          .window = t.on_chip() ? std::nullopt : std::optional(window(t.window())),
          .offset = t.offset(),
          .layout = layout(t.layout()),
          .layers = numbers(t.layers())};
}

std::array<WindowPlace, isa::kWindowCount> places(const fbs::DeviceStep& step) {
  std::array<WindowPlace, isa::kWindowCount> made{};
  if (step.places() == nullptr) return made;
  VDLA_CHECK_USER(step.places()->size() == made.size())
      << "a device step has places for " << step.places()->size() << " windows, needs " << made.size();
  std::ranges::transform(*step.places(), made.begin(), [](const fbs::WindowPlace* p) {
    return WindowPlace{p->alignment(), p->address_bits()};
  });
  return made;
}

KernelObject object(const fbs::KernelObject& o) {
  return {.triple = text(o.triple()),
          .cpu = text(o.cpu()),
          .features = text(o.features()),
          .elf = bytes(o.elf())};
}

Step step(const fbs::Step& s, const isa::Geometry& geometry) {
  if (const auto* d = s.step_as_DeviceStep()) {
    VDLA_CHECK_USER(d->program() != nullptr) << "a device step has no program";
    return DeviceStep{.program = decode_program(*d->program(), geometry),
                      .inputs = list<DeviceTensor>(d->inputs(), place),
                      .outputs = list<DeviceTensor>(d->outputs(), place),
                      .places = places(*d),
                      .inner = list<InnerTensor>(d->inner(), inner)};
  }
  const auto* h = s.step_as_HostStep();
  VDLA_CHECK_USER(h != nullptr) << "unknown kind of step " << static_cast<unsigned>(s.step_type());
  std::vector<KernelParameter> parameters;
  for (const fbs::KernelParameter& p : structs(h->parameters()))
    parameters.push_back({data_type(p.type()), p.bytes()});
  return HostStep{.kernel = text(h->kernel()),
                  .loop_ir = text(h->loop_ir()),
                  .parameters = std::move(parameters),
                  .arguments = numbers(h->arguments()),
                  .results = numbers(h->results())};
}

Port port(const fbs::Port& p) {
  return {.tensor = p.tensor(),
          .name = text(p.name()),
          .model_type = data_type(p.model_type()),
          .model_shape = numbers(p.model_shape()),
          .perm = numbers(p.perm()),
          .rounding = rounding(p.rounding())};
}

NodeInfo node(const fbs::NodeInfo& n) {
  return {.name = text(n.name()),
          .op = text(n.op()),
          .place = text(n.place()),
          .reason = text(n.reason()),
          .layer = text(n.layer()),
          .step = n.step(),
          .macs = n.macs(),
          .estimated_cycles = n.estimated_cycles(),
          .bytes_to_device = n.bytes_to_device(),
          .bytes_from_device = n.bytes_from_device(),
          .sources = decode_sources(n.sources()),
          .constants = decode_sources(n.constants())};
}

isa::Geometry geometry(const fbs::Geometry& g) {
#define VDLA_DECODED(name, ...) .name = g.name(),
  return {VDLA_GEOMETRY(VDLA_DECODED)};
#undef VDLA_DECODED
}

isa::Timing timing(const fbs::Timing& t) {
  return {.dram_latency = t.dram_latency(),
          .dram_outstanding = t.dram_outstanding(),
          .dram_burst_bytes = t.dram_burst_bytes(),
          .dram_bytes_per_cycle = t.dram_bytes_per_cycle(),
          .clock_mhz = t.clock_mhz()};
}

void module(const fbs::Module& m, Module& made) {
  VDLA_CHECK_USER(m.geometry() != nullptr && m.timing() != nullptr) << "the variant is missing";
  made.model_name = text(m.model_name());
  made.target = text(m.target());
  made.variant = {
      .name = text(m.variant()), .geometry = geometry(*m.geometry()), .timing = timing(*m.timing())};
  const std::uint64_t hash = isa::geometry_hash(made.variant.geometry);
  VDLA_CHECK_USER(hash == m.geometry_hash())
      << fmt::format("the geometry hash is {:#018x}, its geometry has {:#018x}", m.geometry_hash(), hash);
  made.tensors = list<Tensor>(m.tensors(), tensor);
  made.steps = list<Step>(m.steps(), [&](const fbs::Step& s) { return step(s, made.variant.geometry); });
  made.objects = list<KernelObject>(m.objects(), object);
  made.inputs = list<Port>(m.inputs(), port);
  made.outputs = list<Port>(m.outputs(), port);
  made.nodes = list<NodeInfo>(m.nodes(), node);
}

}  // namespace

void decode_payload(std::span<const std::byte> payload, const std::string& name, Module& made) {
  VDLA_CHECK_USER(payload.size() <= kMaxPayloadBytes)
      << "'" << name << "' is corrupt: its section 'payload' has " << payload.size() << " bytes, at most "
      << kMaxPayloadBytes << " can be read";
  const auto* data = reinterpret_cast<const std::uint8_t*>(payload.data());
  flatbuffers::Verifier verifier(data, payload.size(), 64, 10'000'000);
  VDLA_CHECK_USER(fbs::VerifyModuleBuffer(verifier))
      << "'" << name << "' is corrupt: its structure cannot be read";
  const fbs::Module& m = *fbs::GetModule(data);
  VDLA_CHECK_USER(m.isa_version() == isa::kIsaVersion)
      << "'" << name << "' was compiled for ISA version " << m.isa_version() << ", this kit has version "
      << isa::kIsaVersion << "; compile the model again";
  try {
    const payload::Room room(payload.size());
    module(m, made);
  } catch (const UserError& e) {
    throw UserError(fmt::format("'{}' is corrupt: {}", name, e.what()));
  }
}

}  // namespace vdla::runtime
