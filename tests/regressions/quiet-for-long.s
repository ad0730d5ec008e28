; Time stood still in the SystemC engine when nothing was to happen for longer than one run() of 20000 cycles.
;@ variant tiny
;@ seed 32
;@ timing 48 8 8
;@ skew 0
;@ size input 64
;@ bytes input 0 0102fd04
;@ size output 64
load out[0] = input[0] push vector
vector acc[0] = mac(out[0], #3) for i3<200 i4<200 pop load
vector out[1] = add(acc[0]) clamp -128 127 push store
store output[0] = out[1] pop vector
finish 1
