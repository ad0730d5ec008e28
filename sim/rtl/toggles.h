// SPDX-License-Identifier: Apache-2.0
// Bits of the hardware's nets that have risen and fallen, sampled once in each settled cycle. Compiled into
// libraries of build "coverage", whose nets are all public. (Verilator's own counters would make 75 MB of C++
// of this design, one statement for each bit, and count only that a bit changed.)
#ifndef VDLA_SIM_RTL_TOGGLES_H
#define VDLA_SIM_RTL_TOGGLES_H

#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_syms.h"

namespace vdla::sim {

class Toggles {
 public:
  /// All nets of the context's models but memories (arrays), parameters, and the copies of the ports in scope
  /// TOP.
  explicit Toggles(VerilatedContext& context) {
    for (const auto& [path, scope] : *context.scopeNameMap()) {
      if (scope->varsp() == nullptr) continue;
      for (const auto& [name, var] : *scope->varsp()) add(path, name, var);
    }
  }

  void sample() {
    for (Net& net : nets_) {
      const auto* now = static_cast<const unsigned char*>(net.data);
      unsigned char* last = &last_[net.at];
      if (started_ && std::memcmp(now, last, net.bytes) != 0) {
        for (std::size_t i = 0; i < net.bytes; ++i) {
          rise_[net.at + i] |= static_cast<unsigned char>(now[i] & ~last[i]);
          fall_[net.at + i] |= static_cast<unsigned char>(last[i] & ~now[i]);
        }
      }
      std::memcpy(last, now, net.bytes);
    }
    started_ = true;
  }

  /// A line for each net: "T scope name msb lsb rises falls", the masks in hexadecimal.
  void write(std::ostream& out) const {
    for (const Net& net : nets_)
      out << "T " << net.scope << ' ' << net.name << ' ' << net.msb << ' ' << net.lsb << ' '
          << hex(rise_, net) << ' ' << hex(fall_, net) << '\n';
  }

 private:
  struct Net {
    std::string scope, name;
    int msb = 0, lsb = 0;
    const void* data = nullptr;
    std::size_t bytes = 0, at = 0;
  };

  void add(const std::string& scope, const std::string& name, const VerilatedVar& var) {
    constexpr const char* kRoot = "vdla.";
    if (var.isParam() || var.udims() != 0 || scope.rfind(kRoot, 0) != 0) return;
    const bool vector = var.dims() != 0;
    Net net{scope.substr(std::strlen(kRoot)),
            name,
            vector ? var.packed().left() : 0,
            vector ? var.packed().right() : 0,
            var.datap(),
            var.totalSize(),
            last_.size()};
    for (std::vector<unsigned char>* bytes : {&last_, &rise_, &fall_}) bytes->resize(net.at + net.bytes);
    nets_.push_back(std::move(net));
  }

  static std::string hex(const std::vector<unsigned char>& masks, const Net& net) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = net.bytes; i-- > 0;) {
      text += kDigits[masks[net.at + i] >> 4];
      text += kDigits[masks[net.at + i] & 15];
    }
    return text;
  }

  std::vector<Net> nets_;
  std::vector<unsigned char> last_, rise_, fall_;
  bool started_ = false;
};

}  // namespace vdla::sim

#endif
