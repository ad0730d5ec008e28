// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/machine.h"

#include <algorithm>

#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/cycle/fetch_unit.h"
#include "sim/cycle/gemm_unit.h"
#include "sim/cycle/load_unit.h"
#include "sim/cycle/program_stack.h"
#include "sim/cycle/store_unit.h"
#include "sim/cycle/vector_unit.h"
#include "sim/functional/digest.h"

namespace vdla::sim {
namespace {

/// From the end of a run to the next: more than processes that saw the end need to come to rest.
constexpr Cycle kRestartCycles = 4;
constexpr unsigned kLoad = 0, kGemm = 1, kVector = 2, kStore = 3;

}  // namespace

/// SystemC keeps its state in one current context; each machine brings its own and makes it current while it
/// works.
struct Machine::Context {
  Context() : own(new sc_core::sc_simcontext()) {}
  ~Context() { delete own; }
  sc_core::sc_simcontext* own;
};

namespace {

class Enter {
 public:
  explicit Enter(sc_core::sc_simcontext* context) : before_(sc_core::sc_curr_simcontext) {
    sc_core::sc_curr_simcontext = context;
  }
  ~Enter() { sc_core::sc_curr_simcontext = before_; }
  Enter(const Enter&) = delete;
  Enter& operator=(const Enter&) = delete;

 private:
  sc_core::sc_simcontext* before_;
};

void simulate(const sc_core::sc_time& duration, sc_core::sc_starvation_policy policy) {
  const ProgramStack stack;
  sc_core::sc_start(duration, policy);
}

}  // namespace

struct Machine::Parts {
  Parts(const isa::Variant& variant, const CycleOptions& options, const isa::Windows& windows, Core& core,
        const Memory& memory, const Reporter& reporter);

  UnitLinks links(unsigned unit);
  TokenChannel& token_channel(unsigned from, unsigned to);
  FetchLinks fetch_links();
  void fail(const isa::Fault& fault, isa::Unit unit, std::uint32_t insn);
  void finish(std::uint32_t sequence);
  void end();
  /// First cycle from which on nothing happens any more, when nothing can.
  Cycle quiet_from() const;
  std::array<QueueUnit*, isa::kQueueUnits> units() { return {&load, &gemm, &vector, &store}; }

  std::optional<isa::Fault> execute(const isa::Insn& insn);

  const isa::Variant& variant;
  const CycleOptions options;
  const isa::Windows& windows;
  Core& core;
  const Memory& memory;
  const Reporter& reporter;
  std::optional<trace::WriteDigest> write_digest;  ///< made when digests are asked for
  dram::Dram dram;
  Cycle horizon = 0;  ///< processes that run ahead stay before it
  std::array<std::unique_ptr<Channel<QueuedInsn>>, isa::kQueueUnits> queues;
  std::array<std::array<std::unique_ptr<TokenChannel>, isa::kQueueUnits>, isa::kQueueUnits>
      tokens;  ///< [from][to]
  SramPorts sram_ports;
  VectorUnit vector;
  GemmUnit gemm;
  LoadUnit load;
  StoreUnit store;
  FetchUnit fetch;
  ReadPort read_port;

  End end_reason = End::Running;
  bool used = false;
  Cycle started = 0, ended = 0;
  std::uint32_t sequence = 0;
  Error error{};

