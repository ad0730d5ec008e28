// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"

#include "tests/driver/recovery_cases.h"

namespace vdla::driver {
namespace {

INSTANTIATE_TEST_SUITE_P(SystemC, Recovery, testing::Values([](const isa::Variant& v) {
                           return sim::make_cycle_engine(v, kMemoryBytes);
                         }),
                         [](const auto&) { return "engine"; });

}  // namespace
}  // namespace vdla::driver
