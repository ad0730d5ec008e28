// SPDX-License-Identifier: Apache-2.0
// Module files: what the reader accepts runs once, host steps interpreted, device steps on the functional
// engine. Most mutations change one thing inside and write the hash that fits, since all others end at the
// door.
#include <random>
#include <variant>

#include "compiler/loop/parse.h"
#include "isa/timing/work.h"
#include "kit/session.h"
#include "runtime/container/container.h"
#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "runtime/session/port.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/small_function.h"
#include "tests/fuzz/target.h"

namespace vdla::fuzzing {
namespace {

constexpr std::uint64_t kMaxWork = 200'000;

/// Whether one run takes no time worth mentioning.
bool is_quick(const runtime::Module& module) {
  std::uint64_t work = 0;
  for (const runtime::Tensor& tensor : module.tensors) work += tensor.bytes();
  for (const runtime::Step& step : module.steps) {
    if (const auto* host = std::get_if<runtime::HostStep>(&step)) {
      if (!is_small(loop::parse(host->loop_ir))) return false;
      continue;
    }
    for (const isa::Insn& insn : std::get<runtime::DeviceStep>(step).program.insns) {
      work += isa::steps_of(insn);
      if (const auto* move = std::get_if<isa::MemoryInsn>(&insn))
        work += std::uint64_t{move->x_total()} * move->y_total() * move->z_count * move->run;
    }
  }
  return work <= kMaxWork;
}

template <class T>
T* one_of(std::mt19937& random, std::vector<T>& items) {
  return items.empty() ? nullptr : &items[random() % items.size()];
}

void change_shape(std::mt19937& random, runtime::Shape& shape) {
  if (random() % 4 == 0) return shape.push_back(odd_number(random, 1));
  if (auto* extent = one_of(random, shape)) *extent = odd_number(random, *extent);
}

void change_text(std::string& text) {
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
  text.assign(bytes.begin(), bytes.end());
}

void change_tensor(std::mt19937& random, runtime::Tensor& tensor) {
  switch (random() % 4) {
    case 0:
      tensor.type = static_cast<runtime::DataType>(random() % 16);
      break;
    case 1:
      change_shape(random, tensor.shape);
      break;
    case 2:
      tensor.data.resize(tensor.data.empty() ? random() % 64 : random() % (tensor.data.size() + 8));
      break;
    default:
      tensor.quantization.scale.resize(random() % 3, 0.0);
      tensor.quantization.zero_point.resize(random() % 3, static_cast<int>(odd_number(random, 0)));
  }
}

void change_port(std::mt19937& random, runtime::Port& port) {
  switch (random() % 4) {
    case 0:
      port.tensor = static_cast<runtime::TensorIndex>(odd_number(random, port.tensor));
      break;
    case 1:
      port.model_type = static_cast<runtime::DataType>(random() % 16);
      break;
    case 2:
      change_shape(random, port.model_shape);
      break;
    default:
      if (auto* axis = one_of(random, port.perm))
        *axis = static_cast<std::int32_t>(odd_number(random, *axis));
      else
        port.perm.assign(port.model_shape.size(), static_cast<std::int32_t>(random() % 3));
  }
}

void change_step(std::mt19937& random, runtime::HostStep& step) {
  std::vector<runtime::TensorIndex>& list = random() % 2 ? step.arguments : step.results;
  switch (random() % 4) {
    case 0:
      if (auto* index = one_of(random, list))
        *index = static_cast<runtime::TensorIndex>(odd_number(random, *index));
      break;
    case 1:
      if (!list.empty()) list.pop_back();
      break;
    default:
      change_text(step.loop_ir);
  }
}

void change_step(std::mt19937& random, runtime::DeviceStep& step) {
  std::vector<runtime::DeviceTensor>& list = random() % 2 ? step.inputs : step.outputs;
  runtime::DeviceTensor* place = one_of(random, list);
  switch (random() % 4) {
    case 0:
      if (place)
        place->offset =
            static_cast<std::uint64_t>(odd_number(random, static_cast<std::int64_t>(place->offset)));
      break;
    case 1:
      if (place) place->tensor = static_cast<runtime::TensorIndex>(odd_number(random, place->tensor));
      break;
    case 2:
      if (place) change_shape(random, place->layout.strides);
      break;
    default:
      if (place) place->layout.block = odd_number(random, place->layout.block);
  }
}

void change_gpu(std::mt19937& random, runtime::GpuSegment& segment) {
  const auto odd = [&](std::size_t old) {
    return static_cast<std::size_t>(odd_number(random, static_cast<std::int64_t>(old)));
  };
  const auto change_one = [&](std::vector<std::size_t>& numbers) {
    if (auto* number = one_of(random, numbers)) *number = odd(*number);
  };
  gpu::Launch* launch = one_of(random, segment.program.launches);
  switch (random() % 8) {
    case 0:
      change_one(segment.program.buffer_bytes);
      break;
    case 1:
      change_one(segment.program.offsets);
      break;
    case 2:
      if (launch) change_one(launch->arguments);
      break;
    case 3:
      if (launch) (random() % 2 ? launch->blocks : launch->threads)[random() % 3] = odd(1);
      break;
    case 4:
      if (launch) launch->part = odd(launch->part);
      break;
    case 5:
      segment.first_step = odd(segment.first_step);
      break;
    case 6:
      if (auto* layer = one_of(random, segment.layers)) layer->launches = odd(layer->launches);
      break;
    default:
      auto* t = one_of(random, random() % 2 ? segment.inputs : segment.outputs);
      if (t && random() % 2) t->buffer = odd(t->buffer);
      if (t) t->tensor = static_cast<runtime::TensorIndex>(odd(t->tensor));
  }
}

void change(std::mt19937& random, runtime::Module& module) {
  if (!module.gpu.empty() && random() % 3 == 0) return change_gpu(random, *one_of(random, module.gpu));
  switch (random() % 6) {
    case 0:
    case 1:
      if (auto* tensor = one_of(random, module.tensors)) change_tensor(random, *tensor);
      break;
    case 2:
      if (auto* port = one_of(random, random() % 2 ? module.inputs : module.outputs))
        change_port(random, *port);
      break;
    case 3:
      module.variant.timing.dram_latency = static_cast<unsigned>(odd_number(random, 48));
      break;
    default:
      if (auto* step = one_of(random, module.steps))
        std::visit([&](auto& s) { change_step(random, s); }, *step);
  }
}

/// The file with one change inside, and a hash that fits.
runtime::Bytes changed(std::span<const std::byte> file, std::mt19937& random) {
  if (random() % 3 != 0) {
    runtime::Module module = runtime::parse(file, "seed");
    change(random, module);
    return runtime::pack(runtime::to_sections(module));
  }
  std::vector<runtime::Section> sections;
  for (const runtime::SectionView& s : runtime::unpack(file, "seed").sections)
    sections.push_back({s.name, s.required, {s.bytes.begin(), s.bytes.end()}});
  runtime::Bytes& bytes = sections[random() % sections.size()].bytes;
  const std::size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return runtime::pack(sections);
}

}  // namespace
}  // namespace vdla::fuzzing

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace vdla;
  std::mt19937 random(seed);
  if (random() % 16 != 0) {
    runtime::Bytes file;
    if (fuzzing::accepted([&] { file = fuzzing::changed(fuzzing::as_bytes(data, size), random); }) &&
        file.size() <= max_size) {
      std::ranges::copy(file, reinterpret_cast<std::byte*>(data));
      return file.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    runtime::Module module = runtime::parse(fuzzing::as_bytes(data, size), "fuzz");
    if (!fuzzing::is_quick(module)) return;
    std::vector<runtime::Bytes> inputs;
    for (const runtime::Port& port : module.inputs) inputs.emplace_back(runtime::model_bytes(port));
    const std::string engine = runtime::needs_device(module) ? "functional" : "";
    kit::Session session(std::move(module), engine, {.interpret = true});
    session.run_model(inputs);
  });
  return 0;
}
