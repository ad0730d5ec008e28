// SPDX-License-Identifier: Apache-2.0
// A network with its numbers as an ONNX file.
#pragma once

#include <string>

#include "compiler/zoo/calibrate.h"
#include "compiler/zoo/form.h"

namespace vdla::zoo {

std::string write_onnx(const Calibrated& calibrated, Form form);

}  // namespace vdla::zoo
