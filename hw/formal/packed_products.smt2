; SPDX-License-Identifier: Apache-2.0
; Two products of int8 in one, as vdla_gemm_array packs them: two weights in one number, the second 2^16 times. Products
; of int8 lie in -16256 to 16384. So a sum of two packed products and 32512 has the sum of the first products, plus
; 32512, below 2^16, and that of the second products above, in 17 bits with its sign.
(declare-const x Int)
(declare-const y Int)
(declare-const w0 Int)
(declare-const w1 Int)
(declare-const a Int)
(declare-const p0 Int)
(declare-const p1 Int)
(declare-const q0 Int)
(declare-const q1 Int)
(define-fun int8 ((x Int)) Bool (and (<= (- 128) x) (< x 128)))
(define-fun product ((x Int)) Bool (and (<= (- 16256) x) (<= x 16384)))
(define-fun in-range () Bool (=> (and (int8 x) (int8 y)) (product (* x y))))
(define-fun holds-both () Bool (= (* (+ (* 65536 w1) w0) a) (+ (* 65536 (* w1 a)) (* w0 a))))
(define-fun sum () Int (+ (+ (* 65536 p1) p0) 32512 (+ (* 65536 q1) q0)))
(define-fun parts-are-sums () Bool
  (=> (and (product p0) (product p1) (product q0) (product q1))
      (and (= (- (mod sum 65536) 32512) (+ p0 q0)) (= (div sum 65536) (+ p1 q1)) (<= (- 65536) (+ p1 q1)) (< (+ p1 q1) 65536))))
(assert (not (and in-range holds-both parts-are-sums)))
(check-sat)
