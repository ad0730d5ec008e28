// SPDX-License-Identifier: Apache-2.0
// TFLite Micro's interpreter behind the functions of TensorFlow Lite's C interface that random_tflite calls:
// an oracle for what the desktop's library rounds otherwise. Built beside TFLite Micro's sources (README.md).
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {

constexpr std::size_t kArena = std::size_t{512} << 20, kAlignment = 16, kOperators = 64;
using Resolver = tflite::MicroMutableOpResolver<kOperators>;

Resolver make_resolver() {
  Resolver r;
  r.AddAbs(), r.AddAdd(), r.AddAddN(), r.AddAveragePool2D(), r.AddBatchMatMul(), r.AddCast();
  r.AddConcatenation(), r.AddConv2D(), r.AddCumSum(), r.AddDepthwiseConv2D(), r.AddDequantize();
  r.AddDiv(), r.AddElu(), r.AddEqual(), r.AddExp(), r.AddExpandDims(), r.AddFill(), r.AddFullyConnected();
  r.AddGather(), r.AddGreater(), r.AddGreaterEqual(), r.AddHardSwish(), r.AddL2Normalization();
  r.AddLeakyRelu(), r.AddLess(), r.AddLessEqual(), r.AddLogSoftmax(), r.AddLogistic(), r.AddMaxPool2D();
  r.AddMaximum(), r.AddMean(), r.AddMinimum(), r.AddMirrorPad(), r.AddMul(), r.AddNeg(), r.AddNotEqual();
  r.AddPack(), r.AddPad(), r.AddPadV2(), r.AddPrelu(), r.AddQuantize(), r.AddRelu(), r.AddRelu6();
  r.AddReshape(), r.AddResizeBilinear(), r.AddResizeNearestNeighbor(), r.AddRsqrt(), r.AddShape();
  r.AddSlice(), r.AddSoftmax(), r.AddSplit(), r.AddSplitV(), r.AddSqrt(), r.AddSquaredDifference();
  r.AddSqueeze(), r.AddStridedSlice(), r.AddSub(), r.AddSum(), r.AddSvdf(), r.AddTanh(), r.AddTranspose();
  r.AddTransposeConv(), r.AddUnidirectionalSequenceLSTM(), r.AddUnpack();
  return r;
}

/// Zeros at a place that the format's numbers may be read from. Pages that nothing writes cost nothing.
struct Aligned {
  explicit Aligned(std::size_t of) : size(of + kAlignment), bytes(std::calloc(size, 1), &std::free) {}
  std::uint8_t* data() {
    void* at = bytes.get();
    std::size_t room = size;
    return static_cast<std::uint8_t*>(std::align(kAlignment, room - kAlignment, at, room));
  }
  std::size_t size;
  std::unique_ptr<void, void (*)(void*)> bytes;
};

struct Interpreter {
  explicit Interpreter(Aligned& model)
      : interpreter(tflite::GetModel(model.data()), resolver(), arena.data(), kArena) {}
  static const Resolver& resolver() {
    static const Resolver all = make_resolver();
    return all;
  }
  Aligned arena{kArena};
  tflite::MicroInterpreter interpreter;
};

tflite::MicroInterpreter& of(const void* p) {
  return static_cast<Interpreter*>(const_cast<void*>(p))->interpreter;
}
const TfLiteTensor& tensor(const void* p) { return *static_cast<const TfLiteTensor*>(p); }

}  // namespace

extern "C" {
void* TfLiteModelCreate(const void* bytes, std::size_t size) {
  auto* model = new Aligned(size);
  std::memcpy(model->data(), bytes, size);
  return model;
}
void TfLiteModelDelete(void* model) { delete static_cast<Aligned*>(model); }
void* TfLiteInterpreterOptionsCreate() { return new char; }
void TfLiteInterpreterOptionsDelete(void* options) { delete static_cast<char*>(options); }
void TfLiteInterpreterOptionsSetNumThreads(void*, std::int32_t) {}
void* TfLiteInterpreterCreate(const void* model, const void*) {
  return new Interpreter(*static_cast<Aligned*>(const_cast<void*>(model)));
}
void TfLiteInterpreterDelete(void* interpreter) { delete static_cast<Interpreter*>(interpreter); }
int TfLiteInterpreterAllocateTensors(void* p) { return of(p).AllocateTensors(); }
int TfLiteInterpreterInvoke(void* p) { return of(p).Invoke(); }
std::int32_t TfLiteInterpreterGetInputTensorCount(const void* p) {
  return static_cast<std::int32_t>(of(p).inputs_size());
}
void* TfLiteInterpreterGetInputTensor(const void* p, std::int32_t i) {
  return of(p).input(static_cast<std::size_t>(i));
}
std::int32_t TfLiteInterpreterGetOutputTensorCount(const void* p) {
  return static_cast<std::int32_t>(of(p).outputs_size());
}
const void* TfLiteInterpreterGetOutputTensor(const void* p, std::int32_t i) {
  return of(p).output(static_cast<std::size_t>(i));
}
int TfLiteTensorType(const void* p) { return tensor(p).type; }
std::int32_t TfLiteTensorNumDims(const void* p) { return tensor(p).dims->size; }
std::int32_t TfLiteTensorDim(const void* p, std::int32_t i) { return tensor(p).dims->data[i]; }
std::size_t TfLiteTensorByteSize(const void* p) { return tensor(p).bytes; }
void* TfLiteTensorData(const void* p) { return tensor(p).data.data; }
}
