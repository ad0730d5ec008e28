; SPDX-License-Identifier: Apache-2.0
; The rules of legality as bit-vector formulas: each rule, and the lowest broken one (0: legal).
; Generated from isa/spec by vdla-isagen; do not edit.

; opcode: the opcode is one of the table
(define-fun keeps-1 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (= ((_ extract 3 0) w0) (_ bv1 4)) (= ((_ extract 3 0) w0) (_ bv2 4)) (= ((_ extract 3 0) w0) (_ bv3 4)) (= ((_ extract 3 0) w0) (_ bv4 4)) (= ((_ extract 3 0) w0) (_ bv5 4))))

; reserved: bits outside the opcode's fields are zero
(define-fun keeps-2 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (and
    (=> (= ((_ extract 3 0) w0) (_ bv1 4)) (and (= ((_ extract 63 45) w0) (_ bv0 19)) (= ((_ extract 63 48) w5) (_ bv0 16)) (= ((_ extract 63 0) w6) (_ bv0 64)) (= ((_ extract 63 0) w7) (_ bv0 64))))
    (=> (= ((_ extract 3 0) w0) (_ bv2 4)) (and (= ((_ extract 63 45) w0) (_ bv0 19)) (= ((_ extract 63 48) w5) (_ bv0 16)) (= ((_ extract 63 0) w6) (_ bv0 64)) (= ((_ extract 63 0) w7) (_ bv0 64))))
    (=> (= ((_ extract 3 0) w0) (_ bv3 4)) (and (= ((_ extract 63 51) w0) (_ bv0 13)) (= ((_ extract 63 48) w1) (_ bv0 16)) (= ((_ extract 63 0) w7) (_ bv0 64))))
    (=> (= ((_ extract 3 0) w0) (_ bv4 4)) (and (= ((_ extract 63 54) w0) (_ bv0 10))))
    (=> (= ((_ extract 3 0) w0) (_ bv5 4)) (and (= ((_ extract 63 44) w0) (_ bv0 20)) (= ((_ extract 63 0) w1) (_ bv0 64)) (= ((_ extract 63 0) w2) (_ bv0 64)) (= ((_ extract 63 0) w3) (_ bv0 64)) (= ((_ extract 63 0) w4) (_ bv0 64)) (= ((_ extract 63 0) w5) (_ bv0 64)) (= ((_ extract 63 0) w6) (_ bv0 64)) (= ((_ extract 63 0) w7) (_ bv0 64))))))

; load_own_pop: load pops no token from itself
(define-fun keeps-3 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 7 4) w0)) #x0000000000000000) #x0000000000000001) #x0000000000000000)))

; load_own_push: load pushes no token to itself
(define-fun keeps-4 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 11 8) w0)) #x0000000000000000) #x0000000000000001) #x0000000000000000)))

; store_own_pop: store pops no token from itself
(define-fun keeps-5 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 7 4) w0)) #x0000000000000003) #x0000000000000001) #x0000000000000000)))

; store_own_push: store pushes no token to itself
(define-fun keeps-6 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 11 8) w0)) #x0000000000000003) #x0000000000000001) #x0000000000000000)))

; gemm_own_pop: gemm pops no token from itself
(define-fun keeps-7 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 7 4) w0)) #x0000000000000001) #x0000000000000001) #x0000000000000000)))

; gemm_own_push: gemm pushes no token to itself
(define-fun keeps-8 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 11 8) w0)) #x0000000000000001) #x0000000000000001) #x0000000000000000)))

; vector_own_pop: vector pops no token from itself
(define-fun keeps-9 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 7 4) w0)) #x0000000000000002) #x0000000000000001) #x0000000000000000)))

; vector_own_push: vector pushes no token to itself
(define-fun keeps-10 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= (bvand (bvlshr ((_ zero_extend 60) ((_ extract 11 8) w0)) #x0000000000000002) #x0000000000000001) #x0000000000000000)))

; finish_tokens: finish has no tokens: it waits for all units
(define-fun keeps-11 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv5 4)))
    (= (bvadd ((_ zero_extend 60) ((_ extract 7 4) w0)) ((_ zero_extend 60) ((_ extract 11 8) w0))) #x0000000000000000)))

; load_buffer: load writes inp, wgt, out, par or uop
(define-fun keeps-12 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000000)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000001)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000003)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000004)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000005)))

; load_window_known: the window is one of the table
(define-fun keeps-13 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (bvsle ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000007)))

; load_window: load reads any window but insn
(define-fun keeps-14 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000000)))

