// SPDX-License-Identifier: Apache-2.0
// The rules of docs/timing.md on the hardware description.
#include "sim/rtl/engine.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/timing_cases.h"

namespace vdla::sim {
namespace {

INSTANTIATE_TEST_SUITE_P(Rtl, UnitTiming, testing::Values([](const isa::Variant& v) {
                           return make_rtl_engine(v, 16 << 20, built_rtl(RtlBuild::Check));
                         }),
                         [](const auto&) { return "engine"; });

}  // namespace
}  // namespace vdla::sim
