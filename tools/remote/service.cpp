// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/service.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <new>
#include <thread>

#include "driver/core/device.h"
#include "isa/variants/variants.h"
#include "support/child_process.h"
#include "support/error.h"
#include "tools/remote/stoppable.h"

namespace vdla::remote {
namespace {

/// How often a lease looks whether it is over.
constexpr std::chrono::milliseconds kTick(20);
/// A lease that is over gives way within this time, or its run does not end.
constexpr std::chrono::seconds kGrace(5);
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostInputs = 4096;

/// 128 random bits.
std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  VDLA_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()))
      << "no random bits";
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// Takes the same time for all tokens that are wrong.
bool same_token(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

/// Name that a stranger gives itself, as it may stand on a terminal.
std::string printable(const std::string& name) {
  std::string text = name.substr(0, kLongestName);
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~' || c == '\''; }, '?');
  return text.empty() ? "somebody" : text;
}

/// Turns an exception of `body` into a sentence for the desk.
template <class Body>
Status guarded(Body body) {
  try {
    return body();
  } catch (const UserError& e) {
    return {Code::Refused, e.what()};
  } catch (const std::bad_alloc&) {
    return {Code::Refused, kNoMemory};
  } catch (const std::exception& e) {
    return {Code::Refused, fmt::format("a fault of the board's server, please report it: {}", e.what())};
  }
}

std::string run_hook(const std::string& command, double limit) {
  const CommandOutcome outcome = run_command({"/bin/sh", "-c", command}, {}, limit);
  VDLA_CHECK_USER(!outcome.late) << "the owner's command '" << command
                                 << "' was not done within the --command-limit of " << limit
                                 << " s, and was killed: " << outcome.tail;
  VDLA_CHECK_USER(outcome.status == 0) << "the owner's command '" << command << "' ended with status "
                                       << outcome.status << ": " << outcome.tail;
  return fmt::format("'{}' has run", command);
}

}  // namespace

class BoardService::Work {
 public:
  Work(BoardService& service, const std::string& token, const Caller& caller,
       std::function<void()> end_call = {})
      : service_(service) {
    const std::lock_guard lock(service.mutex_);
    std::optional<Lease>& lease = service.lease_;
    const bool last = !service.last_token_.empty() && same_token(service.last_token_, token);
    VDLA_CHECK_USER(!last) << service.last_reason_;
    VDLA_CHECK_USER(lease && same_token(lease->token, token))
        << "the call has no lease of this board, and needs one";
    VDLA_CHECK_USER(lease->broken.empty()) << lease->broken;
    VDLA_CHECK_USER(!lease->ending && Clock::now() < lease->until) << service.why_over(*lease);
    VDLA_CHECK_USER(!lease->busy) << "another call of this lease is at work; wait for its end";
    lease->busy = true;
    lease->end_call = std::move(end_call);
    service.caller_ = &caller;
    service.stopped_.clear();
  }
  ~Work() {
    {
      const std::lock_guard lock(service_.mutex_);
      service_.lease_->busy = false;
      service_.lease_->broken = service_.device_.broken();
      service_.lease_->end_call = {};
      service_.caller_ = nullptr;
    }
    service_.changed_.notify_all();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  BoardService& service_;
};

class BoardService::Direct {
 public:
  Direct(LeasedDevice& device, std::function<std::string()> why)
      : behind_(device.attach()),
        attached_{device},
        stoppable_(behind_, std::move(why)),
        accesses_(stoppable_.transport()) {}
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  driver::TransportFacts facts() const { return driver::facts_of(*behind_); }
  driver::AccessReply perform(const driver::AccessRequest& request) { return accesses_.perform(request); }
  /// Resets the device, so that it writes no more to memory that is given back.
  void reset() const {
    const auto device = std::make_unique<vdla_device>();
    if (vdla_probe(device.get(), behind_) == VDLA_DRIVER_OK) (void)vdla_reset(device.get());
  }

 private:
  struct Attached {
    LeasedDevice& device;
    ~Attached() { device.detach(); }
  };

  const vdla_transport* behind_;
  const Attached attached_;  // goes after the memory that accesses_ gives back
  StoppableTransport stoppable_;
  driver::Accesses accesses_;
};

BoardService::BoardService(LeasedDevice& device, ModuleCache& cache, ServiceOptions options)
    : device_(device), cache_(cache), options_(std::move(options)), facts_(own_facts()) {}

BoardService::~BoardService() { clear_device(); }

/// Resets the device.
void BoardService::clear_device() {
  loaded_.reset();
  if (direct_) direct_->reset();
  direct_.reset();
}

/// A lease whose device does not come back is told so when it uses it.
void BoardService::renew_device() {
  clear_device();
  try {
    device_.renew();
  } catch (const std::exception& e) {
    options_.log(e.what());
  }
}

std::string BoardService::why_over(const Lease& lease) const {
  return fmt::format("the lease of {} is over: it was for {} s; take a longer one with --lease", lease.holder,
                     lease.seconds);
}

std::string BoardService::who_has_it(const Lease& lease) const {
  const auto left = std::chrono::ceil<std::chrono::seconds>(lease.until - Clock::now());
  const auto until = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + left);
  return fmt::format(
      "the board is leased to {} until {:%H:%M:%S} UTC, in {} s; try again then, or when it is given back",
      lease.holder, fmt::gmtime(until), std::max<std::int64_t>(0, left.count()));
}

