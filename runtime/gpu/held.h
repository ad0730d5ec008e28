// SPDX-License-Identifier: Apache-2.0
// A handle of a driver that is given back; private to this folder.
#pragma once

#include <utility>

namespace vdla::gpu {

template <class Handle, class Status>
class Held {
 public:
  Held(Handle handle, Status (*release)(Handle)) : handle_(handle), release_(release) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held(Held&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})), release_(other.release_) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (handle_ != Handle{}) release_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_;
  Status (*release_)(Handle);
};

}  // namespace vdla::gpu
