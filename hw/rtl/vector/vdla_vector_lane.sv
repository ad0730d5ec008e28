// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the vector unit, all lanes: stages 2 to 9 of a pipeline that advances as a whole.
//
// 2 operands; 3 operands of the multiplier; 4, 5 product; 6 rounded high half, or shifted, or low half; 7 rounding
// shift, accumulator read; 8 result, accumulator write; 9 zero point, clamp, int8 write. What needs no product is
// multiplied by one. The functions are the ISA's formulas, in its int32.

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
  localparam int unsigned AccRowW  = BlockOut * AccBits;
  localparam int unsigned ProductW = 2 * AccBits;
  localparam int unsigned OpW      = vdla_isa_pkg::VectorOpBits;
  localparam int unsigned HalfW    = vdla_isa_pkg::VectorHalfWidth;
  localparam int unsigned ShiftW   = $clog2(AccBits);
  // Begin of the right shift in the parameter of shifts; the left one begins at bit 0.
  localparam int unsigned RightBit = 8;

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
  logic [AccWidth-1:0] a2, a_hold_q, x3_q;
  logic [ParWidth-1:0] p3_q;

  function automatic logic [AccBits-1:0] row_sum(input logic [InpRowW-1:0] row);
    logic [AccBits-1:0] total;
    total = '0;
    for (int k = 0; k < BlockIn; k++) total = total + AccBits'($signed(row[k*OperandBits +: OperandBits]));
    row_sum = total;
  endfunction

  always_comb begin
    a2 = a_hold_q;
    if (valid_i[2] && a_fresh_i) begin
      if (step2_i.op == Hsum) begin
        for (int b = 0; b < Batch; b++) begin
          a2[b*AccRowW +: AccRowW] = {BlockOut{row_sum(inp_i[b*InpRowW +: InpRowW])}};
        end
      end else if (step2_i.a_buffer == vdla_isa_pkg::BufferAcc) begin
        a2 = a_bank_i ? acc_banks_i[AccWidth +: AccWidth] : acc_banks_i[0 +: AccWidth];
      end else if (step2_i.a_buffer == vdla_isa_pkg::BufferInp) begin
        // as a source of lanes inp needs BlockIn == BlockOut, which the instruction check sees to
        for (int i = 0; i < Lanes; i++) a2[i*AccBits +: AccBits] = AccBits'($signed(inp_i[(i % (Batch*BlockIn))*OperandBits +: OperandBits]));
      end else begin
        for (int i = 0; i < Lanes; i++) a2[i*AccBits +: AccBits] = AccBits'($signed(out_i[i*OperandBits +: OperandBits]));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[2] && a_fresh_i && !advance_i) a_hold_q <= a2;
    if (valid_i[2] && advance_i) begin
      for (int i = 0; i < Lanes; i++) x3_q[i*AccBits +: AccBits] <= a2[i*AccBits +: AccBits] + AccBits'($signed(step2_i.a_offset));
      if (step2_i.op != Scale) begin
        if (step2_i.b_kind == vdla_isa_pkg::VectorBPar) p3_q <= par_i;
        else if (step2_i.b_kind == vdla_isa_pkg::VectorBImm) p3_q <= {BlockOut{step2_i.imm}};
        else p3_q <= {BlockOut{AccBits'(step2_i.op == Mac || step2_i.op == Hsum)}};
      end
    end
  end

  // --- stage 3: operands of the multiplier ---
  logic [AccWidth-1:0] m4_q, n4_q;
  logic [Lanes-1:0]    negative4_q, negative5_q, negative6_q, negative7_q;
  logic                has_p3;

  assign has_p3 = step3_i.b_kind != vdla_isa_pkg::VectorBNone;

  function automatic logic [AccBits-1:0] left_operand(input logic [OpW-1:0] op, input logic first, input logic has_p,
                                                      input logic [HalfW-1:0] half, input logic [AccBits-1:0] x,
                                                      input logic [AccBits-1:0] p, input logic [AccBits-1:0] bias,
                                                      input logic [ShiftW-1:0] left);
    case (op)
      Scale:   left_operand = (x + bias) << left;
      Add:     left_operand = x + p;
      Max:     left_operand = first && has_p && $signed(p) > $signed(x) ? p : x;
      Min:     left_operand = first && has_p && $signed(p) < $signed(x) ? p : x;
      Avg:     left_operand = (x[AccBits-1] ? -x : x) + AccBits'(half);
      default: left_operand = x;
    endcase
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
        m4_q[i*AccBits +: AccBits] <= left_operand(step3_i.op, step3_i.first, has_p3, step3_i.half, x3_q[i*AccBits +: AccBits],
                                                   p3_q[(i%BlockOut)*AccBits +: AccBits], bias_q[(i%BlockOut)*AccBits +: AccBits],
                                                   left_q[(i%BlockOut)*ShiftW +: ShiftW]);
        n4_q[i*AccBits +: AccBits] <= right_operand(step3_i.op, step3_i.imm, p3_q[(i%BlockOut)*AccBits +: AccBits],
                                                    multiplier_q[(i%BlockOut)*AccBits +: AccBits]);
        negative4_q[i]             <= x3_q[i*AccBits+AccBits-1];
      end
    end
  end

  // --- stages 4 and 5: product; operands are unsigned for avg ---
  logic [Lanes*ProductW-1:0] product5_q, product6_q;

  function automatic logic [ProductW-1:0] product(input logic is_signed, input logic [AccBits-1:0] m, input logic [AccBits-1:0] n);
    logic signed [AccBits:0] m_wide, n_wide;
    m_wide  = {is_signed && m[AccBits-1], m};
    n_wide  = {is_signed && n[AccBits-1], n};
    product = ProductW'(m_wide) * ProductW'(n_wide);
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[4] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        product5_q[i*ProductW +: ProductW] <= product(step4_i.op != Avg, m4_q[i*AccBits +: AccBits], n4_q[i*AccBits +: AccBits]);
      end
      negative5_q <= negative4_q;
    end
    if (valid_i[5] && advance_i) begin
      product6_q  <= product5_q;
      negative6_q <= negative5_q;
    end
  end

  // --- stage 6: as many bits of the product as an accumulator has ---
  logic [AccWidth-1:0] v7_q;

  function automatic logic [AccBits-1:0] rounded_high(input logic [ProductW-1:0] value);
    logic signed [ProductW-1:0] sum;
    // The rounding term of either sign and the truncation towards zero together are a floor.
    sum = $signed(value) + 64'sd1073741824;
    rounded_high = value == 64'h4000_0000_0000_0000 ? 32'h7fff_ffff : 32'(sum >>> 31);
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[6] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        case (step6_i.op)
          Scale:   v7_q[i*AccBits +: AccBits] <= rounded_high(product6_q[i*ProductW +: ProductW]);
          Avg:     v7_q[i*AccBits +: AccBits] <= AccBits'(product6_q[i*ProductW +: ProductW] >> step6_i.shift);
          default: v7_q[i*AccBits +: AccBits] <= product6_q[i*ProductW +: AccBits];
        endcase
      end
      negative7_q <= negative6_q;
    end
  end

  // --- stage 7: rounding shift, sign ---
  logic [AccWidth-1:0] v8_q;

  function automatic logic [AccBits-1:0] round_shift_right(input logic [AccBits-1:0] value, input logic [ShiftW-1:0] n);
    logic [AccBits-1:0] mask, threshold, floor;
    mask      = (AccBits'(1) << n) - AccBits'(1);
    threshold = (mask >> 1) + AccBits'(value[AccBits-1]);
    floor     = AccBits'($signed(value) >>> n);
    round_shift_right = floor + AccBits'((value & mask) > threshold);
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i[7] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        case (step7_i.op)
          Scale:   v8_q[i*AccBits +: AccBits] <= round_shift_right(v7_q[i*AccBits +: AccBits], right_q[(i%BlockOut)*ShiftW +: ShiftW]);
          Avg:     v8_q[i*AccBits +: AccBits] <= negative7_q[i] ? -v7_q[i*AccBits +: AccBits] : v7_q[i*AccBits +: AccBits];
          default: v8_q[i*AccBits +: AccBits] <= v7_q[i*AccBits +: AccBits];
        endcase
      end
    end
  end

  // --- stage 8: accumulate ---
  logic [AccWidth-1:0] c8, c_hold_q, result_q;

  function automatic logic [AccBits-1:0] combine(input logic [OpW-1:0] op, input logic first, input logic [AccBits-1:0] c,
                                                 input logic [AccBits-1:0] v);
    if (first || op == Avg) combine = v;
    else if (op == Max) combine = $signed(c) > $signed(v) ? c : v;
    else if (op == Min) combine = $signed(c) < $signed(v) ? c : v;
    else combine = c + v;
  endfunction

  always_comb begin
    c8       = c_hold_q;
    result_o = '0;
    if (valid_i[8]) begin
      if (forward_i) c8 = result_q;
      else if (c_fresh_i) c8 = c_bank_i ? acc_banks_i[AccWidth +: AccWidth] : acc_banks_i[0 +: AccWidth];
      for (int i = 0; i < Lanes; i++) begin
        result_o[i*AccBits +: AccBits] = combine(step8_i.op, step8_i.first, c8[i*AccBits +: AccBits], v8_q[i*AccBits +: AccBits]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[8] && !advance_i && c_fresh_i) c_hold_q <= c8;
    if (valid_i[8] && advance_i) result_q <= result_o;
  end

  // --- stage 9: int8 ---
  function automatic logic [OperandBits-1:0] clamp(input logic [AccBits-1:0] value, input logic [OperandBits-1:0] low,
                                                   input logic [OperandBits-1:0] high);
    if ($signed(value) > AccBits'($signed(high))) clamp = high;
    else if ($signed(value) < AccBits'($signed(low))) clamp = low;
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

endmodule
