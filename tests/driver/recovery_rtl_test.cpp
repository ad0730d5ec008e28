// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/engine.h"

#include "tests/driver/recovery_cases.h"
#include "tests/sim/built_rtl.h"

namespace vdla::driver {
namespace {

INSTANTIATE_TEST_SUITE_P(Rtl, Recovery, testing::Values([](const isa::Variant& v) {
                           return sim::make_rtl_engine(v, kMemoryBytes, sim::built_rtl(sim::RtlBuild::Check));
                         }),
                         [](const auto&) { return "engine"; });

}  // namespace
}  // namespace vdla::driver
