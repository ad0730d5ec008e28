// SPDX-License-Identifier: Apache-2.0
// The one list of what an engine reports about time. Every engine emits these events; timeline and statistics
// are derived from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/spec/memories.h"
#include "isa/spec/units.h"

namespace vdla::trace {

using Cycle = std::uint64_t;

// X(enumerator, "text", "doc").
//
// Insn events of one unit come in program order. Span events of one unit come in time order and do not
// overlap; cycles of a unit that no span covers are idle. Dispatch and Retire have begin == end. All engines
// with time tell the same events; sim/rtl/observer.h and sim/cycle/report.h decide alike.
#define VDLA_TRACE_EVENTS(X)                                                                               \
  X(Start, "start", "the device was started; unit fetch")                                                  \
  X(Dispatch, "dispatch", "fetch put an instruction into a unit's queue")                                  \
  X(Insn, "insn",                                                                                          \
    "one instruction: begin is the cycle in which it starts to work, end the cycle after its completion; " \
    "bytes moved from or to DRAM")                                                                         \
  X(Span, "span", "what a unit did in [begin, end), see activities")                                       \
  X(Retire, "retire", "an instruction has completed and its tokens are pushed")                            \
  X(Burst, "burst",                                                                                        \
    "a DRAM burst of this unit: begin is the address handshake, end the cycle after its last data")        \
  X(Done, "done", "the device is done; unit fetch")

// Activity of a unit in a cycle. Everything but busy is a reason to lose it. Where several hold, the first of
// these is told: push, bank, busy; with an instruction in flight memory (load, store) or setup (gemm,
// vector); pop; setup. A span's insn is the oldest in flight, or the head of the queue; where gemm is busy,
// the one whose step it is.
#define VDLA_TRACE_ACTIVITIES(X)                                                                 \
  X(Busy, "busy", "works: a step enters, a piece, chunk or beat moves, fetch dispatches")        \
  X(Idle, "idle", "has no instruction")                                                          \
  X(Pop, "pop", "waits for a token; peers: from whom")                                           \
  X(Push, "push", "waits for space in a token channel; peers: to whom")                          \
  X(Memory, "memory", "waits for DRAM: latency, a busy bus, too many requests in flight")        \
  X(Bank, "bank", "waits for an accumulator bank that another unit uses")                        \
  X(Setup, "setup", "fixed cost of an instruction: decoding, filling and draining the pipeline") \
  X(Queue, "queue", "fetch: waits for space in a unit's queue; peers: whose")                    \
  X(Drain, "drain", "fetch: has the finish, and waits for the other units")

#define VDLA_TRACE_ENUMERATOR(name, text, doc) name,
enum class EventType : std::uint8_t { VDLA_TRACE_EVENTS(VDLA_TRACE_ENUMERATOR) };
enum class Activity : std::uint8_t { VDLA_TRACE_ACTIVITIES(VDLA_TRACE_ENUMERATOR) };
#undef VDLA_TRACE_ENUMERATOR

#define VDLA_TRACE_TEXT(name, text, doc) std::string_view{text},
inline constexpr auto kEventTexts = std::to_array<std::string_view>({VDLA_TRACE_EVENTS(VDLA_TRACE_TEXT)});
inline constexpr auto kActivityTexts =
    std::to_array<std::string_view>({VDLA_TRACE_ACTIVITIES(VDLA_TRACE_TEXT)});
#undef VDLA_TRACE_TEXT

inline constexpr std::size_t kActivities = kActivityTexts.size();

constexpr std::string_view to_string(EventType e) { return kEventTexts[static_cast<std::size_t>(e)]; }
constexpr std::string_view to_string(Activity a) { return kActivityTexts[static_cast<std::size_t>(a)]; }

struct Event {
  EventType type = EventType::Span;
  isa::Unit unit = isa::Unit::Fetch;
  Activity activity = Activity::Idle;  ///< activity of a Span
  std::uint8_t peers = 0;              ///< peers of a Pop, Push or Queue span: bit per unit
  bool write = false;                  ///< direction of a Burst
  std::uint32_t insn = 0;              ///< index in the instruction stream
  Cycle begin = 0;
  Cycle end = 0;
  std::uint64_t bytes = 0;    ///< bytes of an Insn or Burst
  std::uint64_t address = 0;  ///< address of a Burst
  std::uint64_t digest = 0;   ///< digest of a Retire, at Detail::Writes: see sim/trace/digest.h

  bool operator==(const Event&) const = default;
};

/// Detail that a sink asks for.
enum class Detail : std::uint8_t {
  Timeline,  ///< all events
  Writes,    ///< Start, Retire and Done alone, each Retire with the digest of what its instruction wrote
  Contents,  ///< as Writes, and Sink::wrote()
};

/// Bytes that one instruction wrote, as it stands at the instruction's end; each place once.
struct Writes {
  /// A row of an SRAM entry.
  struct Row {
    isa::Buffer buffer;
    std::uint32_t row;  ///< row of the whole buffer: entry * rows of an entry + row
    std::size_t begin;  ///< offset in `bytes`
    std::size_t count;
  };
  /// An 8-byte word of memory.
  struct Word {
    std::uint64_t address;
    unsigned mask;        ///< bytes that were written
    std::uint64_t value;  ///< 0 in its other bytes
  };
  std::vector<Row> rows;
  std::vector<std::byte> bytes;
  std::vector<Word> words;
};

/// Receives events. Events of different units may come in any order.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Asked when the sink is handed to an engine.
  virtual Detail detail() const { return Detail::Timeline; }
  virtual void event(const Event& e) = 0;
  /// Called at Detail::Contents with what an instruction of the unit wrote: in the order of the unit's
  /// instructions, each before its Retire and before anything else writes to the same place.
  virtual void wrote(isa::Unit /*unit*/, const Writes& /*writes*/) {}
};

inline bool wants_writes(const Sink* sink) { return sink != nullptr && sink->detail() != Detail::Timeline; }

}  // namespace vdla::trace
