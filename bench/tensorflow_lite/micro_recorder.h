// SPDX-License-Identifier: Apache-2.0
// TFLite Micro's runner of one operator with a record of each run. The compiler includes this file before a
// kernel test of Micro, whose runners become recording ones.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tensorflow/lite/micro/kernels/kernel_runner.h"

namespace tflite::micro {

/// Runs as a KernelRunner does. The first run leaves a TFLite file of one operator in a folder of its own
/// below the folder that MICRO_RECORDS names, and each run its inputs and outputs beside it.
class RecordingRunner : public KernelRunner {
 public:
  RecordingRunner(const TFLMRegistration& registration, TfLiteTensor* tensors, int tensors_size,
                  TfLiteIntArray* inputs, TfLiteIntArray* outputs, const void* builtin_data,
                  TfLiteIntArray* intermediates = nullptr);

  TfLiteStatus InitAndPrepare(const char* init_data = nullptr, size_t length = 0);
  TfLiteStatus Invoke();

 private:
  void write_model() const;
  /// The data of these tensors as files RUN/NAME/TENSOR.npy.
  void write_values(const std::string& name, const std::vector<int>& which) const;
  std::vector<int> fed() const;
  bool is_state(int tensor) const { return tensors_[tensor].is_variable; }

  const TFLMRegistration registration_;
  TfLiteTensor* tensors_;
  std::vector<int> inputs_, outputs_, intermediates_;
  const void* options_;
  std::string custom_options_;
  std::filesystem::path folder_;
  int runs_ = 0;
};

}  // namespace tflite::micro

#define KernelRunner RecordingRunner
