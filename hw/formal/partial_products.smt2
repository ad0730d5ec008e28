; SPDX-License-Identifier: Apache-2.0
; Products of the vector lanes. First, operands in a low part of 17 bits and a high part: the product modulo 2^64 is the
; sum of the products of parts, each at its place. Second, the product of two int32 reaches 2^62 only where both are
; -2^31, and never 2^63, so that its highest two bits are 01 there only.
(declare-const m-low Int)
(declare-const m-high Int)
(declare-const n-low Int)
(declare-const n-high Int)
(declare-const m Int)
(declare-const n Int)
(define-fun int32 ((x Int)) Bool (and (<= (- 2147483648) x) (< x 2147483648)))
(define-fun parts-add-up () Bool
  (= (* (+ (* 131072 m-high) m-low) (+ (* 131072 n-high) n-low))
     (+ (* 17179869184 m-high n-high) (* 131072 (+ (* m-low n-high) (* m-high n-low))) (* m-low n-low))))
(define-fun only-the-smallest () Bool
  (=> (and (int32 m) (int32 n) (>= (* m n) 4611686018427387904))
      (and (= m (- 2147483648)) (= n (- 2147483648)))))
(assert (not (and parts-add-up only-the-smallest)))
(check-sat)
