// SPDX-License-Identifier: Apache-2.0
// A device whose runs last as long as a test wants, and a folder for a cache.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "runtime/container/module_file.h"
#include "runtime/container/signature.h"
#include "support/error.h"
#include "tools/remote/device.h"
#include "tools/remote/module_cache.h"
#include "tools/remote/service.h"

namespace vdla::remote::testing {

class FakeDevice final : public LeasedDevice {
 public:
  std::atomic<int> loaded = 0;   ///< modules on it now
  std::atomic<int> running = 0;  ///< runs now
  std::atomic<int> reopened = 0;
  std::atomic<int> renewed = 0;
  std::atomic<bool> reopening = false;
  std::string why_broken;  ///< what the next run says of its process
  bool attached = false;
  int blocks = 0;  ///< of its memory, that desks have

  Facts facts() override {
    EXPECT_FALSE(reopening) << "asked while it is made anew";
    return {.device = "fake", .has_time = true};
  }
  std::unique_ptr<Loaded> load(const runtime::Bytes&, const RunOptions&,
                               std::function<std::string()> why) override {
    return std::make_unique<Module>(*this, std::move(why));
  }
  /// Of the transport: there is memory, and nothing else.
  const vdla_transport* attach() override {
    attached = true;
    transport_.context = this;
    transport_.time_unit = "us";
    transport_.alloc = [](void* c, std::uint64_t, std::uint64_t, std::uint64_t* address) {
      *address = 4096 * static_cast<std::uint64_t>(++static_cast<FakeDevice*>(c)->blocks);
      return 0;
    };
    transport_.free = [](void* c, std::uint64_t) {
      EXPECT_TRUE(static_cast<FakeDevice*>(c)->attached) << "given back too late";
      --static_cast<FakeDevice*>(c)->blocks;
    };
    transport_.read32 = [](void*, std::uint32_t, std::uint32_t*) { return 1; };
    transport_.last_error = [](void*) { return "no registers"; };
    transport_.configured = [](void*, const char** said) {
      *said = "fpga0 'operating'";
      return 0;
    };
    return &transport_;
  }
  void detach() override { attached = false; }
  std::string broken() override { return why_broken; }
  void renew() override {
    why_broken.clear();
    ++renewed;
  }
  void reopen(const std::function<void()>& work) override {
    reopening = true;
    try {
      work();
    } catch (...) {
      reopening = false;
      throw;
    }
    reopening = false;
    ++reopened;
  }

 private:
  vdla_transport transport_{};

  /// An input that is empty: for ever. "fail": the device fails. Others come back.
  class Module final : public Loaded {
   public:
    Module(FakeDevice& device, std::function<std::string()> why) : device_(device), why_(std::move(why)) {
      ++device_.loaded;
    }
    ~Module() override { --device_.loaded; }
    RunReply run(const std::vector<runtime::Bytes>& inputs) override {
      ++device_.running;
      while (inputs.at(0).empty() && why_().empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --device_.running;
      VDLA_CHECK_USER(device_.why_broken.empty()) << device_.why_broken;
      RunReply reply;
      if (inputs.at(0).empty()) reply.failed = {why_(), "text", "{}", nullptr};
      if (inputs.at(0).size() == 4) reply.failed = {"it failed", "text", "{}", nullptr};
      reply.result.outputs = inputs;
      reply.result.cycles = 42;
      return reply;
    }
    std::string timeline() override { return "[]"; }

   private:
    FakeDevice& device_;
    std::function<std::string()> why_;
  };
};

inline Caller nobody() {
  return {"", [] { return false; }, [] {}};
}

/// A service with a fake device, in a folder that goes with it.
struct FakeBoard {
  explicit FakeBoard(ServiceOptions options = {}, const CacheLimits& limits = {})
      : folder(std::filesystem::temp_directory_path() / ("vdla_remote_test_" + std::to_string(getpid()))),
        cache(folder, limits),
        service(device, cache, std::move(options)) {}
  ~FakeBoard() { std::filesystem::remove_all(folder); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder;
  FakeDevice device;
  ModuleCache cache;
  BoardService service;
};

/// Waits for what another thread does, at most 10 s.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return condition();
}

/// A module file of at least so many bytes, whose output is its input.
inline runtime::Bytes module_file(std::size_t bytes = 0) {
  runtime::Module module;
  module.model_name = "nothing";
  module.target = "cpu";
  runtime::Tensor tensor;
  tensor.name = "x";
  tensor.shape = {1};
  module.tensors = {tensor};
  runtime::Port port;
  port.name = "x";
  port.model_shape = {1};
  module.inputs = module.outputs = {port};
  if (bytes > 0)
    module.other_sections.push_back({.name = "padding", .required = false, .bytes = runtime::Bytes(bytes)});
  return runtime::serialize(module);
}

inline std::string sha256_of(const runtime::Bytes& file) {
  return runtime::to_string(runtime::Hash().add(file).finish());
}

}  // namespace vdla::remote::testing