; load_widen: only par is widened
(define-fun keeps-15 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (= ((_ zero_extend 63) ((_ extract 20 20) w0)) #x0000000000000000)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000004)))

; load_run: run is at least 1
(define-fun keeps-16 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 63 48) w1)) #x0000000000000001)))

; load_x: x_pad_before + x_count + x_pad_after is at least 1
(define-fun keeps-17 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (bvsge (bvadd (bvadd ((_ zero_extend 48) ((_ extract 63 48) w4)) ((_ zero_extend 48) ((_ extract 15 0) w2))) ((_ zero_extend 48) ((_ extract 15 0) w5))) #x0000000000000001)))

; load_y: y_pad_before + y_count + y_pad_after is at least 1
(define-fun keeps-18 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (bvsge (bvadd (bvadd ((_ zero_extend 48) ((_ extract 31 16) w5)) ((_ zero_extend 48) ((_ extract 31 16) w2))) ((_ zero_extend 48) ((_ extract 47 32) w5))) #x0000000000000001)))

; load_z: z_count is at least 1
(define-fun keeps-19 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 47 32) w2)) #x0000000000000001)))

; load_base_inp: sram_base is inside inp
(define-fun keeps-20 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000000)
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) inp_depth)))

; load_base_wgt: sram_base is inside wgt
(define-fun keeps-21 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000001)
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) wgt_depth)))

; load_base_out: sram_base is inside out
(define-fun keeps-22 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000003)
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) out_depth)))

; load_base_par: sram_base is inside par
(define-fun keeps-23 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000004)
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) par_depth)))

; load_base_uop: sram_base is inside uop
(define-fun keeps-24 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv1 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000005)
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) uop_depth)))

; store_buffer: store reads out
(define-fun keeps-25 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000003)))

; store_window: store writes act, output, spare0 or spare1
(define-fun keeps-26 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000003)
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000005)
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000006)
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000007)))

; store_plain: store has no widening and no pad value
(define-fun keeps-27 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= (bvadd ((_ zero_extend 63) ((_ extract 20 20) w0)) ((_ sign_extend 56) ((_ extract 28 21) w0))) #x0000000000000000)))

; store_x_pad: store has no padding along x
(define-fun keeps-28 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= (bvadd ((_ zero_extend 48) ((_ extract 63 48) w4)) ((_ zero_extend 48) ((_ extract 15 0) w5))) #x0000000000000000)))

; store_y_pad: store has no padding along y
(define-fun keeps-29 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (= (bvadd ((_ zero_extend 48) ((_ extract 31 16) w5)) ((_ zero_extend 48) ((_ extract 47 32) w5))) #x0000000000000000)))

; store_run: run is at least 1
(define-fun keeps-30 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 63 48) w1)) #x0000000000000001)))

; store_x: x_count is at least 1
(define-fun keeps-31 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w2)) #x0000000000000001)))

; store_y: y_count is at least 1
(define-fun keeps-32 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 31 16) w2)) #x0000000000000001)))

; store_z: z_count is at least 1
(define-fun keeps-33 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 47 32) w2)) #x0000000000000001)))

; store_base: sram_base is inside out
(define-fun keeps-34 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv2 4)))
    (bvslt ((_ zero_extend 48) ((_ extract 44 29) w0)) out_depth)))

; gemm_count0: count0 is at least 1
(define-fun keeps-35 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w2)) #x0000000000000001)))

; gemm_count1: count1 is at least 1
(define-fun keeps-36 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w3)) #x0000000000000001)))

; gemm_count2: count2 is at least 1
(define-fun keeps-37 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w4)) #x0000000000000001)))

; gemm_count3: count3 is at least 1
(define-fun keeps-38 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w5)) #x0000000000000001)))

; gemm_count4: count4 is at least 1
(define-fun keeps-39 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w6)) #x0000000000000001)))

; gemm_uop_count: uop_count is at least 1
(define-fun keeps-40 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 50 35) w0)) #x0000000000000001)))

; gemm_uops: the micro-ops are inside uop
(define-fun keeps-41 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvsle (bvadd ((_ zero_extend 48) ((_ extract 34 19) w0)) ((_ zero_extend 48) ((_ extract 50 35) w0))) uop_depth)))

; gemm_acc_base: acc_base is inside acc
(define-fun keeps-42 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvslt ((_ zero_extend 48) ((_ extract 15 0) w1)) acc_depth)))

; gemm_inp_base: inp_base is inside inp
(define-fun keeps-43 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvslt ((_ zero_extend 48) ((_ extract 31 16) w1)) inp_depth)))

; gemm_wgt_base: wgt_base is inside wgt
(define-fun keeps-44 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv3 4)))
    (bvslt ((_ zero_extend 48) ((_ extract 47 32) w1)) wgt_depth)))

