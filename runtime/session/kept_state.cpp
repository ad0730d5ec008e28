// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/kept_state.h"

#include <algorithm>
#include <cstring>

#include "support/error.h"

namespace vdla::runtime {

void KeptState::reset() {
  for (const State& s : module_.states) std::ranges::copy(s.initial, data_(s.begin));
}

void KeptState::go_on() {
  for (const State& s : module_.states) std::memcpy(data_(s.begin), data_(s.end), s.initial.size());
}

std::vector<Bytes> KeptState::values() const {
  std::vector<Bytes> values;
  for (const State& s : module_.states) {
    const std::byte* begin = data_(s.begin);
    values.emplace_back(begin, begin + s.initial.size());
  }
  return values;
}

void KeptState::set(const std::vector<Bytes>& values) {
  VDLA_CHECK_USER(values.size() == module_.states.size())
      << "'" << module_.model_name << "' keeps " << module_.states.size() << " values, got " << values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const State& s = module_.states[i];
    VDLA_CHECK_USER(values[i].size() == s.initial.size())
        << "state '" << module_.tensors[s.begin].name << "' has " << s.initial.size() << " bytes, got "
        << values[i].size();
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    std::ranges::copy(values[i], data_(module_.states[i].begin));
}

}  // namespace vdla::runtime
