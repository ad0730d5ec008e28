// SPDX-License-Identifier: Apache-2.0
// Values as bytes between two processes of one program, which have the same structs. fields() lists those of
// a struct that is more than its bytes, once for both ways.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/device/recording.h"
#include "support/error.h"
#include "tools/remote/messages.h"

namespace vdla::remote {

template <class A>
void fields(A& a, SourceTensor& s) {
  a(s.name, s.likeness);
}
template <class A>
void fields(A& a, runtime::LayerResult& r) {
  a(r.name, r.op, r.step, r.sources, r.macs, r.ideal_gemm_cycles, r.cost);
}
template <class A>
void fields(A& a, runtime::Result& r) {
  a(r.outputs, r.cycles, r.read_bytes, r.write_bytes, r.steps, r.layers, r.warning);
}
template <class A>
void fields(A& a, runtime::Recording& r) {
  a(r.registers, r.insns);
}
template <class A>
void fields(A& a, FailedRun& r) {
  a(r.message, r.text, r.post_mortem_json, r.recording);
}
template <class A>
void fields(A& a, RunReply& r) {
  a(r.failed, r.result, r.timeline);
}
template <class A>
void fields(A& a, runtime::DeviceFacts& f) {
  a(f.isa_version, f.geometry_hash, f.numbers, f.build_id, f.clock_khz, f.address_bits);
}
template <class A>
void fields(A& a, Facts& f) {
  a(f.device, f.variant, f.about, f.has_time, f.holder, f.seconds_left, f.can_flash, f.max_upload);
}
template <class A>
void fields(A& a, driver::TransportFacts& f) {
  a(f.time_unit, f.arms, f.resets_hard, f.asks_fpga, f.units_per_second, f.first_wait, f.cache_line,
    f.dma_bits, f.dma_first, f.dma_bytes);
}
template <class A>
void fields(A& a, driver::AccessRequest& r) {
  a(r.kind, r.address, r.value, r.alignment, r.data);
}
template <class A>
void fields(A& a, driver::AccessReply& r) {
  a(r.error, r.value, r.spent, r.data);
}

class Packer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>)
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      fields(*this, const_cast<T&>(value));  // fields that are read alone
  }
  template <class T>
  void put_all(const T& list) {
    put(list.size());
    if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
      bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(typename T::value_type));
    else
      for (const auto& value : list) put(value);
  }
  void put(const std::string& text) { put_all(text); }
  template <class T>
  void put(const std::vector<T>& list) {
    put_all(list);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::shared_ptr<const T>& value) {
    put(value != nullptr);
    if (value) put(*value);
  }

  std::string bytes_;
};

/// UserError where the bytes are not those of such values: a process that has broken may send anything.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  std::string_view next(std::size_t size) {
    VDLA_CHECK_USER(size <= left_.size()) << "a message between processes is too short";
    const std::string_view part = left_.substr(0, size);
    left_.remove_prefix(size);
    return part;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = next(1)[0] != 0;
    else if constexpr (std::is_trivially_copyable_v<T>)
      std::memcpy(&value, next(sizeof value).data(), sizeof value);
    else
      fields(*this, value);
  }
  template <class T>
  void get_all(T& list) {
    using Value = typename T::value_type;
    std::size_t size = 0;
    get(size);
    VDLA_CHECK_USER(size <= left_.size())
        << "a message between processes has a wrong size";  // before memory is taken
    if constexpr (std::is_trivially_copyable_v<Value>) {
      const std::string_view part = next(size * sizeof(Value));
      list.resize(size);
      if (size > 0) std::memcpy(list.data(), part.data(), part.size());
    } else {
      list.clear();
      for (std::size_t i = 0; i < size; ++i) get(list.emplace_back());
    }
  }
  void get(std::string& text) { get_all(text); }
  template <class T>
  void get(std::vector<T>& list) {
    get_all(list);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there) get(value.emplace());
  }
  template <class T>
  void get(std::shared_ptr<const T>& value) {
    bool there = false;
    get(there);
    if (!there) return;
    auto made = std::make_shared<T>();
    get(*made);
    value = std::move(made);
  }

  std::string_view left_;
};

}  // namespace vdla::remote