; vector_op: the operation is one of the table
(define-fun keeps-45 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsle ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000006)))

; vector_dst: the result goes to acc, inp or out
(define-fun keeps-46 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000002)
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000000)
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000003)))

; vector_a: operand a comes from acc, inp or out
(define-fun keeps-47 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000002)
    (= ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000000)
    (= ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000003)))

; vector_b: operand b is one of the table
(define-fun keeps-48 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsle ((_ zero_extend 62) ((_ extract 25 24) w0)) #x0000000000000002)))

; vector_count0: count0 is at least 1
(define-fun keeps-49 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w3)) #x0000000000000001)))

; vector_count1: count1 is at least 1
(define-fun keeps-50 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w4)) #x0000000000000001)))

; vector_count2: count2 is at least 1
(define-fun keeps-51 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w5)) #x0000000000000001)))

; vector_count3: count3 is at least 1
(define-fun keeps-52 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w6)) #x0000000000000001)))

; vector_count4: count4 is at least 1
(define-fun keeps-53 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (bvsge ((_ zero_extend 48) ((_ extract 15 0) w7)) #x0000000000000001)))

; vector_int8_init: an int8 result does not accumulate: init is set
(define-fun keeps-54 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000002)
    (= ((_ zero_extend 63) ((_ extract 26 26) w0)) #x0000000000000001)))

; vector_int8_mask: an int8 result does not accumulate: reduce_mask is zero
(define-fun keeps-55 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000002)
    (= ((_ zero_extend 59) ((_ extract 31 27) w0)) #x0000000000000000)))

; vector_clamp: clamp_min is not above clamp_max
(define-fun keeps-56 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000002)
    (bvsle ((_ sign_extend 56) ((_ extract 55 48) w2)) ((_ sign_extend 56) ((_ extract 63 56) w2)))))

; vector_dst_square: a result in inp needs block_in equal to block_out
(define-fun keeps-57 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000000)
    (= block_in block_out)))

; vector_a_square: operand a from inp needs block_in equal to block_out, but for hsum
(define-fun keeps-58 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000000)
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000006)
    (= block_in block_out)))

; vector_hsum_a: hsum takes operand a from inp
(define-fun keeps-59 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000006)
    (= ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000000)))

; vector_scale_b: scale takes its parameters from par
(define-fun keeps-60 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000000)
    (= ((_ zero_extend 62) ((_ extract 25 24) w0)) #x0000000000000001)))

; vector_avg_b: avg has no operand b
(define-fun keeps-61 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000005)
    (= ((_ zero_extend 62) ((_ extract 25 24) w0)) #x0000000000000000)))

; vector_avg_only: shift and half are zero but for avg
(define-fun keeps-62 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (= ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000005)
    (= (bvadd ((_ zero_extend 58) ((_ extract 37 32) w0)) ((_ zero_extend 48) ((_ extract 53 38) w0))) #x0000000000000000)))

; vector_dst_base_acc: dst_base is inside acc
(define-fun keeps-63 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000002)
    (bvslt ((_ zero_extend 48) ((_ extract 15 0) w1)) acc_depth)))

; vector_dst_base_inp: dst_base is inside inp
(define-fun keeps-64 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000000)
    (bvslt ((_ zero_extend 48) ((_ extract 15 0) w1)) inp_depth)))

; vector_dst_base_out: dst_base is inside out
(define-fun keeps-65 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 19 16) w0)) #x0000000000000003)
    (bvslt ((_ zero_extend 48) ((_ extract 15 0) w1)) out_depth)))

; vector_a_base_acc: a_base is inside acc
(define-fun keeps-66 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000002)
    (bvslt ((_ zero_extend 48) ((_ extract 31 16) w1)) acc_depth)))

; vector_a_base_inp: a_base is inside inp
(define-fun keeps-67 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000000)
    (bvslt ((_ zero_extend 48) ((_ extract 31 16) w1)) inp_depth)))

; vector_a_base_out: a_base is inside out
(define-fun keeps-68 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 23 20) w0)) #x0000000000000003)
    (bvslt ((_ zero_extend 48) ((_ extract 31 16) w1)) out_depth)))

; vector_b_base: b_base is inside par
(define-fun keeps-69 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 62) ((_ extract 25 24) w0)) #x0000000000000001)
    (bvslt ((_ zero_extend 48) ((_ extract 47 32) w1)) par_depth)))

