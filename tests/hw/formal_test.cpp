// SPDX-License-Identifier: Apache-2.0
// The proofs of hw/formal hold, and each of them can fail: a fault planted in a copy of the hardware is found
// by the property named beside it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/hw/command.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = VDLA_SOURCE_DIR;

fs::path work_folder(const std::string& name) {
  const fs::path folder = fs::path(VDLA_BINARY_DIR) / "formal" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

CommandResult prove(const std::string& arguments, const fs::path& out) {
  return run_command(
      fmt::format("bash '{}/hw/formal/prove.sh' --out '{}' {}", kRoot.string(), out.string(), arguments));
}

TEST(Formal, EveryProofHolds) {
  const CommandResult r = prove("--jobs 2", work_folder("all"));
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, testing::Not(testing::HasSubstr("FAIL")));
}

TEST(Formal, WrongNamesAreRefused) {
  const CommandResult r = prove("fifo nothing", work_folder("wrong"));
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.output, testing::HasSubstr("no proof 'nothing', needs one of axi, axi_read"));
}

struct Fault {
  const char* name;
  const char* proof;
  const char* file;
  const char* from;
  const char* to;
  const char* found;  ///< in the report: the property, or what the difference is
};

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsFound) {
  const Fault& fault = GetParam();
  const fs::path folder = work_folder(fmt::format("fault_{}", fault.name));
  for (const char* part : {"hw/rtl", "isa/generated"}) {
    fs::create_directories((folder / part).parent_path());
    fs::copy(kRoot / part, folder / part, fs::copy_options::recursive);
  }
  std::ifstream in(folder / fault.file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find(fault.from);
  ASSERT_NE(at, std::string::npos) << fault.file << " has no '" << fault.from << "'";
  ASSERT_EQ(text.find(fault.from, at + 1), std::string::npos) << "'" << fault.from << "' is not unique";
  text.replace(at, std::string_view(fault.from).size(), fault.to);
  std::ofstream(folder / fault.file) << text;
  const CommandResult r = prove(
      fmt::format("{} --runs 1 --no-cover --search 60 --source '{}'", fault.proof, folder.string()), folder);
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, testing::HasSubstr(fault.found));
}

