// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the vector unit, all lanes: stages 2 to 9 of a pipeline that advances as a whole.
//
// 2 operands; 3 operands of the multiplier; 4, 5 product; 6 rounded high half, or the product; 7 shift right, accumulator
// read; 8 rounding of the shift, result, accumulator write; 9 zero point, clamp, int8 write. What needs no product is
// multiplied by one. A stage has one adder or one shifter for all operations; proof vector_lane holds them to the ISA's
// formulas.

module vdla_vector_lane #(
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  localparam int unsigned Lanes       = Batch * BlockOut,
  localparam int unsigned OperandBits = vdla_pkg::OperandBits,
  localparam int unsigned AccBits     = vdla_pkg::AccBits,
  localparam int unsigned InpWidth    = Batch * BlockIn * OperandBits,
  localparam int unsigned AccWidth    = Lanes * AccBits,
  localparam int unsigned OutWidth    = Lanes * OperandBits,
  localparam int unsigned ParWidth    = BlockOut * AccBits
) (
  input  logic                   clk_i,
  input  logic                   advance_i,
  input  logic [9:2]             valid_i,
  // control of each stage
  input  vdla_vector_pkg::step_t step2_i,
  input  vdla_vector_pkg::step_t step3_i,
  input  vdla_vector_pkg::step_t step4_i,
  input  vdla_vector_pkg::step_t step5_i,
  input  vdla_vector_pkg::step_t step6_i,
  input  vdla_vector_pkg::step_t step7_i,
  input  vdla_vector_pkg::step_t step8_i,
  input  vdla_vector_pkg::step_t step9_i,
  // stage 2: what the memories deliver; fresh: read in the cycle before
  input  logic                   a_fresh_i,
  input  logic                   a_bank_i,
  input  logic [2*AccWidth-1:0]  acc_banks_i,
  input  logic [InpWidth-1:0]    inp_i,
  input  logic [OutWidth-1:0]    out_i,
  input  logic [ParWidth-1:0]    par_i,
  // parameters of scale, taken from par_i
  input  logic                   take_bias_i,
  input  logic                   take_multiplier_i,
  input  logic                   take_shift_i,
  // stage 8: accumulator read in stage 7
  input  logic                   c_fresh_i,
  input  logic                   c_bank_i,
  input  logic                   forward_i,     // take the previous result instead
  output logic [AccWidth-1:0]    result_o,      // stage 8
  output logic [OutWidth-1:0]    int8_o         // stage 9
);

  localparam int unsigned InpRowW  = BlockIn * OperandBits;
  localparam int unsigned ProductW = 2 * AccBits;
  localparam int unsigned OpW      = vdla_isa_pkg::VectorOpBits;
  localparam int unsigned ShiftW   = $clog2(AccBits);
  // Begin of the right shift in the parameter of shifts; the left one begins at bit 0.
  localparam int unsigned RightBit = 8;
  // The sum over a row is taken in two stages: terms to parts, parts and offset to the sum.
  localparam int unsigned RowParts = 4;
  localparam int unsigned RowTerms = BlockIn / RowParts;
  localparam int unsigned PartW    = OperandBits + $clog2(RowTerms);
  localparam int unsigned PartsW   = RowParts * PartW;
  localparam int unsigned RowSumW  = vdla_isa_pkg::VectorAOffsetWidth + 1;

  localparam logic [OpW-1:0] Scale = vdla_isa_pkg::VectorOpScale;
  localparam logic [OpW-1:0] Mac   = vdla_isa_pkg::VectorOpMac;
  localparam logic [OpW-1:0] Add   = vdla_isa_pkg::VectorOpAdd;
  localparam logic [OpW-1:0] Max   = vdla_isa_pkg::VectorOpMax;
  localparam logic [OpW-1:0] Min   = vdla_isa_pkg::VectorOpMin;
  localparam logic [OpW-1:0] Avg   = vdla_isa_pkg::VectorOpAvg;
  localparam logic [OpW-1:0] Hsum  = vdla_isa_pkg::VectorOpHsum;

  // --- parameters of scale, one set per channel ---
  logic [ParWidth-1:0]        bias_q, multiplier_q;
  logic [BlockOut*ShiftW-1:0] left_q, right_q;

  always_ff @(posedge clk_i) begin
    if (take_bias_i) bias_q <= par_i;
    if (take_multiplier_i) multiplier_q <= par_i;
    if (take_shift_i) begin
      for (int n = 0; n < BlockOut; n++) begin
        left_q[n*ShiftW +: ShiftW]  <= par_i[n*AccBits +: ShiftW];
        right_q[n*ShiftW +: ShiftW] <= par_i[n*AccBits+RightBit +: ShiftW];
      end
    end
  end

  // --- stage 2: operands ---
  logic [AccWidth-1:0]     a2, a_hold_q, x3_q;
  logic [ParWidth-1:0]     p3_q;
  logic [Batch*PartsW-1:0] parts2, parts_hold_q, parts3_q;
  logic [AccBits-1:0]      common2;  // operand p where it is the same for all channels

  // operation of stage 3, decoded in stage 2
  typedef enum logic [1:0] {TakeX, TakeSum, TakeRow} take_e;
  take_e                      take3_q;
  logic                       compare3_q, absolute3_q, choose3_q, smaller3_q;
  logic [BlockOut*ShiftW-1:0] left3_q;

  function automatic logic [PartsW-1:0] row_parts(input logic [InpRowW-1:0] row);
    logic [PartW-1:0] total;
    for (int p = 0; p < RowParts; p++) begin
      total = '0;
      for (int k = 0; k < RowTerms; k++) total = total + PartW'($signed(row[(p*RowTerms+k)*OperandBits +: OperandBits]));
      row_parts[p*PartW +: PartW] = total;
    end
  endfunction

  always_comb begin
    a2     = a_hold_q;
    parts2 = parts_hold_q;
    if (valid_i[2] && a_fresh_i) begin
      if (step2_i.op == Hsum) begin
        for (int b = 0; b < Batch; b++) parts2[b*PartsW +: PartsW] = row_parts(inp_i[b*InpRowW +: InpRowW]);
      end
      if (step2_i.a_buffer == vdla_isa_pkg::BufferAcc) begin
        a2 = a_bank_i ? acc_banks_i[AccWidth +: AccWidth] : acc_banks_i[0 +: AccWidth];
      end else if (step2_i.a_buffer == vdla_isa_pkg::BufferInp) begin
        // as a source of lanes inp needs BlockIn == BlockOut, which the instruction check sees to
        for (int i = 0; i < Lanes; i++) a2[i*AccBits +: AccBits] = AccBits'($signed(inp_i[(i % (Batch*BlockIn))*OperandBits +: OperandBits]));
      end else begin
        for (int i = 0; i < Lanes; i++) a2[i*AccBits +: AccBits] = AccBits'($signed(out_i[i*OperandBits +: OperandBits]));
      end
    end
  end

  assign common2 = step2_i.op == Avg ? AccBits'(step2_i.half) :
                   step2_i.b_kind == vdla_isa_pkg::VectorBImm ? step2_i.imm : AccBits'(step2_i.op == Mac || step2_i.op == Hsum);

  always_ff @(posedge clk_i) begin
    if (valid_i[2] && a_fresh_i && !advance_i) begin
      a_hold_q     <= a2;
      parts_hold_q <= parts2;
    end
    if (valid_i[2] && advance_i) begin
      for (int i = 0; i < Lanes; i++) x3_q[i*AccBits +: AccBits] <= a2[i*AccBits +: AccBits] + AccBits'($signed(step2_i.a_offset));
      if (step2_i.op == Hsum) parts3_q <= parts2;
      if (step2_i.op == Scale) p3_q <= bias_q;
      else if (step2_i.op != Avg && step2_i.b_kind == vdla_isa_pkg::VectorBPar) p3_q <= par_i;
      else p3_q <= {BlockOut{common2}};
      compare3_q  <= step2_i.op == Max || step2_i.op == Min;
      absolute3_q <= step2_i.op == Avg;
      choose3_q   <= (step2_i.op == Max || step2_i.op == Min) && step2_i.first && step2_i.b_kind != vdla_isa_pkg::VectorBNone;
      smaller3_q  <= step2_i.op == Min;
      case (step2_i.op)
        Scale, Add, Avg: take3_q <= TakeSum;
        Hsum:            take3_q <= TakeRow;
        default:         take3_q <= TakeX;
      endcase
      left3_q <= step2_i.op == Scale ? left_q : '0;
    end
  end

  // --- stage 3: operands of the multiplier ---
  logic [AccWidth-1:0]      m4_q, n4_q;
  logic [Lanes-1:0]         negative4_q, negative5_q, negative6_q, negative7_q;
  logic [Batch*RowSumW-1:0] row_sum3;

  always_comb begin
    row_sum3 = '0;
    if (valid_i[3] && step3_i.op == Hsum) begin
      for (int b = 0; b < Batch; b++) begin
        row_sum3[b*RowSumW +: RowSumW] = RowSumW'($signed(step3_i.a_offset));
        for (int p = 0; p < RowParts; p++) begin
          row_sum3[b*RowSumW +: RowSumW] = row_sum3[b*RowSumW +: RowSumW] + RowSumW'($signed(parts3_q[b*PartsW+p*PartW +: PartW]));
        end
      end
    end
  end

  // One subtractor serves both: p - x, whose sign tells the smaller one, and p + x, which is p - ~x - 1.
  function automatic logic [AccBits-1:0] left_operand(input take_e take, input logic plus, input logic choose, input logic smaller,
                                                      input logic [AccBits-1:0] x, input logic [AccBits-1:0] p,
                                                      input logic [RowSumW-1:0] row_sum, input logic [ShiftW-1:0] left);
    logic               less, unused_borrow;
    logic [AccBits-1:0] sum;
    {less, sum, unused_borrow} = {p[AccBits-1], p, 1'b0} - {{x[AccBits-1], x} ^ {(AccBits+1){plus}}, plus};
    case (take)
      TakeSum: left_operand = sum << left;
      TakeRow: left_operand = AccBits'($signed(row_sum));
      default: left_operand = x;
    endcase
    if (choose && less == smaller) left_operand = p;
  endfunction

  function automatic logic [AccBits-1:0] right_operand(input logic [OpW-1:0] op, input logic [AccBits-1:0] imm,
                                                       input logic [AccBits-1:0] p, input logic [AccBits-1:0] multiplier);
    case (op)
      Scale:     right_operand = multiplier;
      Mac, Hsum: right_operand = p;
      Avg:       right_operand = imm;
      default:   right_operand = AccBits'(1);
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[3] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        m4_q[i*AccBits +: AccBits] <= left_operand(take3_q, !compare3_q && !(absolute3_q && x3_q[i*AccBits+AccBits-1]), choose3_q,
                                                   smaller3_q, x3_q[i*AccBits +: AccBits], p3_q[(i%BlockOut)*AccBits +: AccBits],
                                                   row_sum3[(i/BlockOut)*RowSumW +: RowSumW], left3_q[(i%BlockOut)*ShiftW +: ShiftW]);
        n4_q[i*AccBits +: AccBits] <= right_operand(step3_i.op, step3_i.imm, p3_q[(i%BlockOut)*AccBits +: AccBits],
                                                    multiplier_q[(i%BlockOut)*AccBits +: AccBits]);
        negative4_q[i]             <= x3_q[i*AccBits+AccBits-1];
      end
    end
  end

  // --- stages 4 and 5: product; operands are unsigned for avg ---
  logic [Lanes*ProductW-1:0] product6_q;

  for (genvar i = 0; i < Lanes; i++) begin : gen_product
    vdla_vector_product u_product (
      .clk_i     (clk_i),
      .multiply_i(valid_i[4] && advance_i),
      .add_i     (valid_i[5] && advance_i),
      .signed_i  (step4_i.op != Avg),
      .m_i       (m4_q[i*AccBits +: AccBits]),
      .n_i       (n4_q[i*AccBits +: AccBits]),
      .product_o (product6_q[i*ProductW +: ProductW])
    );
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[4] && advance_i) negative5_q <= negative4_q;
    if (valid_i[5] && advance_i) negative6_q <= negative5_q;
  end

  // --- stage 6: what is shifted right, and how far ---
  logic [Lanes*ProductW-1:0]  v7_q;
  logic [BlockOut*ShiftW-1:0] right7_q;

  // The rounding term of either sign and the truncation towards zero together are a floor. The only product of 2^62 or
  // more is that of the two smallest operands (proof product): one less than its half is the largest result.
  function automatic logic [AccBits-1:0] rounded_high(input logic [ProductW-1:0] value);
    logic unused_carry;
    {rounded_high, unused_carry} = value[AccBits-2 +: AccBits+1] +
                                   {{AccBits{value[ProductW-2 +: 2] == 2'b01}}, value[AccBits-2]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[6] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        case (step6_i.op)
          Scale:   v7_q[i*ProductW +: ProductW] <= ProductW'($signed(rounded_high(product6_q[i*ProductW +: ProductW])));
          Avg:     v7_q[i*ProductW +: ProductW] <= step6_i.shift[ShiftW] ? ProductW'(product6_q[i*ProductW+AccBits +: AccBits]) :
                                                   product6_q[i*ProductW +: ProductW];
          default: v7_q[i*ProductW +: ProductW] <= product6_q[i*ProductW +: ProductW];
        endcase
      end
      for (int n = 0; n < BlockOut; n++) begin
        right7_q[n*ShiftW +: ShiftW] <= step6_i.op == Scale ? right_q[n*ShiftW +: ShiftW] :
                                        step6_i.op == Avg ? step6_i.shift[ShiftW-1:0] : '0;
      end
      negative7_q <= negative6_q;
    end
  end

  // --- stage 7: shift right; up: one more, in stage 8 ---
  logic [AccWidth-1:0] v8_q;
  logic [Lanes-1:0]    up8_q;
  logic                keep8_q, minus8_q, larger8_q;  // operation of stage 8, decoded in stage 7

  // Half and more is rounded up, but half of a negative value, which goes away from zero, down. The lowest bit of the
  // result is one more: of scale that rounding, of avg that of -v = ~v + 1.
  function automatic logic [AccBits:0] shifted(input logic is_avg, input logic negative, input logic [ProductW-1:0] value,
                                               input logic [ShiftW-1:0] n);
    logic more;  // than half
    shifted = (AccBits+1)'({value[ProductW-2:0], 1'b0} >> n);
    more    = ({value[AccBits-2:0], 1'b0} & ~({AccBits{1'b1}} << n)) != '0;
    if (is_avg) shifted = {shifted[AccBits:1] ^ {AccBits{negative}}, negative};
    else shifted[0] = shifted[0] && (!value[AccBits-1] || more);
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[7] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        {v8_q[i*AccBits +: AccBits], up8_q[i]} <= shifted(step7_i.op == Avg, negative7_q[i], v7_q[i*ProductW +: ProductW],
                                                          right7_q[(i%BlockOut)*ShiftW +: ShiftW]);
      end
      keep8_q   <= !step7_i.first && step7_i.op != Avg;
      minus8_q  <= !step7_i.first && (step7_i.op == Max || step7_i.op == Min);
      larger8_q <= step7_i.op == Max;
    end
  end

  // --- stage 8: accumulate ---
  logic [AccWidth-1:0] c8, c_hold_q, result_q;

  // One subtraction: v - c, whose sign shows the smaller one, or v + c = v - ~c - 1, and one more.
  function automatic logic [AccBits-1:0] combine(input logic keep, input logic minus, input logic larger, input logic [AccBits-1:0] c,
                                                 input logic [AccBits-1:0] v, input logic up);
    logic               less, unused_borrow;
    logic [AccBits-1:0] sum;
    {less, sum, unused_borrow} = {v[AccBits-1], v, 1'b0} -
                                 {({c[AccBits-1], c} & {(AccBits+1){keep}}) ^ {(AccBits+1){!minus}}, !minus && !up};
    combine = !minus ? sum : (less == larger ? c : v);
  endfunction

  always_comb begin
    c8       = c_hold_q;
    result_o = '0;
    if (valid_i[8]) begin
      if (forward_i) c8 = result_q;
      else if (c_fresh_i) c8 = c_bank_i ? acc_banks_i[AccWidth +: AccWidth] : acc_banks_i[0 +: AccWidth];
      for (int i = 0; i < Lanes; i++) begin
        result_o[i*AccBits +: AccBits] = combine(keep8_q, minus8_q, larger8_q, c8[i*AccBits +: AccBits], v8_q[i*AccBits +: AccBits], up8_q[i]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[8] && !advance_i && c_fresh_i) c_hold_q <= c8;
    if (valid_i[8] && advance_i) result_q <= result_o;
  end

  // --- stage 9: int8 ---
  // Limits are int8: what is no int8 is beyond one of them.
  function automatic logic [OperandBits-1:0] clamp(input logic [AccBits-1:0] value, input logic [OperandBits-1:0] low,
                                                   input logic [OperandBits-1:0] high);
    logic fits, negative;
    negative = value[AccBits-1];
    fits     = value[AccBits-1:OperandBits-1] == {(AccBits-OperandBits+1){negative}};
    if (fits ? $signed(value[OperandBits-1:0]) > $signed(high) : !negative) clamp = high;
    else if (!fits || $signed(value[OperandBits-1:0]) < $signed(low)) clamp = low;
    else clamp = value[OperandBits-1:0];
  endfunction

  always_comb begin
    int8_o = '0;
    if (valid_i[9]) begin
      for (int i = 0; i < Lanes; i++) begin
        int8_o[i*OperandBits +: OperandBits] = clamp(result_q[i*AccBits +: AccBits] + AccBits'($signed(step9_i.out_zero)),
                                                     step9_i.clamp_min, step9_i.clamp_max);
      end
    end
  end

  logic unused;
  assign unused = ^{step2_i, step3_i, step4_i, step5_i, step6_i, step7_i, step8_i, step9_i};

`ifdef FORMAL
  `include "vdla_vector_lane.svh"
`endif

endmodule
