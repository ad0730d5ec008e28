// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/engine.h"

#include "tests/driver/recovery_cases.h"

namespace vdla::driver {
namespace {

INSTANTIATE_TEST_SUITE_P(Functional, Recovery, testing::Values([](const isa::Variant& v) {
                           return sim::make_functional_engine(v, kMemoryBytes);
                         }),
                         [](const auto&) { return "engine"; });

}  // namespace
}  // namespace vdla::driver