Facts BoardService::own_facts() {
  Facts facts = device_.facts();
  facts.can_flash = !options_.flash_command.empty();
  facts.max_upload = cache_.largest();
  return facts;
}

Facts BoardService::describe() {
  const std::lock_guard lock(mutex_);
  Facts facts = facts_;
  if (lease_) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(lease_->until - Clock::now());
    facts.holder = lease_->holder;
    facts.seconds_left = static_cast<std::uint32_t>(std::max<std::int64_t>(0, left.count()));
  }
  return facts;
}

Status BoardService::grant(const LeaseRequest& request, const Caller& caller, LeaseGrant& grant) {
  return guarded([&]() -> Status {
    VDLA_CHECK_USER(request.seconds > 0 && request.seconds <= options_.max_lease_seconds)
        << "a lease of " << request.seconds << " s, this board gives 1 to " << options_.max_lease_seconds
        << "; its owner sets that with --max-lease";
    const std::string who = printable(request.who);
    Lease lease{.token = new_token(),
                .holder = caller.name.empty() ? fmt::format("'{}'", who)
                                              : fmt::format("'{}' ({})", printable(caller.name), who),
                .seconds = request.seconds};
    std::unique_lock lock(mutex_);
    // One that is over ends its run first.
    changed_.wait_for(lock, kGrace,
                      [&] { return !lease_ || (!lease_->ending && Clock::now() < lease_->until); });
    if (lease_) return {Code::Refused, who_has_it(*lease_)};
    lease.until = Clock::now() + std::chrono::seconds(request.seconds);
    grant = {lease.token, lease.seconds};
    options_.log(fmt::format("leased to {} for {} s", lease.holder, lease.seconds));
    lease_ = std::move(lease);
    return {};
  });
}

void BoardService::end(const std::string& token, const std::string& reason) {
  {
    std::unique_lock lock(mutex_);
    if (!lease_ || lease_->ending || !same_token(lease_->token, token)) return;
    lease_->ending = true;
    if (lease_->end_call) lease_->end_call();
    changed_.wait(lock, [&] { return !lease_->busy; });
  }
  renew_device();  // while nothing else begins
  {
    const std::lock_guard lock(mutex_);
    last_token_ = token;
    last_reason_ = lease_->broken.empty() ? reason : lease_->broken;
    options_.log(last_reason_);
    lease_.reset();
  }
  changed_.notify_all();
}

Status BoardService::lease(const LeaseRequest& request, const Caller& caller,
                           const std::function<bool(const LeaseGrant&)>& granted) {
  LeaseGrant given;
  const Status status = grant(request, caller, given);
  if (!status.ok()) return status;
  std::string holder, over;
  Clock::time_point until;
  {
    const std::lock_guard lock(mutex_);
    holder = lease_->holder;
    until = lease_->until;
    over = why_over(*lease_);
  }
  bool there = granted(given), broken = false;
  while (there && !broken && Clock::now() < until) {
    std::this_thread::sleep_for(kTick);
    there = !caller.gone();
    const std::lock_guard lock(mutex_);
    broken = !lease_->broken.empty();
    if (broken) over = lease_->broken;
  }
  const std::string reason = there ? over : fmt::format("the lease of {} was given back", holder);
  end(given.token, reason);
  return there ? Status{Code::Refused, reason} : Status{};
}

runtime::Module BoardService::module_of(const runtime::Bytes& file, const std::string& sha256) const {
  return runtime::parse(file, "module " + sha256.substr(0, 12), options_.trust);
}

Status BoardService::upload(const UploadHead& head, const Caller& caller,
                            const std::function<bool(std::string& part)>& next) {
  return guarded([&]() -> Status {
    const Work work(*this, head.token, caller, caller.end);
    cache_.add(
        head.sha256, head.bytes,
        [&](std::string& part) {
          const bool more = next(part);
          if (!more) stopped_ = why_stop(caller);
          VDLA_CHECK_USER(stopped_.empty()) << stopped_;
          return more;
        },
        [&](const runtime::Bytes& file) { module_of(file, head.sha256); });
    options_.log(fmt::format("took module {} of {} bytes", head.sha256.substr(0, 12), head.bytes));
    return {};
  });
}

