// SPDX-License-Identifier: Apache-2.0
// Actions of a board's server for the calls of desks, without a network: one lease at a time, a cache of
// modules, runs, hooks. Everything that comes in is checked here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "runtime/container/module_file.h"
#include "tools/remote/device.h"
#include "tools/remote/interface.h"
#include "tools/remote/module_cache.h"

namespace vdla::remote {

struct ServiceOptions {
  runtime::LoadOptions trust{};  ///< trust in the modules that are run
  std::uint32_t max_lease_seconds = 3600;
  /// Commands of the shell; empty: none.
  std::string reset_command{}, flash_command{};
  double command_limit = 300;                                               ///< seconds that one may take
  std::function<void(const std::string&)> log = [](const std::string&) {};  ///< from any thread
};

// Long: a method for each call of the service over one lease.
class BoardService final : public Service {
 public:
  /// Both must outlive the service.
  BoardService(LeasedDevice& device, ModuleCache& cache, ServiceOptions options);
  ~BoardService() override;

  Facts describe() override;
  Status lease(const LeaseRequest& request, const Caller& caller,
               const std::function<bool(const LeaseGrant&)>& granted) override;
  Status upload(const UploadHead& head, const Caller& caller,
                const std::function<bool(std::string& part)>& next) override;
  Status run(const RunRequest& request, const Caller& caller, RunReply& reply) override;
  Status hook(const HookRequest& request, const Caller& caller, HookReply& reply) override;
  Status attach(const std::string& token, const Caller& caller, driver::TransportFacts& facts) override;
  Status access(const AccessCall& call, const Caller& caller, driver::AccessReply& reply) override;

  /// The two ends of lease(). `reason` is for later calls with the token.
  Status grant(const LeaseRequest& request, const Caller& caller, LeaseGrant& grant);
  void end(const std::string& token, const std::string& reason);

 private:
  using Clock = std::chrono::steady_clock;
  struct Lease {
    std::string token, holder;
    std::uint32_t seconds = 0;
    Clock::time_point until{};
    bool ending = false;               ///< nothing begins any more
    bool busy = false;                 ///< a call is at work
    std::function<void()> end_call{};  ///< ends that call, where it waits for its desk
    std::string broken{};              ///< text of what a call did that ended the device; empty: nothing
  };
  /// The device is a call's for so long.
  class Work;
  /// Part of a lease that accesses the device itself.
  class Direct;
  struct Key {
    std::string sha256;
    RunOptions options;
    bool operator==(const Key&) const = default;
  };

  /// Facts that do not depend on the lease.
  Facts own_facts();
  std::string why_over(const Lease& lease) const;
  std::string who_has_it(const Lease& lease) const;
  std::string why_stop(const Caller& caller);
  runtime::Module module_of(const runtime::Bytes& file, const std::string& sha256) const;
  void clear_device();
  void renew_device();
  void require_fit(const runtime::Module& module);
  bool load(const RunRequest& request);
  void run_loaded(const RunRequest& request, RunReply& reply);

  LeasedDevice& device_;
  ModuleCache& cache_;
  const ServiceOptions options_;

  std::mutex mutex_;  ///< guards the lease and the facts
  Facts facts_;       ///< facts of the device, kept for calls while it is made anew
  std::condition_variable changed_;
  std::optional<Lease> lease_;
  std::string last_token_, last_reason_;  ///< token and reason of the lease before

  // State of the call that is at work.
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<Direct> direct_;
  Key loaded_key_;
  const Caller* caller_ = nullptr;
  std::string stopped_;  ///< why the run was ended; empty: it was not
};

}  // namespace vdla::remote
