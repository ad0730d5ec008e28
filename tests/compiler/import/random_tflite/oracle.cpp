// SPDX-License-Identifier: Apache-2.0
// The library's C interface, by its published header: opaque handles, status 0 is success.
#include "tests/compiler/import/random_tflite/oracle.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "support/error.h"

namespace vdla::random_tflite {

struct Oracle::Functions {
  void* (*model)(const void*, std::size_t);
  void (*model_delete)(void*);
  void* (*options)();
  void (*options_delete)(void*);
  void (*threads)(void*, std::int32_t);
  void* (*interpreter)(const void*, const void*);
  void (*interpreter_delete)(void*);
  int (*allocate)(void*);
  int (*invoke)(void*);
  std::int32_t (*inputs)(const void*);
  void* (*input)(const void*, std::int32_t);
  std::int32_t (*outputs)(const void*);
  const void* (*output)(const void*, std::int32_t);
  int (*type)(const void*);
  std::int32_t (*rank)(const void*);
  std::int32_t (*extent)(const void*, std::int32_t);
  std::size_t (*bytes)(const void*);
  void* (*data)(const void*);
};

namespace {

template <class F>
void load(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  VDLA_CHECK_USER(function != nullptr)
      << "the library lacks " << name << ", needs TensorFlow Lite's C interface";
}

using Handle = std::unique_ptr<void, void (*)(void*)>;

/// Codes of element types in the C interface.
DataType type_of(int code) {
  switch (code) {
    case 1:
      return DataType::Float32;
    case 2:
      return DataType::Int32;
    case 3:
      return DataType::UInt8;
    case 4:
      return DataType::Int64;
    case 6:
      return DataType::Bool;
    case 7:
      return DataType::Int16;
    case 9:
      return DataType::Int8;
    case 10:
      return DataType::Float16;
    default:
      break;
  }
  throw UserError(fmt::format("a tensor has type {} of TensorFlow Lite", code));
}

}  // namespace

Oracle::Oracle(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  VDLA_CHECK_USER(library != nullptr) << dlerror();
  static Functions f;
  load(library, f.model, "TfLiteModelCreate");
  load(library, f.model_delete, "TfLiteModelDelete");
  load(library, f.options, "TfLiteInterpreterOptionsCreate");
  load(library, f.options_delete, "TfLiteInterpreterOptionsDelete");
  load(library, f.threads, "TfLiteInterpreterOptionsSetNumThreads");
  load(library, f.interpreter, "TfLiteInterpreterCreate");
  load(library, f.interpreter_delete, "TfLiteInterpreterDelete");
  load(library, f.allocate, "TfLiteInterpreterAllocateTensors");
  load(library, f.invoke, "TfLiteInterpreterInvoke");
  load(library, f.inputs, "TfLiteInterpreterGetInputTensorCount");
  load(library, f.input, "TfLiteInterpreterGetInputTensor");
  load(library, f.outputs, "TfLiteInterpreterGetOutputTensorCount");
  load(library, f.output, "TfLiteInterpreterGetOutputTensor");
  load(library, f.type, "TfLiteTensorType");
  load(library, f.rank, "TfLiteTensorNumDims");
  load(library, f.extent, "TfLiteTensorDim");
  load(library, f.bytes, "TfLiteTensorByteSize");
  load(library, f.data, "TfLiteTensorData");
  f_ = &f;
}

namespace {

template <class F>
import::Array array_of(const F& f, const void* tensor) {
  Shape shape;
  for (std::int32_t d = 0; d < f.rank(tensor); ++d) shape.push_back(f.extent(tensor, d));
  const auto* data = static_cast<const std::byte*>(f.data(tensor));
  return {type_of(f.type(tensor)), shape, std::make_shared<const graph::Bytes>(data, data + f.bytes(tensor))};
}

}  // namespace

random_graphs::Answer Oracle::ask(const Drawn& drawn) const {
  const std::vector<import::Array>& inputs = drawn.inputs;
  const Handle model(f_->model(drawn.model.data(), drawn.model.size()), f_->model_delete);
  if (!model) return {{}, "no model"};
  const Handle options(f_->options(), f_->options_delete);
  f_->threads(options.get(), 1);
  const Handle interpreter(f_->interpreter(model.get(), options.get()), f_->interpreter_delete);
  if (!interpreter) return {{}, "no interpreter"};
  if (f_->allocate(interpreter.get()) != 0) return {{}, "no memory for its tensors"};
  for (int run = 0; run < drawn.runs; ++run) {
    // Each time: an interpreter may use the memory of inputs for what it computes.
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      void* tensor = f_->input(interpreter.get(), static_cast<std::int32_t>(i));
      if (f_->bytes(tensor) != inputs[i].data->size())
        return {
            {},
            fmt::format("input {} has {} bytes, given are {}", i, f_->bytes(tensor), inputs[i].data->size())};
      std::copy(inputs[i].data->begin(), inputs[i].data->end(), static_cast<std::byte*>(f_->data(tensor)));
    }
    if (f_->invoke(interpreter.get()) != 0) return {{}, "the run failed"};
  }
  random_graphs::Answer answer;
  for (std::int32_t i = 0; i < f_->outputs(interpreter.get()); ++i)
    answer.outputs.emplace_back(std::to_string(i), array_of(*f_, f_->output(interpreter.get(), i)));
  return answer;
}

}  // namespace vdla::random_tflite
