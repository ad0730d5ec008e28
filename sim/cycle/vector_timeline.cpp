// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_timeline.h"

#include <algorithm>

#include "sim/functional/range.h"
#include "support/error.h"

namespace vdla::sim {

using isa::Buffer;

void VectorTimeline::start(std::uint32_t index, const isa::VectorInsn& insn, Cycle at) {
  VDLA_CHECK(!pending_ && at >= cycle_)
      << "vector instruction " << index << " starts at " << at << ", simulated to " << cycle_;
  pending_ = insn;
  pending_at_ = at;
  pending_index_ = index;
}

/// Bit per accumulator bank that an instruction may touch.
unsigned VectorTimeline::banks_of(const isa::VectorInsn& insn) const {
  unsigned banks = 0;
  const auto add = [&](Buffer buffer, std::uint16_t base, std::uint16_t isa::VectorLevel::* stride) {
    if (buffer != Buffer::Acc) return;
    IndexRange range{base, base};
    for (const isa::VectorLevel& level : insn.levels) range.add(level.count, level.*stride);
    const bool one =
        range.inside(std::int64_t{half_} * isa::kAccBanks) && range.low / half_ == range.high / half_;
    banks |= one ? 1u << (range.low / half_) : 3u;
  };
  add(insn.dst_buffer, insn.dst_base, &isa::VectorLevel::dst_stride);
  add(insn.a_buffer, insn.a_base, &isa::VectorLevel::a_stride);
  return banks;
}

bool VectorTimeline::nest_last() const {
  bool last = true;
  for (unsigned l = 0; l < isa::kLevels; ++l) last = last && counters_[l] + 1u == insn_.levels[l].count;
  return last;
}

/// An earlier step in the pipeline will write, or writes now, what stage 1 wants to read.
bool VectorTimeline::hazard() const {
  if (in_pipe_ == 0) return false;
  for (const Step& s : pipe_)
    if (s.valid && s.dst == a1_ && s.dst_buffer == insn1_.a_buffer) return true;
  return false;
}

VectorTimeline::Decision VectorTimeline::decide(const PortUse& ports) const {
  const Step &s7 = stage(7), &s8 = stage(8), &s9 = stage(9);
  const bool reads_c = s7.valid && s7.reads_acc;
  Decision d{};
  d.stall = (reads_c && ports.acc_read(bank(s7.dst), cycle_)) ||
            (s8.valid && s8.dst_buffer == Buffer::Acc && ports.acc_write(bank(s8.dst), cycle_)) ||
            (s9.valid && s9.dst_buffer == Buffer::Inp && ports.inp_write(cycle_)) ||
            (s9.valid && s9.dst_buffer == Buffer::Out && ports.out_write(cycle_));
  bool ready1 = !valid1_;
  if (valid1_) {
    const bool want = scale_ready() && !hazard();
    bool grant = true;
    if (want && insn1_.a_buffer == Buffer::Acc)
      grant = !ports.acc_read(bank(a1_), cycle_) && !(reads_c && bank(s7.dst) == bank(a1_));
    else if (want && insn1_.a_buffer == Buffer::Inp)
      grant = !ports.inp_read(cycle_);
    else if (want)
      grant = !ports.out_read(cycle_);
    d.go = want && grant && !d.stall;
    d.port_stall = want && !grant;
    d.fetch_par = !scale_ready() && par_state_ == 0 && in_pipe_ == 0;
    ready1 = d.go;
  }
  d.step0 = active_ && ready1;
  return d;
}

void VectorTimeline::advance_nest() {
  const auto go = [&](const isa::VectorLevel& level, unsigned times) {
    at_.dst = static_cast<std::uint16_t>(at_.dst + times * level.dst_stride);
    at_.a = static_cast<std::uint16_t>(at_.a + times * level.a_stride);
    at_.b = static_cast<std::uint16_t>(at_.b + times * level.b_stride);
  };
  for (unsigned l = isa::kLevels; l-- > 0;) {
    const isa::VectorLevel& level = insn_.levels[l];
    if (++counters_[l] < level.count) {
      go(level, 1);
      break;
    }
    counters_[l] = 0;
    if (level.count > 1) go(level, 1u - level.count);  // modulo 2^16
  }
  at_.first = insn_.init && isa::at_start(counters_, insn_.reduce_mask);
}

/// Notes what happens from the current cycle to `end`.
void VectorTimeline::note(bool stall, Cycle end) {
  if (!intervals_.empty() && intervals_.back().end == cycle_ && intervals_.back().stall == stall &&
      intervals_.back().insn == index1_)
    intervals_.back().end = end;
  else
    intervals_.push_back({index1_, stall, cycle_, end});
}

void VectorTimeline::apply(const Decision& d) {
  if (recording_ && (d.stall || d.port_stall || d.go)) note(d.stall || d.port_stall, cycle_ + 1);
  // Stages 2 to 9.
  if (!d.stall) {
    shift();
    if (d.go) {
      pipe_[head_] = step1_;
      ++in_pipe_;
    }
  }
  // Parameters of scale.
  if (d.step0 && begin_)
    par_valid_ = false;
  else if (par_state_ & 4)
    par_valid_ = true;
  else if (d.fetch_par)
    par_valid_ = false;
  par_state_ = (par_state_ << 1 | (d.fetch_par ? 1 : 0)) & 7;
  if (d.fetch_par) par_b_ = b1_;
  // Stages 0 and 1.
  if (d.step0) {
    const isa::VectorStep& s = at_;
    const bool reads_acc = !s.first && isa::reads_accumulator(insn_.op, insn_.dst_buffer);
    step1_ = {true, s.first, nest_last(), reads_acc, insn_.dst_buffer, s.dst};
    a1_ = s.a;
    b1_ = s.b;
    if (begin_) {
      insn1_ = insn_;
      index1_ = index_;
    }
    valid1_ = true;
    begin_ = false;
    if (step1_.last) active_ = false;
    advance_nest();
  } else if (d.go) {
    valid1_ = false;
  }
}

void VectorTimeline::step(const PortUse& ports) {
  const Decision d = decide(ports);
  apply(d);
  if (pending_ && pending_at_ == cycle_) {
    VDLA_CHECK(!active_) << "vector instruction " << pending_index_ << " starts while another is in its nest";
    insn_ = *pending_;
    banks_ = banks_of(insn_);
    index_ = pending_index_;
    counters_ = {};
    at_ = isa::vector_step_at(insn_, counters_);
    active_ = begin_ = true;
    pending_.reset();
  }
  ++cycle_;
}

/// Iterations from here on that need no look: neither the last ones nor a change of what is kept of b.
std::uint64_t VectorTimeline::plain_steps() const {
  std::uint64_t steps = 0, inner = 1;
  for (unsigned l = isa::kLevels; l-- > 0;) {
    const isa::VectorLevel& level = insn_.levels[l];
    if (level.count > 1 && level.b_stride != 0 && isa::operation_of(insn_.op).keeps_b()) break;
    steps += inner * (level.count - 1u - counters_[l]);
    inner *= level.count;
  }
  return steps;
}

/// No other unit uses a port that this instruction wants before that cycle.
VectorTimeline::Cycle VectorTimeline::quiet_until(const PortUse& ports) const {
  return ports.quiet_until(cycle_, banks_, insn_.a_buffer == Buffer::Inp, insn_.a_buffer == Buffer::Out,
                           insn_.dst_buffer);
}

/// First cycle from here on in which no other unit reads where the step in stage 1 wants to.
VectorTimeline::Cycle VectorTimeline::operand_free(const PortUse& ports) const {
  if (insn1_.a_buffer == Buffer::Acc) return ports.acc_read_free(bank(a1_), cycle_);
  return insn1_.a_buffer == Buffer::Inp ? ports.inp_read_free(cycle_) : ports.out_read_free(cycle_);
}

/// With empty stages behind it, a step that waits for a port that another unit reads by changes nothing.
bool VectorTimeline::skip_stall(const PortUse& ports, Cycle limit) {
  if (!valid1_ || par_state_ != 0 || !scale_ready()) return false;
  const Cycle free = std::min(operand_free(ports), limit);
  if (free <= cycle_) return false;
  if (recording_) note(true, free);
  cycle_ = free;
  return true;
}

/// Cycles from here on in which stage 1 cannot move whatever the stages behind it do, at most until those are
/// empty; 0: it could.
VectorTimeline::Cycle VectorTimeline::held_back(const PortUse& ports) const {
  unsigned newest = 2;
  while (!stage(newest).valid) ++newest;
  const Cycle empty = 10 - newest;
  if (!valid1_) return active_ ? 0 : empty;
  if (!scale_ready()) return empty;
  return hazard() ? 0 : std::min(empty, operand_free(ports) - cycle_);
}

/// Stages 2 to 9 move on alone while stage 1 is held back and no other unit wants their ports.
bool VectorTimeline::skip_drain(const PortUse& ports, Cycle limit) {
  if (par_state_ != 0) return false;
  Cycle n = std::min(held_back(ports), limit - cycle_);
  if (n < 2) return false;
  unsigned banks = 0;
  bool inp = false, out = false;
  for (const Step& s : pipe_) {
    if (!s.valid) continue;
    if (s.dst_buffer == Buffer::Acc) banks |= 1u << bank(s.dst);
    inp |= s.dst_buffer == Buffer::Inp;
    out |= s.dst_buffer == Buffer::Out;
  }
  const auto quiet = [&](unsigned b, Buffer written) {
    n = std::min(n, ports.quiet_until(cycle_, b, false, false, written) - cycle_);
  };
  if (banks != 0) quiet(banks, Buffer::Acc);
  if (inp) quiet(0, Buffer::Inp);
  if (out) quiet(0, Buffer::Out);
  if (n < 2) return false;
  if (recording_ && valid1_ && scale_ready()) note(true, cycle_ + n);
  for (const Cycle end = cycle_ + n; cycle_ < end; ++cycle_) shift();
  return true;
}

/// Stages 2 to 9 advance; nothing enters stage 2.
void VectorTimeline::shift() {
  const Step& last = stage(9);
  if (last.valid) {
    --in_pipe_;
    if (last.last) done_at_[done_++ % done_at_.size()] = cycle_;
  }
  head_ = (head_ + 7) & 7;
  pipe_[head_].valid = false;
}

/// A step each cycle that nothing can hold back: several pass without a look, many at once when the stages
/// are full of them.
bool VectorTimeline::skip_steps(const PortUse& ports, Cycle limit) {
  constexpr unsigned kStages = 8, kWorth = 16;
  if (!active_ || begin_ || !valid1_ || par_state_ != 0) return false;
  if (insn_.a_buffer == insn_.dst_buffer || index1_ != index_) return false;
  if (!scale_ready() || (isa::operation_of(insn_.op).keeps_b() && at_.b != b1_)) return false;
  bool steady = in_pipe_ == kStages;
  for (const Step& s : pipe_) {
    if (!s.valid) continue;
    // Steps of the instruction before use the same ports as this one's.
    if (s.dst_buffer != insn_.dst_buffer || (s.dst_buffer == Buffer::Acc && (banks_ >> bank(s.dst) & 1) == 0))
      return false;
    steady = steady && !s.last;
  }
  std::uint64_t n = std::min<std::uint64_t>({plain_steps(), quiet_until(ports) - cycle_, limit - cycle_});
  if (n < 2) return false;
  if (!steady || n <= kWorth) {
    n = std::min<std::uint64_t>(n, kStages);
  } else {
    n -= kStages + 1;
  }
  if (recording_) note(false, cycle_ + n);
  if (n > kStages) {
    // The last of these steps are then in the stages; they are made by going on as usual.
    std::uint64_t carry = n - kStages;
    for (unsigned l = isa::kLevels; l-- > 0 && carry > 0;) {
      carry += counters_[l];
      counters_[l] = static_cast<std::uint16_t>(carry % insn_.levels[l].count);
      carry /= insn_.levels[l].count;
    }
    at_ = isa::vector_step_at(insn_, counters_);
    cycle_ += n - kStages;
    n = kStages;
  }
  const bool recording = std::exchange(recording_, false);
  const Decision go{false, true, false, true, false};
  for (; n > 0; --n, ++cycle_) apply(go);
  recording_ = recording;
  return true;
}

bool VectorTimeline::skip(const PortUse& ports, Cycle limit) {
  if (in_pipe_ == 0 ? skip_stall(ports, limit) : skip_drain(ports, limit)) return true;
  return skip_steps(ports, limit);
}

void VectorTimeline::run(const PortUse& ports, Cycle limit) {
  while (cycle_ < limit) {
    if (idle()) {
      cycle_ = limit;
      return;
    }
    if (pending_ || !skip(ports, limit)) step(ports);
  }
}

void VectorTimeline::run_to_ready(const PortUse& ports, Cycle limit) {
  while (cycle_ < limit && (pending_ || (active_ && !(nest_last() && decide(ports).step0))))
    if (pending_ || !skip(ports, limit)) step(ports);
}

VectorTimeline::Cycle VectorTimeline::run_to_done(const PortUse& ports, std::uint64_t count) {
  while (done_ < count) {
    VDLA_CHECK(!idle()) << "no vector instruction is left to complete";
    if (pending_ || !skip(ports, ~Cycle{0})) step(ports);
  }
  return done_at_[(count - 1) % done_at_.size()];
}

}  // namespace vdla::sim