 private:
  std::array<std::unique_ptr<Channel<QueuedInsn>>, isa::kQueueUnits> make_queues() const;
};

std::array<std::unique_ptr<Channel<QueuedInsn>>, isa::kQueueUnits> Machine::Parts::make_queues() const {
  std::array<std::unique_ptr<Channel<QueuedInsn>>, isa::kQueueUnits> made;
  for (unsigned unit = 0; unit < isa::kQueueUnits; ++unit) {
    const unsigned depth = variant.geometry.queue(static_cast<isa::Unit>(unit));
    made[unit] = std::make_unique<Channel<QueuedInsn>>(depth);
    made[unit]->stall(options.stalls.of_link(unit));
  }
  return made;
}

Machine::Parts::Parts(const isa::Variant& v, const CycleOptions& o, const isa::Windows& w, Core& c,
                      const Memory& m, const Reporter& r)
    : variant(v),
      options(o),
      windows(w),
      core(c),
      memory(m),
      reporter(r),
      dram(dram::make_machine_config(v.timing)),
      queues(make_queues()),
      sram_ports("sram_ports"),
      vector("vector", links(kVector), sram_ports),
      gemm("gemm", links(kGemm), core.sram(), sram_ports),
      load("load", links(kLoad), windows, dram.config().burst_bytes, sram_ports),
      store("store", links(kStore), windows, dram, sram_ports, horizon),
      fetch("fetch", fetch_links()),
      read_port("read", dram, fetch.read_client(), load.read_client(), reporter, horizon) {
  fetch.set_units(units());
}

TokenChannel& Machine::Parts::token_channel(unsigned from, unsigned to) {
  auto& channel = tokens[from][to];
  if (channel == nullptr) {
    channel = std::make_unique<TokenChannel>(variant.geometry.token_depth);
    const unsigned link = isa::kQueueUnits + 2 * (from * isa::kQueueUnits + to);
    channel->stall(options.stalls.of_link(link), options.stalls.of_link(link + 1));
  }
  return *channel;
}

UnitLinks Machine::Parts::links(unsigned unit) {
  UnitLinks made{variant.geometry, *queues[unit], {}, {}, {}, {}, {}, reporter};
  for (unsigned other = 0; other < isa::kQueueUnits; ++other) {
    if (other == unit) continue;
    made.pops[other] = &token_channel(other, unit);
    made.pushes[other] = &token_channel(unit, other);
  }
  made.execute = [this](const isa::Insn& insn) { return execute(insn); };
  made.digest = [this](const isa::Insn& insn) {
    const bool contents = reporter.wants_contents();
    if (!write_digest) write_digest.emplace(variant.geometry);
    write_digest->keep_writes(contents);
    const std::uint64_t digest = digest_of(insn, core.sram(), windows, memory, *write_digest);
    if (contents) reporter.wrote(isa::unit_of(insn), write_digest->take_writes());
    return digest;
  };
  made.fail = [this](const isa::Fault& fault, isa::Unit u, std::uint32_t insn) { fail(fault, u, insn); };
  return made;
}

/// Micro-ops say which accumulator bank gemm uses; no other data steer time.
std::optional<isa::Fault> Machine::Parts::execute(const isa::Insn& insn) {
  if (options.timing_only) {
    const auto* move = std::get_if<isa::MemoryInsn>(&insn);
    if (move == nullptr || move->opcode != isa::Opcode::Load || move->buffer != isa::Buffer::Uop)
      return std::nullopt;
  }
  return core.execute(insn, windows);
}

FetchLinks Machine::Parts::fetch_links() {
  FetchLinks made{variant.geometry, dram.config().burst_bytes, windows, memory, {}, {}, {}, {}, reporter};
  for (unsigned u = 0; u < isa::kQueueUnits; ++u) made.queues[u] = queues[u].get();
  made.fail = [this](const isa::Fault& fault, isa::Unit u, std::uint32_t insn) { fail(fault, u, insn); };
  made.finish = [this](std::uint32_t s) { finish(s); };
  return made;
}

void Machine::Parts::end() {
  ended = sim::now() + 1;
  for (QueueUnit* unit : units()) unit->finish_trace(ended);
  fetch.finish_trace(ended);
  reporter.point(trace::EventType::Done, isa::Unit::Fetch, fetch.state().insn, ended);
  sc_core::sc_pause();
}

Cycle Machine::Parts::quiet_from() const {
  Cycle from = std::max(fetch.since(), read_port.free_from());
  for (const QueueUnit* unit :
       {static_cast<const QueueUnit*>(&load), static_cast<const QueueUnit*>(&gemm),
        static_cast<const QueueUnit*>(&vector), static_cast<const QueueUnit*>(&store)})
    from = std::max(from, unit->since());
  return from;
}

void Machine::Parts::fail(const isa::Fault& fault, isa::Unit unit, std::uint32_t insn) {
  if (end_reason != End::Running) return;
  end_reason = End::Failed;
  error = {fault, unit, insn};
  end();
}

void Machine::Parts::finish(std::uint32_t s) {
  if (end_reason != End::Running) return;
  end_reason = End::Finished;
  sequence = s;
  end();
}

Machine::Machine(const isa::Variant& variant, const CycleOptions& options, const isa::Windows& windows,
                 Core& core, const Memory& memory, const Reporter& reporter)
    : context_(std::make_unique<Context>()) {
  const Enter enter(context_->own);
  parts_ = std::make_unique<Parts>(variant, options, windows, core, memory, reporter);
}

Machine::~Machine() {
  const Enter enter(context_->own);
  parts_.reset();
}

bool Machine::can_start() const {
  return !parts_->used || (parts_->end_reason == End::Finished && parts_->fetch.clean());
}

void Machine::start(std::uint32_t insn_offset, std::uint32_t insn_count) {
  const Enter enter(context_->own);
  if (parts_->used) {
    simulate(cycles(kRestartCycles), sc_core::SC_RUN_TO_TIME);
    parts_->end_reason = End::Running;
    parts_->read_port.start();
    for (QueueUnit* unit : parts_->units()) unit->restart();
  }
  parts_->used = true;
  parts_->started = sim::now();
  parts_->reporter.point(trace::EventType::Start, isa::Unit::Fetch, 0, sim::now());
  parts_->fetch.start(insn_offset, insn_count);
}

Machine::End Machine::run(std::uint64_t limit, std::uint32_t stall_limit) {
  const Enter enter(context_->own);
  if (parts_->end_reason != End::Running) return parts_->end_reason;
  const Cycle end = sim::now() + std::min(limit, UINT64_MAX - sim::now());
  parts_->horizon = parts_->reporter.on() ? 0 : end;  // a timeline is told in its order
  if (sc_core::sc_pending_activity_at_current_time() ||
      sc_core::sc_time_to_pending_activity() <= cycles(limit))
    simulate(cycles(end - sim::now()), sc_core::SC_EXIT_ON_STARVATION);
  if (parts_->end_reason != End::Running) return parts_->end_reason;
  if (sc_core::sc_pending_activity()) {
    // The next event lies behind the limit: time passes all the same.
    if (sim::now() < end) simulate(cycles(end - sim::now()), sc_core::SC_RUN_TO_TIME);
    return parts_->end_reason;
  }
  if (stall_limit == 0) return End::Deadlock;
  const Cycle raised = parts_->quiet_from() + std::max(stall_limit, isa::kMinStallLimit);
  const Cycle until = std::min(raised, end);
  if (until > sim::now()) simulate(cycles(until - sim::now()), sc_core::SC_RUN_TO_TIME);
  if (raised <= sim::now())
    parts_->fail({isa::ErrorCode::Stall, 0}, isa::Unit::Fetch, parts_->fetch.state().insn);
  return parts_->end_reason;
}

std::uint64_t Machine::now() const {
  const Enter enter(context_->own);
  return sim::now();
}

std::uint32_t Machine::sequence() const { return parts_->sequence; }
const Machine::Error& Machine::error() const { return parts_->error; }

MachineCounters Machine::counters() const {
  const Enter enter(context_->own);
  MachineCounters c;
  const Cycle end = parts_->end_reason == End::Running ? sim::now() : parts_->ended;
  c.cycles = end - parts_->started;
  c.read_bytes = parts_->read_port.bytes();
  c.write_bytes = parts_->store.bytes();
  const auto units = parts_->units();
  const auto since = [&](Cycle at) {
    return at > parts_->started ? std::min(at - parts_->started, c.cycles) : 0;
  };
  for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
    const UnitCounters from = units[u]->counters(end);
    c.units[u] = {from.busy, from.token_stall, since(units[u]->since())};
  }
  c.fetch_since = since(parts_->fetch.since());
  return c;
}

std::vector<UnitState> Machine::unit_states() const {
  const Enter enter(context_->own);
  std::vector<UnitState> states;
  for (const QueueUnit* unit : parts_->units()) states.push_back(unit->state());
  states.push_back(parts_->fetch.state());
  return states;
}

}  // namespace vdla::sim

/// The SystemC library brings a main() of its own that wants this; it is never called.
extern "C" int sc_main(int, char**) { return 0; }
