// SPDX-License-Identifier: Apache-2.0
// TFLite files: the importer, and runs of the networks that it accepts. Most mutations write one number into
// the model, since most others move what offsets point to.
#include <cstring>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/schema/tflite_generated.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/network.h"
#include "tests/fuzz/target.h"

namespace vdla::fuzzing {
namespace {

namespace tflite = import::tflite;

enum class Kind : std::uint8_t { Byte, Int32, Int64, Real };
struct Number {
  const std::uint8_t* place;
  Kind kind;
};

/// The numbers of a model that make it another model, and do not move its parts.
class Numbers {
 public:
  explicit Numbers(const tflite::Model& model) {
    for (const auto* code : each(model.operator_codes())) {
      field(*code, tflite::OperatorCode::VT_DEPRECATED_BUILTIN_CODE, Kind::Byte);
      field(*code, tflite::OperatorCode::VT_BUILTIN_CODE, Kind::Int32);
    }
    for (const auto* buffer : each(model.buffers())) elements(buffer->data(), Kind::Byte);
    for (const auto* graph : each(model.subgraphs())) add(*graph);
  }

  const std::vector<Number>& all() const { return all_; }

 private:
  template <class T>
  static std::vector<const T*> each(const flatbuffers::Vector<flatbuffers::Offset<T>>* vector) {
    return vector ? std::vector<const T*>(vector->begin(), vector->end()) : std::vector<const T*>();
  }
  template <class T>
  void elements(const flatbuffers::Vector<T>* vector, Kind kind) {
    constexpr std::size_t kMost = 64;  // a few weights say as much as all
    for (std::size_t i = 0; vector && i < vector->size() && i < kMost; ++i)
      all_.push_back({vector->Data() + i * sizeof(T), kind});
  }
  template <class Table>
  void field(const Table& table, int which, Kind kind) {
    const auto& base = reinterpret_cast<const flatbuffers::Table&>(table);
    if (const auto* place = base.GetAddressOf(static_cast<flatbuffers::voffset_t>(which)))
      all_.push_back({place, kind});
  }

  void add(const tflite::SubGraph& graph) {
    elements(graph.inputs(), Kind::Int32);
    elements(graph.outputs(), Kind::Int32);
    for (const auto* tensor : each(graph.tensors())) {
      elements(tensor->shape(), Kind::Int32);
      elements(tensor->shape_signature(), Kind::Int32);
      field(*tensor, tflite::Tensor::VT_TYPE, Kind::Byte);
      field(*tensor, tflite::Tensor::VT_BUFFER, Kind::Int32);
      field(*tensor, tflite::Tensor::VT_IS_VARIABLE, Kind::Byte);
      if (const auto* quantization = tensor->quantization()) {
        elements(quantization->scale(), Kind::Real);
        elements(quantization->zero_point(), Kind::Int64);
        field(*quantization, tflite::QuantizationParameters::VT_QUANTIZED_DIMENSION, Kind::Int32);
      }
    }
    for (const auto* op : each(graph.operators())) {
      field(*op, tflite::Operator::VT_OPCODE_INDEX, Kind::Int32);
      elements(op->inputs(), Kind::Int32);
      elements(op->outputs(), Kind::Int32);
      elements(op->custom_options(), Kind::Byte);
      if (const void* options = op->builtin_options()) add_options(options);
    }
  }
  /// Options of any operator: the low byte of each field holds what is likely.
  void add_options(const void* options) {
    const auto& table = *static_cast<const flatbuffers::Table*>(options);
    const int end = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table.GetVTable());
    for (int which = 4; which < end; which += 2) field(table, which, Kind::Byte);
  }

  std::vector<Number> all_;
};

template <class T>
T at(const std::uint8_t* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

template <class T>
void write(std::uint8_t* place, T value) {
  std::memcpy(place, &value, sizeof(T));
}

void change(const Number& number, std::uint8_t* data, std::mt19937& random) {
  std::uint8_t* place = data + (number.place - data);  // the number's place, in bytes that may change
  switch (number.kind) {
    case Kind::Byte:
      *place = random() % 4 == 0 ? static_cast<std::uint8_t>(random())
                                 : static_cast<std::uint8_t>(likely_number(random, *place));
      break;
    case Kind::Int32:
      write(place, static_cast<std::int32_t>(likely_number(random, at<std::int32_t>(place))));
      break;
    case Kind::Int64:
      write(place, likely_number(random, at<std::int64_t>(place)));
      break;
    case Kind::Real:
      write(place, odd_real(random, at<float>(place)));
      break;
  }
}

}  // namespace
}  // namespace vdla::fuzzing

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace vdla::fuzzing;
  std::mt19937 random(seed);
  flatbuffers::Verifier verifier(data, size);
  if (random() % 8 != 0 && tflite::VerifyModelBuffer(verifier)) {
    const Numbers numbers(*tflite::GetModel(data));
    if (!numbers.all().empty()) {
      for (unsigned left = 1 + random() % 2; left > 0; --left)
        change(numbers.all()[random() % numbers.all().size()], data, random);
      return size;
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  graph::Graph graph;
  if (fuzzing::accepted([&] { graph = import::import_tflite(fuzzing::as_bytes(data, size), "fuzz"); }))
    fuzzing::run_network(graph);
  return 0;
}
