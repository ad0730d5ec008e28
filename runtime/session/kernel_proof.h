// SPDX-License-Identifier: Apache-2.0
// Whether two kernels of a host step give the same bytes, whatever the data is: by running both on data that
// is drawn for it. Sums of floats in another order come out different there: the numbers have all 24 bits of
// a mantissa, and enough results are compared. Data of an inference would not do: what is zero, or small
// integers, adds up to the same in every order. Where results cannot show a last bit (floats become integers,
// or most results are the same), nothing is proven. Internal to the runtime.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/module/host_kernel.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

/// Kernel of a step, with what it runs by and what the step says of it.
struct ProvableKernel {
  const HostStep* step = nullptr;
  HostKernel run;
};

/// Whether that is proven. `constant`: where the bytes of a constant lie. The kernels run on memory of this
/// function's own.
bool give_equal_results(const Module& module, const ProvableKernel& own, const ProvableKernel& other,
                        const std::function<std::byte*(TensorIndex)>& constant);

}  // namespace vdla::runtime
