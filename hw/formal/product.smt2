; SPDX-License-Identifier: Apache-2.0
; A sum that grows by the stride whenever the counter grows by one is counter times stride: at zero, and from one count to the next.
; 16 bits: indices of vdla_nest and vdla_walk. 48 bits: offsets of vdla_walk in vdla_dma_request.
(define-fun accumulates-16 ((c (_ BitVec 16)) (s (_ BitVec 16)) (p (_ BitVec 16))) Bool
  (and (= (bvmul #x0000 s) #x0000)
       (=> (= p (bvmul c s)) (= (bvadd p s) (bvmul (bvadd c #x0001) s)))))
(define-fun accumulates-48 ((c (_ BitVec 48)) (s (_ BitVec 48)) (p (_ BitVec 48))) Bool
  (and (= (bvmul #x000000000000 s) #x000000000000)
       (=> (= p (bvmul c s)) (= (bvadd p s) (bvmul (bvadd c #x000000000001) s)))))
(declare-const c16 (_ BitVec 16))
(declare-const s16 (_ BitVec 16))
(declare-const c48 (_ BitVec 48))
(declare-const s48 (_ BitVec 48))
(assert (not (and (accumulates-16 c16 s16 (bvmul c16 s16)) (accumulates-48 c48 s48 (bvmul c48 s48)))))
(check-sat)
