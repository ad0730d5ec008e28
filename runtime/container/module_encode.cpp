// SPDX-License-Identifier: Apache-2.0
// Module -> FlatBuffers.
#include "isa/spec/version.h"
#include "runtime/container/module_generated.h"
#include "runtime/container/module_payload.h"
#include "runtime/container/program_payload.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

class Encoder {
 private:
  /// The builder only asserts its limit, and does not look in release builds. What it adds to `size` bytes
  /// are lengths, alignment and tables of a few fields.
  void need(std::size_t size) {
    constexpr std::size_t kAround = 1024;
    VDLA_CHECK_USER(size <= most_ && b_.GetSize() + size + kAround <= most_)
        << "the module needs " << b_.GetSize() + size + kAround << " bytes and more, its file has room for "
        << most_ << " of constants, programs and machine code; split the network, or store its weights in a "
        << "smaller type (vdla quantize)";
  }

  Offset<flatbuffers::String> str(const std::string& s) {
    need(s.size());
    return b_.CreateString(s);
  }

  template <class T>
  Offset<flatbuffers::Vector<T>> numbers(const std::vector<T>& values) {
    need(values.size() * sizeof(T));
    return b_.CreateVector(values);
  }
  Offset<flatbuffers::Vector<std::uint8_t>> bytes(const Bytes& data) {
    need(data.size());
    return b_.CreateVector(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  }

  template <class T, class Make>
  auto list(const std::vector<T>& values, Make make) {
    std::vector<decltype(make(values.front()))> offsets;
    for (const T& value : values) offsets.push_back(make(value));
    need(offsets.size() * sizeof(std::uint32_t));
    return b_.CreateVector(offsets);
  }

  Offset<fbs::Geometry> geometry(const isa::Geometry& g) {
#define VDLA_ENCODED(name, ...) , g.name
    return fbs::CreateGeometry(b_ VDLA_GEOMETRY(VDLA_ENCODED));
#undef VDLA_ENCODED
  }

  Offset<fbs::Timing> timing(const isa::Timing& t) {
    return fbs::CreateTiming(b_, t.dram_latency, t.dram_outstanding, t.dram_burst_bytes,
                             t.dram_bytes_per_cycle, t.clock_mhz);
  }

  auto sources(const Sources& named) {
    need(encoded_bytes(named));
    return encode_sources(b_, named);
  }

  Offset<fbs::Tensor> tensor(const Tensor& t) {
    const auto quantization = fbs::CreateQuantization(
        b_, numbers(t.quantization.scale), numbers(t.quantization.zero_point), t.quantization.axis);
    return fbs::CreateTensor(b_, str(t.name), static_cast<std::uint8_t>(t.type), numbers(t.shape),
                             quantization, bytes(t.data), sources(t.sources));
  }

  Offset<fbs::Layout> layout(const DeviceLayout& l) {
    return fbs::CreateLayout(b_, numbers(l.strides), l.block, l.block_stride, l.bytes);
  }

  Offset<fbs::DeviceTensor> place(const DeviceTensor& d) {
    return fbs::CreateDeviceTensor(b_, d.tensor, static_cast<std::uint8_t>(d.window), d.offset,
                                   layout(d.layout));
  }

  Offset<fbs::InnerTensor> inner(const InnerTensor& t) {
    const auto made = tensor(t.tensor);
    const auto window = static_cast<std::uint8_t>(t.window.value_or(isa::Window::Insn));
    return fbs::CreateInnerTensor(b_, made, !t.window, window, t.offset, layout(t.layout), numbers(t.layers));
  }

  Offset<fbs::KernelObject> object(const KernelObject& o) {
    return fbs::CreateKernelObject(b_, str(o.triple), str(o.cpu), str(o.features), bytes(o.elf));
  }

  Offset<fbs::Step> step(const Step& s) {
    if (const auto* device = std::get_if<DeviceStep>(&s)) {
      need(encoded_bytes(device->program));
      const auto program = encode_program(b_, device->program);
      const auto inputs = list(device->inputs, [&](const DeviceTensor& d) { return place(d); });
      const auto outputs = list(device->outputs, [&](const DeviceTensor& d) { return place(d); });
      std::vector<fbs::WindowPlace> places;
      for (const WindowPlace& p : device->places)
        places.emplace_back(p.alignment, static_cast<std::uint8_t>(p.address_bits));
      const auto inner_tensors = list(device->inner, [&](const InnerTensor& t) { return inner(t); });
      const auto made = fbs::CreateDeviceStep(b_, program, inputs, outputs, b_.CreateVectorOfStructs(places),
                                              inner_tensors);
      return fbs::CreateStep(b_, fbs::AnyStep::DeviceStep, made.Union());
    }
    const auto& host = std::get<HostStep>(s);
    std::vector<fbs::KernelParameter> parameters;
    for (const KernelParameter& p : host.parameters)
      parameters.emplace_back(p.bytes, static_cast<std::uint8_t>(p.type));
    const auto made = fbs::CreateHostStep(b_, str(host.kernel), str(host.loop_ir), numbers(host.arguments),
                                          numbers(host.results), b_.CreateVectorOfStructs(parameters));
    return fbs::CreateStep(b_, fbs::AnyStep::HostStep, made.Union());
  }

  Offset<fbs::Port> port(const Port& p) {
    return fbs::CreatePort(b_, p.tensor, str(p.name), static_cast<std::uint8_t>(p.model_type),
                           numbers(p.model_shape), numbers(p.perm), static_cast<std::uint8_t>(p.rounding));
  }

  Offset<fbs::NodeInfo> node(const NodeInfo& n) {
    return fbs::CreateNodeInfo(b_, str(n.name), str(n.op), str(n.place), str(n.reason), str(n.layer), n.step,
                               n.macs, n.estimated_cycles, n.bytes_to_device, n.bytes_from_device,
                               sources(n.sources), sources(n.constants));
  }

  std::size_t most_;
  FlatBufferBuilder b_{1 << 20};

 public:
  explicit Encoder(std::size_t most) : most_(most) {}

  Bytes run(const Module& m) {
    const auto tensors = list(m.tensors, [&](const Tensor& t) { return tensor(t); });
    const auto steps = list(m.steps, [&](const Step& s) { return step(s); });
    const auto objects = list(m.objects, [&](const KernelObject& o) { return object(o); });
    const auto inputs = list(m.inputs, [&](const Port& p) { return port(p); });
    const auto outputs = list(m.outputs, [&](const Port& p) { return port(p); });
    const auto nodes = list(m.nodes, [&](const NodeInfo& n) { return node(n); });
    const isa::Geometry& g = m.variant.geometry;
    b_.Finish(fbs::CreateModule(b_, str(m.model_name), str(m.target), isa::kIsaVersion, isa::geometry_hash(g),
                                str(m.variant.name), geometry(g), timing(m.variant.timing), tensors, steps,
                                objects, inputs, outputs, nodes));
    const auto* begin = reinterpret_cast<const std::byte*>(b_.GetBufferPointer());
    return Bytes(begin, begin + b_.GetSize());
  }
};

}  // namespace

Bytes encode_payload(const Module& module, std::size_t most) { return Encoder(most).run(module); }

}  // namespace vdla::runtime
