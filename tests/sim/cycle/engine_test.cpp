// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"

#include "sim/trace/recorder.h"
#include "sim/trace/statistics.h"
#include "tests/sim/engine_cases.h"

namespace vdla::sim {
namespace {

std::unique_ptr<Engine> make(const isa::Variant& v) { return make_cycle_engine(v, 16 << 20); }

INSTANTIATE_TEST_SUITE_P(Cycle, EngineCases, testing::Values(make), [](const auto&) { return "engine"; });

}  // namespace
}  // namespace vdla::sim