constexpr Fault kFaults[] = {
    {"LegalityBound", "legality", "isa/generated/vdla_insn_check.sv",
     "broken[43] = is_gemm && !(\n          ($signed({18'd0, insn_i[95:80]}) < InpDepthS));",
     "broken[43] = is_gemm && !(\n          ($signed({18'd0, insn_i[95:80]}) <= InpDepthS));",
     "they differ on gemm"},
    {"LegalityFormula", "legality", "isa/generated/legality.smt2",
     "(bvslt ((_ zero_extend 48) ((_ extract 47 32) w1)) wgt_depth)",
     "(bvslt ((_ sign_extend 48) ((_ extract 47 32) w1)) wgt_depth)", "they differ on gemm"},
    {"FifoFullTooLate", "fifo", "hw/rtl/common/vdla_fifo.sv", "assign ready_o = !count_q[AddrW] &&",
     "assign ready_o =", "NothingLost"},
    {"FifoBypass", "fifo", "hw/rtl/common/vdla_fifo.sv", "if (pop && !single) data_q", "if (pop) data_q",
     "InOrder"},
    {"TokenLost", "dep_gate", "hw/rtl/common/vdla_dep_gate.sv", "count_q + CountW'(push) - CountW'(pop)",
     "push && pop ? count_q - CountW'(1) : count_q + CountW'(push) - CountW'(pop)", "vdla_dep_gate: "},
    {"TokenOverflow", "dep_gate", "hw/rtl/common/vdla_dep_gate.sv",
     "assign push_ready_o = count_q != CountW'(Depth) &&", "assign push_ready_o =", "vdla_dep_gate: "},
    {"TokenTakenTwice", "unit_front", "hw/rtl/common/vdla_unit_front.sv",
     "popped_q <= start ? '0 : popped_q | (pop_ready_o & pop_valid_i);",
     "popped_q <= start ? '0 : pop_ready_o & pop_valid_i;", "vdla_unit_front: "},
    {"StartWithoutToken", "unit_front", "hw/rtl/common/vdla_unit_front.sv",
     "head_valid && waiting_pops == '0 && inflight_ready", "head_valid && inflight_ready",
     "StartsWithItsPops"},
    {"NestSkips", "nest", "hw/rtl/common/vdla_nest.sv",
     "begin_q[l*IndicesBits +: IndicesBits] <= next;\n        end else if",
     "begin_q[l*IndicesBits +: IndicesBits] <= from;\n        end else if", "vdla_nest: "},
    {"BurstCrossesBlock", "dma_request", "hw/rtl/bus/vdla_dma_request.sv",
     "grow_end_q == run_addr_q && run_addr_q[BlockW-1:0] != '0", "grow_end_q == run_addr_q", "InsideBlock"},
    {"BytesAskedTwice", "dma_request", "hw/rtl/bus/vdla_dma_request.sv",
     "run_left_q <= run_left_q - RunW'(part);", "run_left_q <= run_left_q - RunW'(part) + RunW'(part[8]);",
     "vdla_dma_request: "},
    {"RowFromTheLastPosition", "walk", "hw/rtl/common/vdla_walk.sv",
     "x_begin_q <= y_begin_q + IndexW'(y_stride_i);", "x_begin_q <= x_begin_q + IndexW'(y_stride_i);",
     "IndexIsAffine"},
    {"RowsOfABatchNeverEnd", "walk", "hw/rtl/common/vdla_walk.sv",
     "row_q <= row_last ? '0 : row_q + RowW'(1);", "row_q <= row_q + RowW'(1);", "vdla_walk: "},
    {"WindowByLowAddress", "dma_request", "hw/rtl/bus/vdla_dma_request.sv", "run_end <= size_q",
     "run_end[47:0] <= size_q[47:0]", "ErrorIsOne"},
    {"BurstsJoinByLowAddress", "dma_address", "hw/rtl/bus/vdla_dma_request.sv", "grow_end_q == run_addr_q",
     "grow_end_q[47:0] == run_addr_q[47:0]", "GrowEnd"},
    {"RunAtHalfOfItsOffset", "dma_address", "hw/rtl/bus/vdla_dma_request.sv",
     "run_addr_q <= base_q + AddrW'(offset)", "run_addr_q <= base_q + AddrW'(offset[OffsetW-1:1])",
     "RunAddress"},
    {"ReadAddressMoves", "axi_read", "hw/rtl/bus/vdla_axi_read.sv",
     "(!ar_valid_q || axi_arready_i) && order_ready", "order_ready", "vdla_axi_read: "},
    {"BeatToTheWrongClient", "axi_read", "hw/rtl/bus/vdla_axi_read.sv",
     "assign load_rvalid_o  = axi_rvalid_i && order_load && !halt_i;",
     "assign load_rvalid_o  = axi_rvalid_i && !halt_i;", "vdla_axi_read: "},
    {"WriteBeatsOneShort", "axi_write", "hw/rtl/bus/vdla_axi_write.sv",
     "assign axi_wlast_o  = beat_q == len;", "assign axi_wlast_o  = beat_q + 8'd1 >= len;", "LastBeatIsLast"},
    {"WriteDataDrops", "axi_write", "hw/rtl/bus/vdla_axi_write.sv", "len_valid && (fifo_valid || halt_i)",
     "len_valid && fifo_valid && !halt_i", "DataStays"},
    {"InsnBurstsStayInsideBlocksAtAnyBase", "fetch", "hw/rtl/fetch/vdla_fetch.sv",
     "BeatsW'(addr_q[BlockW-1:ByteW])", "BeatsW'({addr_q[BlockW-1:6], 3'd0})", "ReadInsideBlock"},
    {"IllegalInsnDispatched", "fetch", "hw/rtl/fetch/vdla_fetch.sv",
     "active_q && checked_q && !illegal_q && !bad_q", "active_q && checked_q && !bad_q", "OnlyLegalLeaves"},
    {"PartOfAnInsnIsRead", "fetch_address", "hw/rtl/fetch/vdla_fetch.sv",
     "(window_size_i - first_offset) >> PlaceW", "(window_size_i - first_offset + 64'd63) >> PlaceW",
     "AvailableIsRight"},
    {"LongBurstIsReadTwice", "fetch_address", "hw/rtl/fetch/vdla_fetch.sv", "AddrW'(burst_beats) << ByteW",
     "AddrW'(burst_beats[4:0]) << ByteW", "AddressIsRight"},
    {"WriteBeyondBuffer", "load", "hw/rtl/load/vdla_load.sv",
     "active_q && in_bounds && (pad || chunk_valid) && !halt_i",
     "active_q && (pad || chunk_valid) && !halt_i", "WriteInsideBuffer"},
    {"BeatMissing", "load", "hw/rtl/load/vdla_load.sv", "EndW'(burst_addr[ByteW-1:0]) + EndW'(BeatBytes - 1)",
     "EndW'(BeatBytes - 1)", "BeatsHoldTheBurst"},
    {"BytesLeftFromAStoppedRun", "store_pack", "hw/rtl/store/vdla_store_pack.sv",
     "    if (rst_i) begin\n      low_q  <= '0;\n      high_q <= '0;\n    end else if (chunk) begin",
     "    if (chunk) begin", "vdla_store_pack: "},
    {"StrobesTooWide", "store_pack", "hw/rtl/store/vdla_store_pack.sv",
     "({BeatBytes{1'b1}} >> (UsedW'(BeatBytes) - used)) << offset", "{BeatBytes{1'b1}} << offset",
     "OnlyItsBytes"},
    {"ByteShifted", "load_realign", "hw/rtl/load/vdla_load_realign.sv",
     "assign fresh = (beat_i >> {first, 3'd0}) & mask;",
     "assign fresh = (beat_i >> {burst_first, 3'd0}) & mask;", "vdla_load_realign: "},
    {"AnswerBeforeTheAddress", "axi_write", "hw/rtl/bus/vdla_axi_write.sv", "!resp_valid && !aw_valid_q",
     "!resp_valid", "IdleIsQuiet"},
    {"ResetAsItComes", "axi", "hw/rtl/top/vdla_axi.v", "rst_q <= !aresetn", "rst_q <= aresetn",
     "ResetIsConverted"},
    {"LengthOfTheOtherChannel", "axi", "hw/rtl/top/vdla_axi.v", "= arlen[LenW-1:0]", "= awlen[LenW-1:0]",
     "vdla_axi: "},
    {"RegistersRepeatInTheirPage", "axil", "hw/rtl/top/vdla_axil.sv",
     "axil_araddr_i[PageW-1:AddrW] == '0 ? rd_data_i : '0", "rd_data_i", "ReadIsOfThatCycle"},
    {"WritesBehindTheRegisters", "axil", "hw/rtl/top/vdla_axil.sv",
     "write && axil_awaddr_i[PageW-1:AddrW] == '0", "write", "WriteHasEffect"},
    {"AnswerWithoutEffect", "axil", "hw/rtl/top/vdla_axil.sv",
     "axil_awvalid_i && axil_wvalid_i && !bvalid_q;", "axil_awvalid_i && axil_wvalid_i;",
     "WritesAreAnswered"},
    {"ReadDataMoves", "axil", "hw/rtl/top/vdla_axil.sv", "assign axil_arready_o = !rvalid_q;",
     "assign axil_arready_o = 1'b1;", "vdla_axil: "},
    {"PulseLastsTwoCycles", "registers", "isa/generated/vdla_regs.sv", "(control_q & ~ControlPulse & ~mask)",
     "(control_q & ~mask)", "PulsesLastOneCycle"},
    {"ReadOnlyIsWritten", "registers", "isa/generated/vdla_regs.sv",
     "        9'h028: stall_limit_q <=", "        9'h030: stall_limit_q <=", "vdla_regs_proof: "},
    {"OnesDoNotClear", "registers", "isa/generated/vdla_regs.sv",
     "wr_addr_i == 9'h018 ? wr_data_i & mask : 32'd0", "wr_addr_i == 9'h018 ? mask : 32'd0",
     "vdla_regs_proof: "},
    {"WindowMovesWhileBusy", "registers", "isa/generated/vdla_regs.sv", "9'h100: if (!busy) window_base_q",
     "9'h100: window_base_q", "vdla_regs_proof: "},
    {"HaltEndsEarly", "control", "hw/rtl/top/vdla_control.sv", "if (bus_idle_i) state_d = Reset;",
     "state_d = Reset;", "ResetWhenQuiet"},
    {"LastErrorIsShown", "control", "hw/rtl/top/vdla_control.sv",
     "end else if (running && any_error) begin\n      error_code_q",
     "end else if (any_error) begin\n      error_code_q", "FirstErrorIsKept"},
    {"BusyOutlivesAHardReset", "control", "hw/rtl/top/vdla_control.sv",
     "if (rst_i || state_q == Reset) begin\n        busy_q", "if (state_q == Reset) begin\n        busy_q",
     "CountersStartAtZero"},
    {"SinceOutlivesAHardReset", "control", "hw/rtl/top/vdla_control.sv",
     "if (rst_i || state_q == Reset) since_q", "if (state_q == Reset) since_q", "CountersStartAtZero"},
    {"ProductPartAtTheWrongPlace", "vector_product", "hw/rtl/vector/vdla_vector_product.sv", "(mid >>> LowW)",
     "(mid >>> (LowW - 1))", "SumIsRight"},
    {"NegativeHalvesRoundUp", "vector_lane", "hw/rtl/vector/vdla_vector_lane.sv",
     "shifted[0] && (!value[AccBits-1] || more)", "shifted[0]", "vdla_vector_lane: "},
    {"LargestProductWraps", "vector_lane", "hw/rtl/vector/vdla_vector_lane.sv",
     "value[ProductW-2 +: 2] == 2'b01", "1'b0", "vdla_vector_lane: "},
    {"RowWithoutItsLastPart", "vector_lane", "hw/rtl/vector/vdla_vector_lane.sv",
     "p < RowParts; p++) begin\n          row_sum3", "p < RowParts - 1; p++) begin\n          row_sum3",
     "vdla_vector_lane: "},
    {"BiasThatOverflows", "gemm_array", "hw/rtl/gemm/vdla_gemm_array.sv", "SumW'(2 * 127 * 128)",
     "SumW'(2 * 128 * 128)", "SumsAreRight"},
    {"UpperPartOneBitNearer", "gemm_array", "hw/rtl/gemm/vdla_gemm_array.sv", "sums[k*SumW+PairW +: PairW+1]",
     "sums[k*SumW+PairW-1 +: PairW+1]", "SumsAreRight"},
};

INSTANTIATE_TEST_SUITE_P(Formal, PlantedFault, testing::ValuesIn(kFaults),
                         [](const testing::TestParamInfo<Fault>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace vdla
