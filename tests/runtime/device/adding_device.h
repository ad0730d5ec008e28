// SPDX-License-Identifier: Apache-2.0
// A device for programs of a GPU, for tests of who uses it: it keeps a diary, and computes when somebody
// waits.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/grid/device.h"
#include "runtime/module/tensor.h"
#include "support/error.h"

namespace vdla::runtime {

/// Adds the first byte of what the second argument of a launch has to what the first one has.
class AddingDevice final : public gpu::Device {
 public:
  std::string name() const override { return "adder"; }
  std::string_view clock() const override { return "a diary"; }
  std::unique_ptr<gpu::Loaded> load(const gpu::Program& program) override;

  /// "load", "write 0", "start", "wait", "read 2"; those of the second program have its name in front.
  std::vector<std::string> diary;
  std::string fails;  ///< the entry
  int running = 0;    ///< programs
  void note(const std::string& what) {
    diary.push_back(what);
    VDLA_CHECK_USER(what != fails) << "no room for it";
  }

 private:
  int loaded_ = 0;
};

class AddingProgram final : public gpu::Loaded {
 public:
  AddingProgram(AddingDevice& device, const gpu::Program& program, std::string name)
      : device_(device), launches_(program.launches), name_(std::move(name)) {
    for (const std::size_t bytes : program.buffer_bytes) buffers_.emplace_back(bytes);
  }
  void write(std::size_t buffer, std::span<const std::byte> bytes) override {
    require_rest("is written to");
    device_.note(name_ + "write " + std::to_string(buffer));
    buffers_.at(buffer).assign(bytes.begin(), bytes.end());
  }
  void read(std::size_t buffer, std::span<std::byte> bytes) override {
    require_rest("is read");
    device_.note(name_ + "read " + std::to_string(buffer));
    std::ranges::copy(buffers_.at(buffer), bytes.begin());
  }
  void start() override {
    require_rest("begins again");
    device_.note(name_ + "start");
    is_running_ = true;
    ++device_.running;
  }
  void wait() override {
    VDLA_CHECK(is_running_) << "somebody waits for a program that does not run";
    is_running_ = false;
    --device_.running;
    device_.note(name_ + "wait");
    for (const gpu::Launch& l : launches_)
      for (std::size_t i = 0; i < buffers_[l.arguments[2]].size(); ++i)
        buffers_[l.arguments[2]][i] =
            static_cast<std::byte>(std::to_integer<int>(buffers_[l.arguments[0]][i]) +
                                   std::to_integer<int>(buffers_[l.arguments[1]][0]));
  }
  std::vector<double> run_timed(std::span<const std::size_t> ends) override {
    VDLA_CHECK(device_.running == 0) << "a program is timed while another one runs";
    device_.note(name_ + "run timed");
    return {ends.begin(), ends.end()};
  }

 private:
  void require_rest(const char* what) const {
    VDLA_CHECK(!is_running_) << "a program " << what << " while it runs";
  }

  AddingDevice& device_;
  std::vector<gpu::Launch> launches_;
  std::vector<Bytes> buffers_;
  const std::string name_;
  bool is_running_ = false;
};

inline std::unique_ptr<gpu::Loaded> AddingDevice::load(const gpu::Program& program) {
  note("load");
  return std::make_unique<AddingProgram>(*this, program, loaded_++ == 0 ? "" : "second: ");
}

}  // namespace vdla::runtime