std::string BoardService::why_stop(const Caller& caller) {
  if (caller.gone()) return "the desk has cancelled the call or is gone";
  const std::lock_guard lock(mutex_);
  return lease_->ending || Clock::now() >= lease_->until ? why_over(*lease_) : "";
}

/// An engine would be made for any module; the one that is served has its geometry.
void BoardService::require_fit(const runtime::Module& module) {
  const std::lock_guard lock(mutex_);
  VDLA_CHECK_USER(!runtime::needs_device(module) || runtime::fits(facts_.about, module.variant.geometry))
      << "'" << module.model_name << "' is for variant " << isa::label(module.variant) << ": "
      << runtime::describe_mismatch(facts_.about, module.variant.geometry)
      << "; compile it again for the board's variant";
}

bool BoardService::load(const RunRequest& request) {
  const Key key{request.sha256, request.options};
  if (loaded_ && key == loaded_key_) return true;
  clear_device();  // its memory first
  const std::optional<runtime::Bytes> file = cache_.find(request.sha256);
  if (!file) return false;
  require_fit(module_of(*file, request.sha256));
  loaded_ = device_.load(*file, request.options, [this] {
    if (stopped_.empty() && caller_ != nullptr) stopped_ = why_stop(*caller_);
    return stopped_;
  });
  loaded_key_ = key;
  return true;
}

void BoardService::run_loaded(const RunRequest& request, RunReply& reply) {
  reply = loaded_->run(request.inputs);
  if (reply.failed && stopped_.empty()) options_.log(fmt::format("a run failed: {}", reply.failed->message));
  if (request.options.timeline != 0) reply.timeline = loaded_->timeline();
  // One that failed begins anew, and a timeline has ended.
  if (reply.failed || request.options.timeline != 0) loaded_.reset();
}

Status BoardService::run(const RunRequest& request, const Caller& caller, RunReply& reply) {
  return guarded([&]() -> Status {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    VDLA_CHECK_USER(request.options.threads <= cores)
        << "--threads " << request.options.threads << ", the board's processor has " << cores;
    VDLA_CHECK_USER(request.inputs.size() <= kMostInputs)
        << "a run with " << request.inputs.size() << " inputs, a board takes " << kMostInputs << " at most";
    const Work work(*this, request.token, caller);
    try {
      if (!load(request)) return {Code::Missing, "the board does not have the module"};
      run_loaded(request, reply);
    } catch (...) {
      loaded_.reset();
      if (!stopped_.empty()) return {Code::Refused, stopped_};
      throw;
    }
    // Steps on the CPU do not ask.
    if (stopped_.empty()) stopped_ = why_stop(caller);
    if (!stopped_.empty()) return {Code::Refused, stopped_};
    return {};
  });
}

Status BoardService::hook(const HookRequest& request, const Caller& caller, HookReply& reply) {
  return guarded([&]() -> Status {
    const Work work(*this, request.token, caller);
    const bool flash = request.hook == Hook::Flash;
    const std::string& command = flash ? options_.flash_command : options_.reset_command;
    VDLA_CHECK_USER(!flash || !command.empty()) << "the board's owner has set up no command that configures "
                                                   "its FPGA; vdla board serve --flash-command names one";
    clear_device();
    device_.reopen([&] {
      if (!command.empty()) reply.text = run_hook(command, options_.command_limit) + "; ";
    });
    Facts facts = own_facts();
    {
      const std::lock_guard lock(mutex_);
      facts_ = std::move(facts);
    }
    reply.text += "the device answers and was reset";
    options_.log(fmt::format("{}: {}", flash ? "flash" : "reset", reply.text));
    return {};
  });
}

Status BoardService::attach(const std::string& token, const Caller& caller, driver::TransportFacts& facts) {
  return guarded([&]() -> Status {
    VDLA_CHECK_USER(!options_.trust.trusted)
        << "the board runs signed modules alone (--trust), and its registers would be a way around that";
    const Work work(*this, token, caller);
    clear_device();
    direct_ = std::make_unique<Direct>(device_, [this] {
      if (stopped_.empty() && caller_ != nullptr) stopped_ = why_stop(*caller_);
      return stopped_;
    });
    facts = direct_->facts();
    return {};
  });
}

Status BoardService::access(const AccessCall& call, const Caller& caller, driver::AccessReply& reply) {
  return guarded([&]() -> Status {
    const Work work(*this, call.token, caller);
    VDLA_CHECK_USER(direct_ != nullptr)
        << "this lease is not attached to the device; it is, after a call of Attach";
    reply = direct_->perform(call.request);
    return {};
  });
}

}  // namespace vdla::remote