; vector_scale_base: the three parameters of scale are inside par
(define-fun keeps-70 ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) Bool
  (or (not (= ((_ extract 3 0) w0) (_ bv4 4)))
    (distinct ((_ zero_extend 60) ((_ extract 15 12) w0)) #x0000000000000000)
    (bvslt (bvadd #x0000000000000002 ((_ zero_extend 48) ((_ extract 47 32) w1))) par_depth)))

(define-fun broken-rule ((w0 (_ BitVec 64)) (w1 (_ BitVec 64)) (w2 (_ BitVec 64)) (w3 (_ BitVec 64)) (w4 (_ BitVec 64)) (w5 (_ BitVec 64)) (w6 (_ BitVec 64)) (w7 (_ BitVec 64)) (block_in (_ BitVec 64)) (block_out (_ BitVec 64)) (inp_depth (_ BitVec 64)) (wgt_depth (_ BitVec 64)) (acc_depth (_ BitVec 64)) (out_depth (_ BitVec 64)) (par_depth (_ BitVec 64)) (uop_depth (_ BitVec 64))) (_ BitVec 8)
  (ite (not (keeps-1 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv1 8)
  (ite (not (keeps-2 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv2 8)
  (ite (not (keeps-3 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv3 8)
  (ite (not (keeps-4 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv4 8)
  (ite (not (keeps-5 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv5 8)
  (ite (not (keeps-6 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv6 8)
  (ite (not (keeps-7 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv7 8)
  (ite (not (keeps-8 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv8 8)
  (ite (not (keeps-9 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv9 8)
  (ite (not (keeps-10 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv10 8)
  (ite (not (keeps-11 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv11 8)
  (ite (not (keeps-12 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv12 8)
  (ite (not (keeps-13 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv13 8)
  (ite (not (keeps-14 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv14 8)
  (ite (not (keeps-15 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv15 8)
  (ite (not (keeps-16 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv16 8)
  (ite (not (keeps-17 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv17 8)
  (ite (not (keeps-18 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv18 8)
  (ite (not (keeps-19 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv19 8)
  (ite (not (keeps-20 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv20 8)
  (ite (not (keeps-21 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv21 8)
  (ite (not (keeps-22 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv22 8)
  (ite (not (keeps-23 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv23 8)
  (ite (not (keeps-24 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv24 8)
  (ite (not (keeps-25 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv25 8)
  (ite (not (keeps-26 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv26 8)
  (ite (not (keeps-27 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv27 8)
  (ite (not (keeps-28 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv28 8)
  (ite (not (keeps-29 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv29 8)
  (ite (not (keeps-30 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv30 8)
  (ite (not (keeps-31 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv31 8)
  (ite (not (keeps-32 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv32 8)
  (ite (not (keeps-33 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv33 8)
  (ite (not (keeps-34 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv34 8)
  (ite (not (keeps-35 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv35 8)
  (ite (not (keeps-36 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv36 8)
  (ite (not (keeps-37 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv37 8)
  (ite (not (keeps-38 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv38 8)
  (ite (not (keeps-39 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv39 8)
  (ite (not (keeps-40 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv40 8)
  (ite (not (keeps-41 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv41 8)
  (ite (not (keeps-42 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv42 8)
  (ite (not (keeps-43 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv43 8)
  (ite (not (keeps-44 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv44 8)
  (ite (not (keeps-45 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv45 8)
  (ite (not (keeps-46 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv46 8)
  (ite (not (keeps-47 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv47 8)
  (ite (not (keeps-48 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv48 8)
  (ite (not (keeps-49 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv49 8)
  (ite (not (keeps-50 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv50 8)
  (ite (not (keeps-51 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv51 8)
  (ite (not (keeps-52 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv52 8)
  (ite (not (keeps-53 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv53 8)
  (ite (not (keeps-54 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv54 8)
  (ite (not (keeps-55 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv55 8)
  (ite (not (keeps-56 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv56 8)
  (ite (not (keeps-57 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv57 8)
  (ite (not (keeps-58 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv58 8)
  (ite (not (keeps-59 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv59 8)
  (ite (not (keeps-60 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv60 8)
  (ite (not (keeps-61 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv61 8)
  (ite (not (keeps-62 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv62 8)
  (ite (not (keeps-63 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv63 8)
  (ite (not (keeps-64 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv64 8)
  (ite (not (keeps-65 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv65 8)
  (ite (not (keeps-66 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv66 8)
  (ite (not (keeps-67 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv67 8)
  (ite (not (keeps-68 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv68 8)
  (ite (not (keeps-69 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv69 8)
  (ite (not (keeps-70 w0 w1 w2 w3 w4 w5 w6 w7 block_in block_out inp_depth wgt_depth acc_depth out_depth par_depth uop_depth)) (_ bv70 8)
  (_ bv0 8))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
