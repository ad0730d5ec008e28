; The SystemC engine slept for ever when the last instruction retired in the cycle in which FINISH looked, but before it.
;@ variant tiny
;@ seed 248692
;@ timing 1 8 8
;@ skew 6
;@ size const 16384
;@ size act 16384
;@ size input 16384
;@ size output 16384
;@ size spare0 16384
;@ size spare1 16384
.uop 1, 3, 4
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
load inp[0] = input[0] run 256
load wgt[0] = const[0] run 64
load out[0] = input[0] run 64 push vector
load par[0] = const[0] run 64 push vector
load uop[0] = uop[0] run 256 push gemm
vector acc[i4] = mac(out[0], #0) for i4<4 clamp 0 0 pop load push gemm
vector out[0] = avg(inp[0]) clamp 0 0 push store
vector inp[0] = mac(acc[0]) clamp 0 0
gemm acc[0] += inp[0] * wgt[0] pop load, vector
store output[0] = out[0] pop vector push vector
vector acc[0] += max(inp[0], #0) clamp 0 0 push gemm
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0] uops[1, 1] pop vector push load, vector
vector out[0] = scale(out[0], par[0]) clamp 0 0 pop load, store push load
gemm acc[0] += inp[0] * wgt[0]
load inp[0] = act[0] for x<0 y<0 pad x 2 0 pad y 1 0 pop gemm
load par[0] = spare1[0] pop vector
load wgt[0] = input[0]
vector acc[0] += max(acc[0]) clamp 0 0 pop gemm
gemm acc[0] += inp[0] * wgt[0]
load inp[0] = output[0] for x<0 y<0 pad x 0 1 pad y 1 0
load inp[0] = output[0] for x<0 y<0 pad x 1 0 pad y 1 0
vector out[0] = max(acc[0]) clamp 0 0 push store
gemm acc[0] += inp[0] * wgt[0]
vector acc[0] += add(acc[0]) clamp 0 0
gemm acc[0] += inp[0] * wgt[0]
store output[0] = out[0] pop vector push load
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
load out[0] = input[0] for x<0 pad x 0 1 pop store push store
load par[0] = const[0] push vector
load inp[0] = const[0] push vector
vector acc[0] += mac(acc[0], par[0]) clamp 0 0 pop load
vector inp[0] = avg(inp[0]) clamp 0 0 pop load
gemm acc[0] += inp[0] * wgt[0]
vector acc[0] += mac(out[0], par[0]) clamp 0 0 push load
gemm acc[0] += inp[0] * wgt[0]
load wgt[0] = output[0]
gemm acc[0] += inp[0] * wgt[0]
load wgt[0] = output[0] run 3
gemm acc[0] += inp[0] * wgt[0]
store act[0] = out[0] pop load push load, vector
load par[0] = spare1[0] pop vector push vector
vector out[0] = scale(out[0], par[0]) clamp 0 0 pop load, store push store
store output[0] = out[0] pop vector
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
vector acc[0] += max(inp[0], par[0]) clamp 0 0 push gemm
store output[0] = out[0]
load wgt[55] = act[0] for x<2 run 2 pop store push gemm
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[0]
gemm acc[0] += inp[0] * wgt[50 + i1] for i1<3 uops[0, 2] pop load, vector
store output[0] = out[0] push vector
gemm acc[0] += inp[0] * wgt[0] for i1<2 uops[0, 3]
gemm acc[0] += inp[0] * wgt[0]
vector out[0] = max(out[0], #0) clamp 0 0 pop store
load out[1] = spare0[0] run 2
finish 0
