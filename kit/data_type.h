// SPDX-License-Identifier: Apache-2.0
// The compiler's types of elements as the runtime's.
#pragma once

#include "compiler/graph/types.h"
#include "runtime/module/tensor.h"

namespace vdla::kit {

runtime::DataType to_runtime(graph::DataType type);

}  // namespace vdla::kit
