// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/pending.h"

namespace vdla::import::tensor {

/// Walks in a loop, since a row of operators can be longer than the stack is deep.
Quantized Deferred::quantized(Request request) const {
  std::vector<const Passing*> row;
  for (const Passing* p = last; p != nullptr; p = p->before) {
    row.push_back(p);
    if (p->request) request = p->request(request);
  }
  Quantized result = quantize(request);
  for (auto p = row.rbegin(); p != row.rend(); ++p)
    if ((*p)->result) result = (*p)->result(std::move(result));
  return result;
}

}  // namespace vdla::import::tensor
