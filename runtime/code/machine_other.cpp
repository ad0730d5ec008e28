// SPDX-License-Identifier: Apache-2.0
// A kind of machine that the kit makes and loads no code for: loop programs of kernels are interpreted.
#include "runtime/code/machine.h"

namespace vdla::runtime::machine {

const std::uint16_t kElf = 0;
const std::string_view kArchitecture = "this kind of machine";
bool is_architecture(std::string_view) { return false; }
std::optional<Relocation> relocation(std::uint32_t) { return std::nullopt; }
std::int64_t addend_in(std::uint32_t, const std::byte*) { return 0; }
bool relocate(std::uint32_t, std::byte*, std::uint64_t, std::uint64_t, std::int64_t) { return false; }
void write_veneer(std::byte*, std::uint64_t) {}
std::span<const Feature> features() { return {}; }
std::span<const Cpu> cpus() { return {}; }

}  // namespace vdla::runtime::machine
