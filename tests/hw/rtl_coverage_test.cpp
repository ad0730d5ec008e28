// SPDX-License-Identifier: Apache-2.0
// Lines, nets and cover properties of the hardware (tiny): runs what reaches them, each part with its own
// checks, then holds the merged report of hw/coverage/coverage.py to its limits. One of the parts, drawn,
// runs always, on the library with assertions that other tests have.
#include <gmock/gmock.h>

#include "isa/random/draw.h"
#include "isa/spec/errors.h"
#include "isa/spec/fields.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "sim/memory.h"
#include "sim/rtl/engine.h"
#include "sim/rtl/testbench.h"
#include "support/bits.h"
#include "tests/hw/command.h"
#include "tests/hw/coverage_campaign.h"
#include "tests/part/part.h"
#include "tests/sim/built_rtl.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;
using isa::Register;

/// Both values of each bit, one after the other.
constexpr std::uint64_t kPatterns[] = {0xaaaa'aaaa'aaaa'aaaa, 0x5555'5555'5555'5555, 0xaaaa'aaaa'aaaa'aaaa};

const fs::path kFolder = fs::path(VDLA_BINARY_DIR) / "rtl-coverage";

/// The pins of the register port, cycle by cycle.
class Pins {
 public:
  Pins(const isa::Variant& variant, const RtlOptions& options)
      : model_(variant, options.directory, options.build) {
    in.rst = 1;
    for (int i = 0; i < 4; ++i) tick();
    in.rst = 0;
    tick();
  }
  void tick() {
    model_.settle(in, out);
    model_.clock();
  }
  /// The outputs that stand with these inputs, without an edge.
  void settle() { model_.settle(in, out); }
  void write(std::uint32_t offset, std::uint32_t value, unsigned strobes = 0xf) {
    in.axil_awvalid = in.axil_wvalid = in.axil_bready = 1;
    in.axil_awaddr = static_cast<std::uint16_t>(offset);
    in.axil_wdata = value;
    in.axil_wstrb = static_cast<std::uint8_t>(strobes);
    do tick();
    while (!out.axil_awready);
    in.axil_awvalid = in.axil_wvalid = 0;
    do tick();
    while (!out.axil_bvalid);
    in.axil_bready = 0;
  }
  std::uint32_t read(std::uint32_t offset) {
    in.axil_arvalid = in.axil_rready = 1;
    in.axil_araddr = static_cast<std::uint16_t>(offset);
    do tick();
    while (!out.axil_arready);
    in.axil_arvalid = 0;
    do tick();
    while (!out.axil_rvalid);
    in.axil_rready = 0;
    return out.axil_rdata;
  }
  RtlModel& model() { return model_; }

  vdla_rtl_inputs in{};
  vdla_rtl_outputs out{};

 private:
  RtlModel model_;
};

class RtlCoverage : public testing::Test {
 protected:
  RtlCoverage() : variant_(isa::load_variant("tiny")) {}

  /// Makes the parts run on a library that counts.
  void count() {
    fs::remove_all(kFolder / "data");
    fs::create_directories(kFolder / "data");
    RtlBuildOptions build;
    build.out_dir = kFolder;
    build.source = VDLA_SOURCE_DIR;
    build.build = RtlBuild::Coverage;
    ensure_rtl(variant_, build);
    counts_ = true;
  }

  RtlOptions options() {
    if (!counts_) return built_rtl(RtlBuild::Check);
    RtlOptions o;
    o.build = RtlBuild::Coverage;
    o.directory = kFolder;
    o.coverage_file = file();
    return o;
  }
  fs::path file() { return kFolder / "data" / (std::to_string(++files_) + ".dat"); }

  void programs();
  void registers();
  void interruptions();
  void wild_instructions();
  void carried_indices();
  void counters();

  struct Part {
    const char* name;
    void (RtlCoverage::*run)();
    bool sets_counters;  ///< which a library of build coverage alone lets it
  };
  static constexpr Part kParts[] = {
      {"programs", &RtlCoverage::programs, false},
      {"registers", &RtlCoverage::registers, false},
      {"interruptions", &RtlCoverage::interruptions, false},
      {"wild instructions", &RtlCoverage::wild_instructions, false},
      {"carried indices", &RtlCoverage::carried_indices, true},
      {"counters", &RtlCoverage::counters, true},
  };

  isa::Variant variant_;
  bool counts_ = false;
  unsigned files_ = 0;
};

void RtlCoverage::programs() {
  {
    const auto rtl = make_rtl_engine(variant_, kCampaignMemory, options());
    CoverageCampaign campaign(*rtl, variant_);
    ASSERT_NO_FATAL_FAILURE(campaign.directed());
    ASSERT_NO_FATAL_FAILURE(campaign.errors());
  }
  const auto rtl = make_rtl_engine(variant_, kCampaignMemory, options());
  CoverageCampaign campaign(*rtl, variant_);
  rtl->disturb({.seed = 3, .bus = 80, .latency = 60, .inside = 60});
  ASSERT_NO_FATAL_FAILURE(campaign.random(25));
}

/// Each bit of what a driver writes, byte strobes, and a master that takes its time.
void RtlCoverage::registers() {
  Pins pins(variant_, options());
  for (const std::uint64_t pattern : kPatterns) {
    const auto value = static_cast<std::uint32_t>(pattern);
    for (const isa::RegisterRow& row : isa::kRegisters) {
      const bool written = row.access == isa::Access::ReadWrite || row.access == isa::Access::ReadWriteIdle;
      if (!written || row.name == "CONTROL") continue;
      const bool window = row.offset >= at(Register::WINDOW0_BASE_LO);
      for (unsigned w = 0; w < (window ? isa::kWindowCount : 1); ++w) {
        const std::uint32_t offset = row.offset + w * isa::kWindowStride;
        pins.write(offset, value);
        EXPECT_EQ(pins.read(offset), value) << row.name;
        pins.write(offset + 3, ~value, 0b0101);  // the low bits of an address do not count
        EXPECT_EQ(pins.read(offset + 1), (value & 0xff00ff00u) | (~value & 0x00ff00ffu)) << row.name;
        pins.write(offset, value, 0b0101);
        EXPECT_EQ(pins.read(offset), value) << row.name;
      }
    }
  }
  // every register answers, and so does what is none
  EXPECT_EQ(pins.read(at(Register::MAGIC)), isa::kMagic);
  EXPECT_EQ(pins.read(at(Register::ISA_VERSION)), isa::kIsaVersion);
  const std::uint64_t hash = isa::geometry_hash(variant_.geometry);
  EXPECT_EQ(pins.read(at(Register::GEOMETRY_HASH_LO)), static_cast<std::uint32_t>(hash));
  EXPECT_EQ(pins.read(at(Register::GEOMETRY_HASH_HI)), static_cast<std::uint32_t>(hash >> 32));
  EXPECT_EQ(pins.read(at(Register::BUILD_ID)), isa::kSimulatedBuild);
  for (std::size_t i = 0; i < isa::kGeometryFields.size(); ++i)
    EXPECT_EQ(pins.read(at(isa::geometry_register(i))), variant_.geometry.*isa::kGeometryFields[i].member);
  for (const isa::RegisterRow& row : isa::kRegisters)
    if (row.access == isa::Access::ReadOnly && row.offset > at(Register::STATUS)) {
      EXPECT_EQ(pins.read(row.offset), 0u) << row.name << " before any run";
    }
  EXPECT_EQ(pins.read(at(Register::CONTROL)), 0u);
  EXPECT_EQ(pins.read(at(Register::IRQ_STATUS)), 0u);
  EXPECT_EQ(pins.read(isa::kRegisterSpace - 4), 0u);
  // behind them, in their page, nothing is read and nothing is written
  pins.write(at(Register::STALL_LIMIT), 77);
  for (std::uint32_t behind = isa::kRegisterSpace; behind < 4096; behind *= 2) {
    pins.write(behind + at(Register::STALL_LIMIT), 99);
    EXPECT_EQ(pins.read(behind + at(Register::STALL_LIMIT)), 0u);
    EXPECT_EQ(pins.read(at(Register::STALL_LIMIT)), 77u);
  }
  // an address waits for its data, the response for the master
  pins.in.axil_awvalid = 1;
  pins.in.axil_awaddr = static_cast<std::uint16_t>(at(Register::STALL_LIMIT));
  for (int i = 0; i < 3; ++i) {
    pins.tick();
    EXPECT_FALSE(pins.out.axil_awready);
  }
  pins.in.axil_wvalid = 1;
  pins.in.axil_wdata = 77;
  pins.in.axil_wstrb = 0xf;
  pins.settle();
  EXPECT_TRUE(pins.out.axil_awready && pins.out.axil_wready);
  pins.tick();
  for (int i = 0; i < 3; ++i) {
    pins.tick();
    EXPECT_TRUE(pins.out.axil_bvalid);
    EXPECT_FALSE(pins.out.axil_awready) << "the next write waits until the response has gone";
  }
  pins.in.axil_awvalid = pins.in.axil_wvalid = 0;
  pins.in.axil_bready = 1;
  pins.tick();
  pins.tick();
  EXPECT_FALSE(pins.out.axil_bvalid);
  pins.in.axil_arvalid = 1;
  pins.in.axil_araddr = static_cast<std::uint16_t>(at(Register::STALL_LIMIT));
  pins.tick();
  for (int i = 0; i < 3; ++i) {
    pins.tick();
    EXPECT_TRUE(pins.out.axil_rvalid);
    EXPECT_EQ(pins.out.axil_rdata, 77u);
    EXPECT_FALSE(pins.out.axil_arready);
  }
  pins.in.axil_arvalid = 0;
  pins.in.axil_rready = 1;
  pins.tick();
  if (counts_) pins.model().write_coverage(file());
}

/// A machine around which the test can look into the hardware: counters start where they would need hours to
/// get to.
class Opened {
 public:
  Opened(const isa::Variant& variant, const RtlOptions& options)
      : memory_(16 << 20), bench(variant, options, memory_) {
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      set_window(w, Bench::window_base(w), Bench::kWindowBytes);
  }

  void set_window(unsigned w, std::uint64_t base, std::uint64_t size) {
    const std::uint32_t low = at(Register::WINDOW0_BASE_LO) + w * isa::kWindowStride;
    bench.write_register(low, static_cast<std::uint32_t>(base));
    bench.write_register(low + 4, static_cast<std::uint32_t>(base >> 32));
    bench.write_register(low + 8, static_cast<std::uint32_t>(size));
    bench.write_register(low + 12, static_cast<std::uint32_t>(size >> 32));
  }
  /// Starts and stands in the first cycles of the run, in which the first instruction is still on its way.
  void start(const std::vector<isa::Insn>& stream) {
    memory_.write(Bench::window_base(0u), isa::encode_stream(stream));
    bench.write_register(at(Register::IRQ_STATUS), ~0u);
    bench.write_register(at(Register::INSN_COUNT), static_cast<std::uint32_t>(stream.size()));
    bench.write_register(at(Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
    while ((bench.read_register(at(Register::STATUS)) & isa::kStatusBusy) == 0) continue;
    for (int i = 0; i < 8; ++i) bench.tick();
  }
  /// Whether the interrupt came.
  bool finish(unsigned cycles = 20'000) {
    while (!bench.outputs().irq && cycles-- > 0) bench.tick();
    return bench.outputs().irq != 0;
  }
  void reset() {
    bench.write_register(at(Register::CONTROL), isa::kControlSoftReset | isa::kControlIrqEnable);
    for (unsigned i = 0; i < 2000 && bench.read_register(at(Register::STATUS)) != isa::kStatusIdle; ++i)
      bench.tick();
  }
  template <class T>
  void set(const char* scope, const char* name, T value) {
    const vdla_rtl_signal signal = bench.model().find(scope, name);
    ASSERT_EQ(signal.element_bytes, sizeof value) << scope << "." << name;
    *static_cast<T*>(signal.data) = value;
  }
  std::uint32_t reg(Register r) { return bench.read_register(at(r)); }
  std::uint64_t wide(Register low) {
    return bench.read_register(at(low)) | std::uint64_t{bench.read_register(at(low) + 4)} << 32;
  }

 private:
  Memory memory_;

 public:
  Testbench bench;
};

/// An instruction's index goes with it through every pipeline, all 32 bits: errors name it.
void RtlCoverage::carried_indices() {
  Opened machine(variant_, options());
  const isa::Geometry& g = variant_.geometry;
  isa::VectorInsn vector;
  vector.levels[4].count = 3;
  isa::GemmInsn gemm;
  gemm.levels[4].count = 3;
  const std::vector<isa::Insn> good = {load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 1, 0, kToGemm),
                                       load_insn(isa::Buffer::Inp, isa::Window::Act, 0, 0, 5),
                                       [&] {
                                         auto i = gemm;
                                         i.pop = kToLoad;
                                         return i;
                                       }(),
                                       vector, store_insn(isa::Window::Output, 0, 0, 5)};
  std::vector<isa::Insn> faults = {load_insn(isa::Buffer::Inp, isa::Window::Act, 0, Bench::kWindowBytes, 1),
                                   load_insn(isa::Buffer::Inp, isa::Window::Act, g.inp_depth - 1, 0, 2),
                                   store_insn(isa::Window::Output, 0, Bench::kWindowBytes, 1),
                                   store_insn(isa::Window::Output, g.out_depth - 1, 0, 2)};
  gemm.levels[4].inp_stride = static_cast<std::uint16_t>(g.inp_depth);
  vector.levels[4].dst_stride = static_cast<std::uint16_t>(g.acc_depth);
  faults.push_back(gemm);
  faults.push_back(vector);
  for (const isa::Insn& fault : faults) {
    for (const std::uint64_t pattern : kPatterns) {
      const auto first = static_cast<std::uint32_t>(pattern);
      std::vector<isa::Insn> stream = good;
      stream.push_back(fault);
      stream.push_back(isa::FinishInsn{0, 0, first});
      machine.start(stream);
      ASSERT_NO_FATAL_FAILURE(machine.set("u_core.u_fetch", "index_q", first));
      ASSERT_TRUE(machine.finish());
      EXPECT_EQ(machine.reg(Register::ERROR_INSN), first + good.size());
      EXPECT_EQ(machine.reg(Register::ERROR_UNIT), static_cast<unsigned>(isa::unit_of(fault)));
      machine.reset();
    }
  }
  for (const std::uint64_t pattern : kPatterns) {
    const auto first = static_cast<std::uint32_t>(pattern);
    std::vector<isa::Insn> stream = good;
    stream.push_back(isa::FinishInsn{0, 0, first});
    machine.start(stream);
    ASSERT_NO_FATAL_FAILURE(machine.set("u_core.u_fetch", "index_q", first));
    ASSERT_TRUE(machine.finish());
    EXPECT_EQ(machine.reg(Register::ERROR_CODE), 0u);
    EXPECT_EQ(machine.reg(Register::FETCH_INSN), first + good.size() + 1) << "the next one after finish";
    EXPECT_EQ(machine.reg(Register::SEQUENCE), first);
  }
  // far offsets: the address at fault has 48 bits
  for (const std::uint64_t pattern : kPatterns) {
    for (const isa::Window w : {isa::Window::Act, isa::Window::Output}) {
      const std::uint64_t offset = pattern & ((std::uint64_t{1} << 48) - 1);
      const auto far =
          w == isa::Window::Act ? load_insn(isa::Buffer::Inp, w, 0, offset, 1) : store_insn(w, 0, offset, 1);
      machine.start({far, isa::FinishInsn{}});
      ASSERT_TRUE(machine.finish());
      EXPECT_EQ(machine.reg(Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::Window));
      EXPECT_EQ(machine.wide(Register::ERROR_ADDR_LO), offset);
      machine.reset();
    }
  }
}

/// Counters carry into every bit.
void RtlCoverage::counters() {
  Opened machine(variant_, options());
  std::vector<isa::Insn> stream;
  for (unsigned i = 0; i < 6; ++i) {
    stream.push_back(load_insn(isa::Buffer::Out, isa::Window::Act, 0, 64 * i, 16, 0, kToStore));
    stream.push_back(store_insn(isa::Window::Output, 0, 64 * i, 16, kToLoad));
    isa::GemmInsn gemm;
    gemm.levels[4].count = 20;
    gemm.pop = i % 2 == 0 ? 0 : kToVector;
    isa::VectorInsn vector;
    vector.levels[4].count = 30;
    vector.dst_base = vector.a_base = static_cast<std::uint16_t>(variant_.geometry.acc_depth / 2);
    vector.push = i % 2 == 0 ? 0 : kToGemm;
    stream.push_back(vector);
    stream.push_back(gemm);
  }
  stream.push_back(isa::FinishInsn{});
  constexpr std::uint64_t kFrom[] = {0xaaaa'aaaa'aaaa'aaa0, 0x5555'5555'5555'5550, 0xffff'ffff'ffff'fff0,
                                     0xaaaa'aaaa'aaaa'aaa0};
  for (const std::uint64_t from : kFrom) {
    machine.start(stream);
    // bytes are eight times the beats
    for (const char* name : {"cycles_q", "read_beats_q", "write_beats_q"})
      ASSERT_NO_FATAL_FAILURE(machine.set("u_control", name, from));
    for (const char* name : {"busy_q", "stall_q"})
      for (unsigned u = 0; u < isa::kQueueUnits; ++u)
        ASSERT_NO_FATAL_FAILURE(machine.set(("u_control.gen_counters[" + std::to_string(u) + "]").c_str(),
                                            name, static_cast<std::uint32_t>(from)));
    ASSERT_TRUE(machine.finish());
    EXPECT_THAT(machine.wide(Register::CYCLES_LO) - from,
                testing::AllOf(testing::Ge(100u), testing::Le(20'000u)));
    // less what was read before the counter was set
    EXPECT_THAT(machine.wide(Register::READ_BYTES_LO) - 8 * from,
                testing::AllOf(testing::Ge(6u * 64), testing::Le(6u * 64 + stream.size() * isa::kInsnBytes)));
    EXPECT_EQ(machine.wide(Register::WRITE_BYTES_LO) - 8 * from, 6u * 64);
    for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
      const std::uint32_t offset = u * isa::kUnitStride;
      EXPECT_THAT(
          machine.bench.read_register(at(Register::LOAD_BUSY) + offset) - static_cast<std::uint32_t>(from),
          testing::AllOf(testing::Ge(10u), testing::Le(20'000u)));
      EXPECT_LE(machine.bench.read_register(at(Register::LOAD_TOKEN_STALL) + offset) -
                    static_cast<std::uint32_t>(from),
                20'000u);
    }
  }
}

/// A start and a soft reset while the machine runs, and two units that fail in the same cycle.
void RtlCoverage::interruptions() {
  Opened machine(variant_, options());
  isa::GemmInsn gemm;
  gemm.levels[4].count = 5000;
  machine.start({gemm, isa::FinishInsn{}});
  machine.bench.write_register(at(Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
  const auto each_kept = [&](auto&& act) {
    for (const isa::RegisterRow& row : isa::kRegisters) {
      if (row.access != isa::Access::ReadWriteIdle) continue;
      const unsigned times = row.offset >= at(Register::WINDOW0_BASE_LO) ? isa::kWindowCount : 1;
      for (unsigned w = 0; w < times; ++w) act(row.offset + w * isa::kWindowStride);
    }
  };
  std::vector<std::uint32_t> before, after;
  each_kept([&](std::uint32_t offset) { before.push_back(machine.bench.read_register(offset)); });
  each_kept([&](std::uint32_t offset) { machine.bench.write_register(offset, 0x5a5a'5a58); });
  each_kept([&](std::uint32_t offset) { after.push_back(machine.bench.read_register(offset)); });
  EXPECT_EQ(machine.reg(Register::STATUS), isa::kStatusBusy);
  EXPECT_EQ(after, before);
  ASSERT_TRUE(machine.finish());
  EXPECT_EQ(machine.reg(Register::CYCLES_HI), 0u);
  EXPECT_GT(machine.reg(Register::CYCLES_LO), 5000u);
  machine.start({gemm, isa::FinishInsn{}});
  machine.reset();
  EXPECT_EQ(machine.reg(Register::STATUS), isa::kStatusIdle);
  EXPECT_EQ(machine.reg(Register::CYCLES_LO), 0u);

  // The lower unit of one cycle is named: load from the length on at which gemm comes to its fault no
  // earlier.
  gemm.levels[4].count = 2;
  gemm.levels[4].acc_stride = static_cast<std::uint16_t>(variant_.geometry.acc_depth);
  unsigned load_first = 0;
  for (unsigned good = 1; good <= 30; ++good) {
    gemm.levels[3].count = static_cast<std::uint16_t>(good);
    std::swap(gemm.levels[3], gemm.levels[4]);  // the stride is the outer one
    machine.start(
        {gemm, load_insn(isa::Buffer::Inp, isa::Window::Act, 0, Bench::kWindowBytes, 1), isa::FinishInsn{}});
    std::swap(gemm.levels[3], gemm.levels[4]);
    ASSERT_TRUE(machine.finish());
    const bool load = machine.reg(Register::ERROR_UNIT) == static_cast<unsigned>(isa::Unit::Load);
    EXPECT_EQ(machine.reg(Register::ERROR_INSN), load ? 1u : 0u);
    EXPECT_TRUE(load || load_first == 0) << good;
    load_first += load;
    machine.reset();
  }
  EXPECT_THAT(load_first, testing::AllOf(testing::Ge(1u), testing::Le(29u)));
}

/// Legal instructions with any bits in their numbers, in windows without an end: they stop at an error or are
/// reset, and the device works afterwards.
void RtlCoverage::wild_instructions() {
  Opened machine(variant_, options());
  isa::Draw draw(11);
  const isa::ProgramCoverage cover(variant_.geometry);
  std::vector<isa::Insn> kinds;
  for (const isa::CoverKind kind : {isa::CoverKind::Move, isa::CoverKind::Vector, isa::CoverKind::Levels})
    for (std::size_t p = 0; p < cover[kind].size(); ++p)
      if (const auto example = cover.example(kind, p)) kinds.push_back(example->insn);
  for (unsigned w = 1; w < isa::kWindowCount; ++w) machine.set_window(w, draw.bits(), ~std::uint64_t{0} >> 1);
  for (unsigned run = 0; run < 250; ++run) {
    isa::InsnWords words = isa::encode(kinds[draw.bits() % kinds.size()]);
    for (const isa::Field& f :
         isa::fields_of(static_cast<isa::Opcode>(isa::field_value(words, isa::kMemoryFields[0])))) {
      if (f.width <= 4) continue;
      isa::InsnWords tried = words;
      tried[f.word()] = set_bits(tried[f.word()], f.shift(), f.width, draw.bits());
      if (isa::find_broken_rule(tried, variant_.geometry) == nullptr) words = tried;
    }
    const isa::Insn insn = *isa::try_decode(words);
    if (run % 25 == 0)
      for (unsigned w = 1; w < isa::kWindowCount; ++w)
        machine.set_window(w, draw.bits(), ~std::uint64_t{0} >> 1);
    machine.start({insn, insn, isa::FinishInsn{}});
    if (machine.finish(1500)) {
      const std::uint32_t status = machine.reg(Register::STATUS) & (isa::kStatusDone | isa::kStatusError);
      EXPECT_TRUE(status == isa::kStatusDone || status == isa::kStatusError);
    }
    machine.reset();
    ASSERT_EQ(machine.reg(Register::STATUS), isa::kStatusIdle) << "run " << run;
  }
}

TEST_F(RtlCoverage, LinesNetsAndCoverPropertiesOfTiny) {
  count();
  for (const Part& part : kParts) ASSERT_NO_FATAL_FAILURE((this->*part.run)()) << part.name;
  const CommandResult r =
      run_command("/usr/bin/env python3 '" VDLA_SOURCE_DIR
                  "/hw/coverage/coverage.py' --lines 98 --toggles 95 --excluded 3 --json '" +
                  (kFolder / "report.json").string() + "' '" + (kFolder / "data").string() + "'/*.dat");
  EXPECT_EQ(r.status, 0) << r.output;
}

TEST_F(RtlCoverage, ADrawnPartHoldsItsChecks) {
  const auto drawn = std::ranges::count(kParts, false, &Part::sets_counters);
  const Part& part = kParts[part::draw("RtlCoverage", static_cast<std::size_t>(drawn))];
  std::printf("drawn by '%s': %s\n", part::draw_text().c_str(), part.name);
  (this->*part.run)();
}

}  // namespace
}  // namespace vdla::sim
