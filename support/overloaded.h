// SPDX-License-Identifier: Apache-2.0
// The usual helper for std::visit over a closed variant.
#pragma once

namespace vdla {

template <class... Ts>
struct overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

}  // namespace vdla
