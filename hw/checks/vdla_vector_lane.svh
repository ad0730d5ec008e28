// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_vector_lane: a pipeline beside it applies the ISA's formulas, one operation at a time, to what enters;
// what each stage hands on has the meaning of that. Steps come as vdla_vector hands them on. A product is cut out: any
// number that the product of two operands can be (proofs vector_product and partial_products).

  localparam int unsigned AccRowW = BlockOut * AccBits;
  localparam int unsigned HalfW   = vdla_isa_pkg::VectorHalfWidth;

  // --- the formulas ---
  function automatic logic [AccBits-1:0] f_row_sum(input logic [InpRowW-1:0] row);
    logic [AccBits-1:0] total;
    total = '0;
    for (int k = 0; k < BlockIn; k++) total = total + AccBits'($signed(row[k*OperandBits +: OperandBits]));
    f_row_sum = total;
  endfunction

  function automatic logic [AccBits-1:0] f_left_operand(input logic [OpW-1:0] op, input logic first, input logic has_p,
                                                      input logic [HalfW-1:0] half, input logic [AccBits-1:0] x,
                                                      input logic [AccBits-1:0] p, input logic [AccBits-1:0] bias,
                                                      input logic [ShiftW-1:0] left);
    case (op)
      Scale:   f_left_operand = (x + bias) << left;
      Add:     f_left_operand = x + p;
      Max:     f_left_operand = first && has_p && $signed(p) > $signed(x) ? p : x;
      Min:     f_left_operand = first && has_p && $signed(p) < $signed(x) ? p : x;
      Avg:     f_left_operand = (x[AccBits-1] ? -x : x) + AccBits'(half);
      default: f_left_operand = x;
    endcase
  endfunction

  function automatic logic [AccBits-1:0] f_right_operand(input logic [OpW-1:0] op, input logic [AccBits-1:0] imm,
                                                       input logic [AccBits-1:0] p, input logic [AccBits-1:0] multiplier);
    case (op)
      Scale:     f_right_operand = multiplier;
      Mac, Hsum: f_right_operand = p;
      Avg:       f_right_operand = imm;
      default:   f_right_operand = AccBits'(1);
    endcase
  endfunction

  function automatic logic [AccBits-1:0] f_rounded_high(input logic [ProductW-1:0] value);
    logic signed [ProductW-1:0] sum;
    // The rounding term of either sign and the truncation towards zero together are a floor.
    sum = $signed(value) + 64'sd1073741824;
    f_rounded_high = value == 64'h4000_0000_0000_0000 ? 32'h7fff_ffff : 32'(sum >>> 31);
  endfunction

  function automatic logic [AccBits-1:0] f_round_shift_right(input logic [AccBits-1:0] value, input logic [ShiftW-1:0] n);
    logic [AccBits-1:0] mask, threshold, floor;
    mask      = (AccBits'(1) << n) - AccBits'(1);
    threshold = (mask >> 1) + AccBits'(value[AccBits-1]);
    floor     = AccBits'($signed(value) >>> n);
    f_round_shift_right = floor + AccBits'((value & mask) > threshold);
  endfunction

  function automatic logic [AccBits-1:0] f_combine(input logic [OpW-1:0] op, input logic first, input logic [AccBits-1:0] c,
                                                 input logic [AccBits-1:0] v);
    if (first || op == Avg) f_combine = v;
    else if (op == Max) f_combine = $signed(c) > $signed(v) ? c : v;
    else if (op == Min) f_combine = $signed(c) < $signed(v) ? c : v;
    else f_combine = c + v;
  endfunction

  function automatic logic [OperandBits-1:0] f_clamp(input logic [AccBits-1:0] value, input logic [OperandBits-1:0] low,
                                                   input logic [OperandBits-1:0] high);
    if ($signed(value) > AccBits'($signed(high))) f_clamp = high;
    else if ($signed(value) < AccBits'($signed(low))) f_clamp = low;
    else f_clamp = value[OperandBits-1:0];
  endfunction

  

  // --- steps: valid bits and steps move together, an operand is fresh in its first cycle ---
  logic f_past = 1'b0;

  always_ff @(posedge clk_i) f_past <= 1'b1;

  always_ff @(posedge clk_i) begin
    if (!f_past) assume (valid_i == '0);
    else begin
      assume (valid_i[9:3] == ($past(advance_i) ? $past(valid_i[8:2]) : $past(valid_i[9:3])));
      assume ($past(advance_i) || (valid_i[2] == $past(valid_i[2]) && step2_i == $past(step2_i)));
      assume (step3_i == ($past(advance_i && valid_i[2]) ? $past(step2_i) : $past(step3_i)));
      assume (step4_i == ($past(advance_i && valid_i[3]) ? $past(step3_i) : $past(step4_i)));
      assume (step5_i == ($past(advance_i && valid_i[4]) ? $past(step4_i) : $past(step5_i)));
      assume (step6_i == ($past(advance_i && valid_i[5]) ? $past(step5_i) : $past(step6_i)));
      assume (step7_i == ($past(advance_i && valid_i[6]) ? $past(step6_i) : $past(step7_i)));
      assume (step8_i == ($past(advance_i && valid_i[7]) ? $past(step7_i) : $past(step8_i)));
      assume (step9_i == ($past(advance_i && valid_i[8]) ? $past(step8_i) : $past(step9_i)));
      assume (a_fresh_i == (valid_i[2] && $past(advance_i)));
    end
    // vdla_vector asserts this of its lanes: ParametersWhileEmpty
    assume (valid_i == '0 || !(take_bias_i || take_multiplier_i || take_shift_i));
  end

  // --- the pipeline of the formulas ---
  logic [AccWidth-1:0] f_a2, f_a_hold, f_x3, f_m4, f_n4, f_v7, f_v8, f_combined;
  logic [ParWidth-1:0] f_p3;
  logic [Lanes-1:0]    f_negative4, f_negative5, f_negative6, f_negative7;
  logic [OutWidth-1:0] f_int8;

  always_comb begin
    f_a2 = f_a_hold;
    if (a_fresh_i) begin
      f_a2 = a2;
      if (step2_i.op == Hsum) begin
        for (int b = 0; b < Batch; b++) f_a2[b*AccRowW +: AccRowW] = {BlockOut{f_row_sum(inp_i[b*InpRowW +: InpRowW])}};
      end
    end
    for (int i = 0; i < Lanes; i++) begin
      f_combined[i*AccBits +: AccBits] = f_combine(step8_i.op, step8_i.first, c8[i*AccBits +: AccBits], f_v8[i*AccBits +: AccBits]);
      f_int8[i*OperandBits +: OperandBits] = f_clamp(result_q[i*AccBits +: AccBits] + AccBits'($signed(step9_i.out_zero)),
                                                     step9_i.clamp_min, step9_i.clamp_max);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[2] && !advance_i) f_a_hold <= f_a2;
    if (valid_i[2] && advance_i) begin
      for (int i = 0; i < Lanes; i++) f_x3[i*AccBits +: AccBits] <= f_a2[i*AccBits +: AccBits] + AccBits'($signed(step2_i.a_offset));
      if (step2_i.b_kind == vdla_isa_pkg::VectorBPar) f_p3 <= par_i;
      else if (step2_i.b_kind == vdla_isa_pkg::VectorBImm) f_p3 <= {BlockOut{step2_i.imm}};
      else f_p3 <= {BlockOut{AccBits'(step2_i.op == Mac || step2_i.op == Hsum)}};
    end
    if (valid_i[3] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        f_m4[i*AccBits +: AccBits] <= f_left_operand(step3_i.op, step3_i.first, step3_i.b_kind != vdla_isa_pkg::VectorBNone, step3_i.half,
                                                     f_x3[i*AccBits +: AccBits], f_p3[(i%BlockOut)*AccBits +: AccBits],
                                                     bias_q[(i%BlockOut)*AccBits +: AccBits], left_q[(i%BlockOut)*ShiftW +: ShiftW]);
        f_n4[i*AccBits +: AccBits] <= f_right_operand(step3_i.op, step3_i.imm, f_p3[(i%BlockOut)*AccBits +: AccBits],
                                                      multiplier_q[(i%BlockOut)*AccBits +: AccBits]);
        f_negative4[i]             <= f_x3[i*AccBits+AccBits-1];
      end
    end
    if (valid_i[4] && advance_i) f_negative5 <= f_negative4;
    if (valid_i[5] && advance_i) f_negative6 <= f_negative5;
    if (valid_i[6] && advance_i) begin
      f_negative7 <= f_negative6;
      for (int i = 0; i < Lanes; i++) begin
        case (step6_i.op)
          Scale:   f_v7[i*AccBits +: AccBits] <= f_rounded_high(product6_q[i*ProductW +: ProductW]);
          Avg:     f_v7[i*AccBits +: AccBits] <= AccBits'(product6_q[i*ProductW +: ProductW] >> step6_i.shift);
          default: f_v7[i*AccBits +: AccBits] <= product6_q[i*ProductW +: AccBits];
        endcase
      end
    end
    if (valid_i[7] && advance_i) begin
      for (int i = 0; i < Lanes; i++) begin
        case (step7_i.op)
          Scale:   f_v8[i*AccBits +: AccBits] <= f_round_shift_right(f_v7[i*AccBits +: AccBits], right_q[(i%BlockOut)*ShiftW +: ShiftW]);
          Avg:     f_v8[i*AccBits +: AccBits] <= f_negative7[i] ? -f_v7[i*AccBits +: AccBits] : f_v7[i*AccBits +: AccBits];
          default: f_v8[i*AccBits +: AccBits] <= f_v7[i*AccBits +: AccBits];
        endcase
      end
    end
  end

  // --- what the registers of both mean ---
  logic [Lanes-1:0] f_x3_same, f_p3_same, f_v7_same, f_v8_same;

  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      f_x3_same[i] = f_x3[i*AccBits +: AccBits] == (step3_i.op == Hsum ? AccBits'($signed(f_row3[(i/BlockOut)*RowSumW +: RowSumW])) : x3_q[i*AccBits +: AccBits]);
      f_p3_same[i] = p3_q[(i%BlockOut)*AccBits +: AccBits] == (step3_i.op == Scale ? bias_q[(i%BlockOut)*AccBits +: AccBits] :
                     step3_i.op == Avg ? AccBits'(step3_i.half) : f_p3[(i%BlockOut)*AccBits +: AccBits]);
      f_v7_same[i] = (step7_i.op == Scale ? v7_q[i*ProductW +: ProductW] == ProductW'($signed(f_v7[i*AccBits +: AccBits])) :
                      f_v7[i*AccBits +: AccBits] == AccBits'(v7_q[i*ProductW +: ProductW] >> right7_q[(i%BlockOut)*ShiftW +: ShiftW])) &&
                     right7_q[(i%BlockOut)*ShiftW +: ShiftW] == (step7_i.op == Scale ? right_q[(i%BlockOut)*ShiftW +: ShiftW] :
                                                                 step7_i.op == Avg ? step7_i.shift[ShiftW-1:0] : '0);
      f_v8_same[i] = f_v8[i*AccBits +: AccBits] == v8_q[i*AccBits +: AccBits] + AccBits'(up8_q[i]) && !(minus8_q && up8_q[i]);
    end
  end

  // sums over rows, of the parts at hand
  logic [Batch*RowSumW-1:0] f_row3;
  logic [AccWidth-1:0]      f_row_hold;
  always_comb begin
    for (int b = 0; b < Batch; b++) begin
      f_row3[b*RowSumW +: RowSumW]     = RowSumW'($signed(step3_i.a_offset));
      f_row_hold[b*AccRowW +: AccRowW] = '0;
      for (int p = 0; p < RowParts; p++) begin
        f_row3[b*RowSumW +: RowSumW] = f_row3[b*RowSumW +: RowSumW] + RowSumW'($signed(parts3_q[b*PartsW+p*PartW +: PartW]));
        f_row_hold[b*AccRowW +: AccRowW] = {BlockOut{f_row_hold[b*AccRowW +: AccBits] + AccBits'($signed(parts_hold_q[b*PartsW+p*PartW +: PartW]))}};
      end
    end
  end

  // products: of signed operands 2^62 alone is 2^62 or more
  always_ff @(posedge clk_i) begin
    if (f_past) assume ($past(valid_i[5] && advance_i) || $stable(product6_q));
    for (int i = 0; i < Lanes; i++) begin
      if (step6_i.op != Avg) assume (product6_q[i*ProductW+ProductW-2 +: 2] != 2'b01 || product6_q[i*ProductW +: ProductW-2] == '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[2] && !a_fresh_i) HeldOperand: assert (f_a_hold == (step2_i.op == Hsum ? f_row_hold : a_hold_q));
    if (valid_i[3]) begin
      LeftSource:  assert (&f_x3_same);
      RightSource: assert (&f_p3_same);
      Decoded3:    assert (compare3_q == (step3_i.op == Max || step3_i.op == Min) && absolute3_q == (step3_i.op == Avg) &&
                           smaller3_q == (step3_i.op == Min) && left3_q == (step3_i.op == Scale ? left_q : '0) &&
                           choose3_q == (compare3_q && step3_i.first && step3_i.b_kind != vdla_isa_pkg::VectorBNone) &&
                           take3_q == (step3_i.op == Scale || step3_i.op == Add || step3_i.op == Avg ? TakeSum :
                                       step3_i.op == Hsum ? TakeRow : TakeX));
    end
    if (valid_i[4]) begin
      LeftOperand:  assert (m4_q == f_m4);
      RightOperand: assert (n4_q == f_n4);
    end
    if (valid_i[4] && step4_i.op == Avg) Sign4: assert (negative4_q == f_negative4);
    if (valid_i[5] && step5_i.op == Avg) Sign5: assert (negative5_q == f_negative5);
    if (valid_i[6] && step6_i.op == Avg) Sign6: assert (negative6_q == f_negative6);
    if (valid_i[7] && step7_i.op == Avg) Sign7: assert (negative7_q == f_negative7);
    if (valid_i[7]) HighHalf: assert (&f_v7_same);
    if (valid_i[8]) begin
      Decoded8: assert (keep8_q == (!step8_i.first && step8_i.op != Avg) && larger8_q == (step8_i.op == Max) &&
                        minus8_q == (!step8_i.first && (step8_i.op == Max || step8_i.op == Min)));
      Rounded:  assert (&f_v8_same);
      Combined: assert (result_o == f_combined);
    end
    if (valid_i[9]) Clamped: assert (int8_o == f_int8);
    RoundedUp: cover (valid_i[8] && step8_i.op == Scale && up8_q[0] && v8_q[AccBits-1]);
    RowSummed: cover (valid_i[9] && step9_i.op == Hsum && result_q[AccBits-1:0] == AccBits'(5));
  end
