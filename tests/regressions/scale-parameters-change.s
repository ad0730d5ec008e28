; Behind the last step of one block of scale the SystemC engine let steps with the next parameters go at once.
;@ variant tiny
;@ seed 51249
;@ timing 48 8 8
;@ skew 0
;@ size const 1024
;@ size act 1024
;@ size input 1024
;@ size output 1024
;@ size spare0 1024
;@ size spare1 1024
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
.uop 0, 0, 0
load inp[0] = input[0] run 12
load wgt[0] = const[0] run 8
load out[0] = input[0] push vector
load par[0] = const[0] run 4 push vector
load uop[156] = uop[0] run 50 push gemm
vector acc[156 + i4] = mac(out[0], #0) for i4<50 clamp 0 0 pop load push gemm
gemm acc[167] += inp[0] * wgt[0] uops[183, 1] pop load, vector push load
vector acc[201] += scale(inp[0], par[i0]) for i0<2 i1<16 i2<6 clamp 0 0 pop load
load uop[156] = uop[0] run 100 pop gemm push gemm
gemm acc[171] += inp[0] * wgt[0] uops[216, 1] pop load
finish 0
